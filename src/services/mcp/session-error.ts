import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { ANSWER_LOST } from "./answer-lost.ts";
import { oneLine } from "./last-words.ts";

const MAX_COLUMNS = 300;
/** Names of the runtimes for what a socket said. */
const NETWORK_CODES: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "there is no such host",
  FailedToOpenSocket: "connection refused",
};

/** A server could not be reached, or did not behave while it started. The message is one line, safe to print. */
export class McpStartError extends Error {
  override name = "McpStartError";
  readonly needsAuth: boolean;
  constructor(
    message: string,
    { needsAuth = false, ...options }: ErrorOptions & { readonly needsAuth?: boolean } = {},
  ) {
    super(message, options);
    this.needsAuth = needsAuth;
  }
}

/** A call that took too long; the server was told that nobody waits any more. */
export class CallLimitError extends Error {
  override name = "CallLimitError";
}

/** The HTTP status that a remote server answered with, or undefined. */
export function httpStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") return undefined;
  // A JSON-RPC error has a number of its own, which may look like one.
  if (error.name === "McpError") return undefined;
  return error.code >= 100 && error.code < 600 ? error.code : undefined;
}

/** A server's own error, in its words and with its number. */
export function describeAnswer(error: unknown, columns: number): string {
  const text = errorMessage(error)
    .replace(`MCP error ${ANSWER_LOST}: `, "")
    .replace(/^MCP error (-?\d+): /, "error $1: ");
  return oneLine(text, columns);
}

/** What went wrong with a remote server, in a few words on one line. */
export function describeRemote(error: unknown): string {
  if (error instanceof Error && /^\$?ZodError$/.test(error.name)) return "its answer is not what the protocol asks for";
  const status = httpStatus(error);
  const text = errorMessage(error)
    .replace(/^(?:Streamable HTTP|SSE) error: /, "")
    .replace(/^(?:Error POSTing to endpoint(?: \(HTTP \d+\))?|Failed to open SSE stream): ?/, "");
  if (status !== undefined)
    return oneLine(`it answered ${status}${text.trim() === "" ? "" : `: ${text}`}`, MAX_COLUMNS);
  const code = errorCode(error) ?? (error instanceof Error ? errorCode(error.cause) : undefined);
  if (code !== undefined) return `it can't be reached (${NETWORK_CODES[code] ?? code})`;
  // Node says no more than "fetch failed", and why in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return cause === "" ? describeAnswer(error, MAX_COLUMNS) : oneLine(`it can't be reached (${cause})`, MAX_COLUMNS);
}
