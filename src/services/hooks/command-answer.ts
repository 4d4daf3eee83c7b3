import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";

/** Events whose hooks may answer with plain text, which becomes context for the model. */
const TEXT_EVENTS: ReadonlySet<string> = new Set(["SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion"]);
const BLOCKING_CODE = 2;
const MEGABYTE = 1024 * 1024;
/** Limit for the answer of a hook; longer context goes to a file anyway. */
export const MAX_ANSWER_BYTES = MEGABYTE;
export const TOO_LONG = `more than ${MAX_ANSWER_BYTES / MEGABYTE} MB`;
const MAX_SHOWN_CHARS = 300;

export type CommandEnd = {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** True if stdout was longer than `MAX_ANSWER_BYTES`, so that its end is missing. */
  readonly isCut?: boolean;
};

/**
 * The answer of a command by its exit code: 0 means its output, 2 blocks with the text of stderr, and every other code is a
 * failure.
 * @throws {Error} one phrase: the command failed, or its output is invalid.
 */
export function commandAnswer(event: string, { exitCode, stdout, stderr, isCut = false }: CommandEnd): JsonObject {
  if (exitCode === 0) {
    if (isCut && isRead(event, stdout)) throw new Error(`it printed ${TOO_LONG}`);
    return textAnswer(event, stdout);
  }
  const said = stderr.trim() || stdout.trim();
  if (exitCode === BLOCKING_CODE) return blockingAnswer(event, said);
  const code = exitCode === undefined ? "a signal ended it" : `it ended with exit code ${exitCode}`;
  throw new Error(said === "" ? code : `${code}: ${firstLine(said)}`);
}

/** True if the output is an answer; any other output is ignored. */
function isRead(event: string, output: string): boolean {
  return TEXT_EVENTS.has(event) || output.trimStart().startsWith("{");
}

/** The answer in a text: JSON if the text begins with a brace. @throws {Error} one phrase: the JSON is invalid. */
export function textAnswer(event: string, output: string): JsonObject {
  const text = output.trim();
  // Commands that make a worktree print nothing but its folder.
  if (event === "WorktreeCreate" && /^\/[^\n]*$/.test(text)) return { hookSpecificOutput: { worktreePath: text } };
  if (!text.startsWith("{")) {
    return TEXT_EVENTS.has(event) && text !== "" ? { hookSpecificOutput: { additionalContext: text } } : {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`its output begins with { but is not JSON (${firstLine(errorMessage(error))})`, { cause: error });
  }
  if (!isJsonObject(value)) throw new Error("its output is not a JSON object");
  return value;
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

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, MAX_SHOWN_CHARS);
}
