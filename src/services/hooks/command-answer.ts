import type { JsonObject } from "../../contracts/message.ts";
import { refusalAmong, refusalReason } from "./refusal.ts";
import { firstLine, isRead, textAnswer } from "./text-answer.ts";

const BLOCKING_CODE = 2;
const MEGABYTE = 1024 * 1024;
/** Limit for the answer of a hook; longer context goes to a file anyway. */
export const MAX_ANSWER_BYTES = MEGABYTE;
export const TOO_LONG = `more than ${MAX_ANSWER_BYTES / MEGABYTE} MB`;

export type CommandEnd = {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** True if stdout was longer than `MAX_ANSWER_BYTES`, so that its end is missing. */
  readonly isCut?: boolean;
};

/**
 * The answer of a command by its exit code: 0 means its output, 2 blocks with the text of stderr, and every other code is a
 * failure, unless the command printed a refusal.
 * @throws {Error} one phrase: the command failed, or its output is invalid.
 */
export function commandAnswer(event: string, { exitCode, stdout, stderr, isCut = false }: CommandEnd): JsonObject {
  if (exitCode === 0) {
    if (isCut && isRead(event, stdout)) throw new Error(`it printed ${TOO_LONG}`);
    const answer = textAnswer(event, stdout);
    // The part that is missing could contain a refusal.
    const isEmpty = Object.keys(answer).length === 0;
    if (isCut && isEmpty) throw new Error(`it printed ${TOO_LONG}`);
    if (isEmpty && refusalAmong(stderr)) throw new Error("it printed its answer to stderr instead of stdout");
    return answer;
  }
  const refusal = refusalAmong(stdout);
  const said = stderr.trim() || refusalReason(refusal) || stdout.trim();
  if (exitCode === BLOCKING_CODE) return blockingAnswer(event, said);
  if (refusal) return refusal;
  const code = exitCode === undefined ? "a signal ended it" : `it ended with exit code ${exitCode}`;
  throw new Error(said === "" ? code : `${code}: ${firstLine(said)}`);
}

/** A refusal, phrased for the event. */
export function blockingAnswer(event: string, reason: string): JsonObject {
  switch (event) {
    case "PermissionRequest":
      return { hookSpecificOutput: { decision: { behavior: "deny", message: reason } } };
    case "Elicitation":
    case "ElicitationResult":
      return { hookSpecificOutput: { action: "decline" } };
    default:
      return { decision: "block", reason };
  }
}
