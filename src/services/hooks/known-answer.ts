import { isJsonObject, type JsonObject } from "../../contracts/message.ts";

/** The fields of an answer, outside its `hookSpecificOutput`. */
export const ANSWER_FIELDS = [
  ...["async", "continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"],
  ...["permissionDecision", "permissionDecisionReason"],
] as const;
const SPECIFIC_FIELDS = [
  ...["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
  ...["updatedToolOutput", "updatedMCPToolOutput", "decision", "watchPaths", "retry", "action", "content"],
  ...["worktreePath", "displayContent"],
] as const;
const WORDS: ReadonlyMap<unknown, string> = new Map([
  ...["denied", "reject", "rejected", "refuse", "refused"].map((word) => [word, "deny"] as const),
  ["blocked", "block"],
]);

/** A verdict in the form of the protocol; other values stay as they are. */
export function verdictWord(value: unknown): unknown {
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  return WORDS.get(word) ?? word;
}

/** A verdict that has no word of its own for a block. */
export function permissionWord(value: unknown): unknown {
  const word = verdictWord(value);
  return word === "block" ? "deny" : word;
}

/**
 * An answer with the names of fields that Quoll knows. Scripts in other languages write `hook_specific_output` or
 * `Decision`, the text "false", or `"block": true`, which means the same as `"decision": "block"`.
 */
export function knownAnswer(value: JsonObject): JsonObject {
  const { block, ...answer } = named(value, ANSWER_FIELDS);
  const { hookSpecificOutput: nested } = answer;
  const specific = isJsonObject(nested) ? named(nested, SPECIFIC_FIELDS) : {};
  const stops = [answer["continue"], specific["continue"]].some((one) => String(verdictWord(one)) === "false");
  return {
    ...answer,
    ...(block === true ? { decision: "block" } : block !== undefined && { block }),
    ...(stops && { continue: false }),
    ...(isJsonObject(nested) && { hookSpecificOutput: specific }),
  };
}

/** A field that stands in the object by its own name too keeps the value of that name. */
function named(object: JsonObject, fields: readonly string[]): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => {
    const known = Object.hasOwn(object, name) && fields.find((field) => plain(field) === plain(name));
    return [known && !Object.hasOwn(object, known) ? known : name, value] as const;
  });
  return Object.fromEntries(entries);
}

function plain(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}
