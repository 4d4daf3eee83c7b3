import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import { ANSWER_LOST } from "./answer-lost.ts";
import { CallLimitError, describeAnswer, describeRemote, httpStatus } from "./session-error.ts";

const MAX_ANSWER_COLUMNS = 2_000;

export type FailedCall = {
  readonly error: unknown;
  /** Safe to print. */
  readonly server: string;
  /** Why the connection ended meanwhile; undefined when it did not. */
  readonly lost: string | undefined;
  /** True for a program: any trouble with its pipes is its end. */
  readonly isProgram: boolean;
};

export type CallFailure = {
  /** For the model: what happened, and whether a part may be done. */
  readonly error: ToolFailedError;
  /** True when nothing was heard of the server at all: after some of these it is connected anew. */
  readonly isUnreached: boolean;
};

/** What a failed call means. A call that may have run is never made again by itself. */
export function callFailure({ error, server, lost, isProgram }: FailedCall): CallFailure {
  const name = `The MCP server "${server}"`;
  const failure = (text: string, isUnreached = false): CallFailure => ({
    error: new ToolFailedError(text, { cause: error }),
    isUnreached,
  });
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

/** The server no longer knows our session (streamable HTTP) and has not looked at the call: it may be made again. */
export function isForgottenSession(error: unknown): boolean {
  return httpStatus(error) === 404;
}

function isAnswerLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === ANSWER_LOST;
}

/** A JSON-RPC error is an answer: the server lives and has said no. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === "McpError" && errorMessage(error) !== "";
}
