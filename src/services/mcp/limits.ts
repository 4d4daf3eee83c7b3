import type { Environment } from "../../platform/env.ts";

export type McpLimits = {
  /** From the first message, or the start of a program, to the list of tools. */
  readonly startMs: number;
  /** A call without progress; each progress notification starts it anew. */
  readonly idleMs: number;
  /** The whole of a call; undefined for none. */
  readonly callMs: number | undefined;
  /** Programs, and other servers, that are started at the same time. */
  readonly localStarts: number;
  readonly remoteStarts: number;
  /** What a program writes in one line, at most. */
  readonly maxMessageBytes: number;
};

export const MCP_LIMITS: McpLimits = {
  startMs: 30_000,
  idleMs: 5 * 60_000,
  callMs: undefined,
  localStarts: 3,
  remoteStarts: 20,
  maxMessageBytes: 128 * 1024 * 1024,
};

/** How long a program is waited for after SIGINT and after SIGTERM. */
export const STOP_DELAYS = { interruptMs: 100, terminateMs: 400 };
/** Kept of what a program writes to stderr. */
export const STDERR_RING_BYTES = 64 * 1024;
/** Of a tool's description, and of a server's instructions. */
export const MAX_DESCRIPTION_CHARS = 2_048;
/** Tools of one server, and pages of its list. */
export const MAX_TOOLS = 5_000;
export const MAX_PAGES = 1_000;
/** Failed requests in a row after which a remote server is connected anew. */
export const MAX_FAILURES_IN_A_ROW = 3;

/** The limits with what `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT` (milliseconds) change; other values are left aside. */
export function mcpLimits(environment: Environment): McpLimits {
  const start = milliseconds(environment["MCP_TIMEOUT"]);
  const call = milliseconds(environment["MCP_TOOL_TIMEOUT"]);
  return { ...MCP_LIMITS, ...(start !== undefined && { startMs: start }), ...(call !== undefined && { callMs: call }) };
}

function milliseconds(text: string | undefined): number | undefined {
  const value = /^\d{1,9}$/.test(text ?? "") ? Number(text) : 0;
  return value > 0 ? value : undefined;
}
