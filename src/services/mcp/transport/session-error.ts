import { oneLine } from "@quoll/terminal-text/one-line";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";

const MAX_COLUMNS = 300;
const MALFORMED = "its answer does not follow the protocol";
/** The runtimes' names for socket errors. */
const NETWORK_CODES: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "unknown host",
  FailedToOpenSocket: "connection refused",
};

/** The problem of a project's or plugin's server that has changed since the person approved it. */
export const CHANGED_SERVER =
  "it, or a file that it names, has changed since the user approved it; the user is told about it at the next start";

/** A message was sent over a connection that had ended. */
export class ClosedConnectionError extends Error {
  constructor() {
    super("The connection is closed.");
  }
}

/** A server was unreachable, or misbehaved during its start. The message is one printable line. */
export class McpStartError extends Error {
  override name = "McpStartError";
  readonly needsAuth: boolean;
  /** True if the server did not answer within its start limit. */
  readonly isLate: boolean;
  constructor(
    message: string,
    {
      needsAuth = false,
      isLate = false,
      ...options
    }: ErrorOptions & { readonly needsAuth?: boolean; readonly isLate?: boolean } = {},
  ) {
    super(message, options);
    this.needsAuth = needsAuth;
    this.isLate = isLate;
  }
}

/** A call took too long; the server was told that the result is no longer needed. */
export class CallLimitError extends Error {
  override name = "CallLimitError";
}

/** The HTTP status of a remote server's answer, or undefined. */
export function httpStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") return undefined;
  // A JSON-RPC error has its own number, which may look like a status.
  if (error.name === "McpError") return undefined;
  return error.code >= 100 && error.code < 600 ? error.code : undefined;
}

function isMalformed(error: unknown): boolean {
  return error instanceof Error && /^\$?ZodError$/.test(error.name);
}

/** A server's own error, with its text and number. */
export function describeAnswer(error: unknown, columns: number): string {
  if (isMalformed(error)) return MALFORMED;
  const text = errorMessage(error)
    .replace(`MCP error ${CONNECTION_LOST}: `, "")
    .replace(/^(?:MCP error (-?\d+): )+/, "error $1: ");
  return oneLine(text, columns);
}

/** The problem with a remote server, in a few words on one line. */
export function describeRemote(error: unknown): string {
  if (isMalformed(error)) return MALFORMED;
  const status = httpStatus(error);
  const text = errorMessage(error)
    .replace(/^(?:Streamable HTTP|SSE) error: /, "")
    .replace(/^(?:Error POSTing to endpoint(?: \(HTTP \d+\))?|Failed to open SSE stream): ?/, "");
  if (status !== undefined)
    return oneLine(`it answered ${status}${text.trim() === "" ? "" : `: ${text}`}`, MAX_COLUMNS);
  const code = errorCode(error) ?? (error instanceof Error ? errorCode(error.cause) : undefined);
  if (code !== undefined) return `it is unreachable (${NETWORK_CODES[code] ?? code})`;
  // Node only says "fetch failed"; the reason is in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return cause === "" ? describeAnswer(error, MAX_COLUMNS) : oneLine(`it is unreachable (${cause})`, MAX_COLUMNS);
}

/**
 * The error code that Quoll gives a pending request when its connection ends. The code is in JSON-RPC's range for
 * implementations, but servers do not use it (most use -32000 for any error).
 */
export const CONNECTION_LOST = -32097;
export const CONNECTION_LOST_MESSAGE = "the connection was lost before the answer came";
