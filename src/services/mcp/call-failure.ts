import { withAdvice } from "../../contracts/advice.ts";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import {
  CallLimitError,
  CONNECTION_LOST,
  describeAnswer,
  describeRemote,
  httpStatus,
} from "./transport/session-error.ts";

/** The result of a request whose caller has aborted. */
export const CANCELLED =
  "Cancelled by the user. The server was told to stop, but a part of the work may be done: check before you call again.";

const LOGIN_ADVICE = "Only the user can log in: don't try it yourself. Tell them, and go on without this server.";
const MAX_ANSWER_COLUMNS = 2_000;

export type FailedCall = {
  readonly error: unknown;
  /** The server's printable name. */
  readonly server: string;
  /** The reason if the connection ended in the meantime. */
  readonly lost: string | undefined;
  /** True for a local program: any error of its pipes means that it has ended. */
  readonly isProgram: boolean;
  /** The reason if a login is missing. */
  readonly need?: string | undefined;
};

export type CallFailure = {
  /** The error for the model, and whether the call may have run in part. */
  readonly error: ToolFailedError;
  /** True if the server did not respond at all: after several such failures it is reconnected. */
  readonly isUnreached: boolean;
};

/** Describes a failed call. A call that may have run is never repeated automatically. */
export function callFailure({ error, server, lost, isProgram, need }: FailedCall): CallFailure {
  const name = `The MCP server "${server}"`;
  const failure = (text: string, isUnreached = false): CallFailure => ({
    error: new ToolFailedError(text, { cause: error }),
    isUnreached,
  });
  if (need !== undefined) {
    const text = `${name} refused this call: ${need}. Nothing was run.`;
    return failure(httpStatus(error) === undefined ? text : withAdvice(text, LOGIN_ADVICE));
  }
  if (error instanceof CallLimitError)
    return failure(`${name} did not finish this call: ${error.message}. It was told to stop; a part may be done.`);
  const why = lost ?? (isAnswerLost(error) || (isProgram && !isAnswer(error)) ? "the connection was lost" : undefined);
  if (why !== undefined)
    return failure(
      `${name} was lost during this call (${why}). A part may be done. The next call starts it again.`,
      true,
    );
  if (isAnswer(error)) return failure(`${name} refused this call: ${describeAnswer(error, MAX_ANSWER_COLUMNS)}`);
  return failure(`${name} failed: ${describeRemote(error)}. It may have done a part of the work.`, true);
}

/** The server no longer knows our session (streamable HTTP) and did not process the call, so it may be repeated. */
export function isForgottenSession(error: unknown): boolean {
  return httpStatus(error) === 404;
}

function isAnswerLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === CONNECTION_LOST;
}

/** A JSON-RPC error is an answer: the server is alive and refused. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === "McpError" && errorMessage(error) !== "";
}
