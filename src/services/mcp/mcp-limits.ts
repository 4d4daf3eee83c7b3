import type { Environment } from "../../platform/env.ts";

export type McpLimits = {
  /** The maximum time from the first message, or from the start of a program, to the list of tools. */
  readonly startMs: number;
  /** The time limit of a call without progress; each progress notification restarts it. */
  readonly idleMs: number;
  /** The time limit of the whole call; undefined for no limit. */
  readonly callMs: number | undefined;
  /** The maximum length of a message: a line of a program, an answer or an event over HTTP. */
  readonly maxMessageBytes: number;
};

export const MCP_LIMITS: McpLimits = {
  startMs: 30_000,
  idleMs: 5 * 60_000,
  callMs: undefined,
  maxMessageBytes: 32 * 1024 * 1024,
};

/** Time to wait for a program after SIGINT and after SIGTERM. */
export const STOP_DELAYS = { interruptMs: 100, terminateMs: 400 };
/** Stored part of a program's stderr. */
export const MAX_STDERR_BYTES = 64 * 1024;
/** Length of a tool's description, and of a server's instructions. */
export const MAX_DESCRIPTION_CHARS = 2_048;
/** The maximum numbers of a server's tools, and of pages of its list. */
export const MAX_TOOLS = 5_000;
export const MAX_PAGES = 1_000;
/**
 * The maximum number of objects in a tool's schema that Quoll compiles into a check: 500 take about 200 ms, during
 * which no other code runs.
 */
export const MAX_COMPILED_PARTS = 500;
/** The maximum time that a request to the model waits for a list that is being read again. */
export const LIST_WAIT_MS = 1_000;
/** The wait after a result for a list change that the server announces directly afterwards. */
export const LIST_GRACE_MS = 10;
/** Consecutive failed requests before a remote server is reconnected. */
export const MAX_FAILURES_IN_A_ROW = 3;

/** The limits with the values of `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT` (milliseconds); invalid values are ignored. */
export function mcpLimits(environment: Environment): McpLimits {
  const start = milliseconds(environment["MCP_TIMEOUT"]);
  const call = milliseconds(environment["MCP_TOOL_TIMEOUT"]);
  return { ...MCP_LIMITS, ...(start !== undefined && { startMs: start }), ...(call !== undefined && { callMs: call }) };
}

function milliseconds(text: string | undefined): number | undefined {
  const value = /^\d{1,9}$/.test(text ?? "") ? Number(text) : 0;
  return value > 0 ? value : undefined;
}
