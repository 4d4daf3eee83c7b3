import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { jsonObjectsIn } from "./json-objects.ts";
import { answersAmong, hasBrokenRefusal, refusalIn, strangeRefusal } from "./refusal.ts";

/** Events whose hooks may answer with plain text, which becomes context for the model. */
const TEXT_EVENTS: ReadonlySet<string> = new Set(["SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion"]);
const ONLY_CONTEXT_EVENTS: ReadonlySet<string> = new Set(["SessionStart", "Setup"]);
const MAX_SHOWN_CHARS = 300;

/** True if the output is an answer as a whole; other output is only searched for a refusal. */
export function isRead(event: string, output: string): boolean {
  return TEXT_EVENTS.has(event) || output.trimStart().startsWith("{");
}

/**
 * The answer in a text: the text is one JSON object, or contains a refusal among other text.
 * @throws {Error} one phrase: there is an answer that can't be used.
 */
export function textAnswer(event: string, output: string): JsonObject {
  const text = output.trim();
  // Commands that make a worktree print nothing but its folder.
  if (event === "WorktreeCreate" && /^\/[^\n]*$/.test(text)) return { hookSpecificOutput: { worktreePath: text } };
  const startsAsJson = text.startsWith("{");
  let problem: string | undefined;
  if (startsAsJson) {
    try {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) return value;
    } catch (error) {
      problem = `its output begins with { but is not JSON (${firstLine(errorMessage(error))})`;
    }
  }
  const { objects, rest } = jsonObjectsIn(text);
  const answers = answersAmong(objects);
  const refusal = refusalIn(answers);
  if (refusal) return refusal;
  const canRefuse = !ONLY_CONTEXT_EVENTS.has(event);
  if (!startsAsJson && canRefuse) {
    if (hasBrokenRefusal(rest)) throw new Error("it printed something like a refusal that is not JSON");
    const strange = objects.map((one) => strangeRefusal(one)).find((name) => name !== undefined);
    if (strange !== undefined)
      throw new Error(`it printed a refusal in \`${strange}\`, which is no field of its answer`);
  }
  if (TEXT_EVENTS.has(event) && !startsAsJson)
    return text === "" ? {} : { hookSpecificOutput: { additionalContext: text } };
  if (answers.length > 0)
    throw new Error("it printed other text beside its answer, which then counts only if it refuses");
  if (problem !== undefined) throw new Error(problem);
  return {};
}

/** The first line of a text, cut for a message. */
export function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, MAX_SHOWN_CHARS);
}
