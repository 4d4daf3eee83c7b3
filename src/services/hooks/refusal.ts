import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { jsonObjectsIn } from "./json-objects.ts";
import { ANSWER_FIELDS, knownAnswer, permissionWord, verdictWord } from "./known-answer.ts";

const DECISIONS: readonly unknown[] = ["approve", "allow", "block", "deny", "ask", "defer"];
const REFUSING_DECISIONS: readonly unknown[] = ["block", "deny"];
/** From the strictest on. */
const TIGHTENING = ["deny", "ask", "defer"] as const;
const REFUSING_ACTIONS: readonly unknown[] = ["decline", "cancel"];
/** Tests text that is no valid JSON for the verdict of an answer. */
const REFUSING_TEXT =
  /["'](?:permissionDecision|permission|decision)["']\s*:\s*["'](?:deny|denied|block|blocked|ask|reject)["']/i;
/** The same without quotes around the name, as in JavaScript, and `continue: False`, as Python prints it. */
const REFUSING_LITERAL =
  /[{,]\s*(?:(?:permissionDecision|decision)\s*:\s*["'](?:deny|block|ask)["']|["']?continue["']?\s*:\s*["']?false\b)/i;
const VERDICT_NAME = /decision|permission|verdict|behavior/i;
const VERDICT_FIELDS: readonly string[] = ["decision", "permission", "permissionDecision", "permissionDecisionReason"];
const REFUSING_WORD = /^(?:deny|block|ask)$/;
/** Fields with the content of others: the input of a hook, which some hooks print, and what an answer replaces it with. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  ...["tool_input", "tool_response", "updatedInput", "updatedPermissions"],
  ...["updatedToolOutput", "updatedMCPToolOutput", "content"],
]);
const MAX_DEPTH = 6;

/** True if text that no program can read contains something like a refusal. */
export function hasBrokenRefusal(text: string): boolean {
  const plain = text.startsWith('"') ? text.replaceAll('\\"', '"') : text;
  return REFUSING_TEXT.test(plain) || REFUSING_LITERAL.test(plain) || isRefusingWord(plain);
}

/** The path of a field that refuses, at any depth, but is no field of answers; undefined if there is none. */
export function strangeRefusal(value: unknown, known = VERDICT_FIELDS, depth = MAX_DEPTH): string | undefined {
  if (depth === 0 || typeof value !== "object" || value === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    if (CONTENT_FIELDS.has(name)) continue;
    if (VERDICT_NAME.test(name) && !known.includes(name) && isRefusingWord(part)) return name;
    const inner = strangeRefusal(part, name === "hookSpecificOutput" ? known : [], depth - 1);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

function isRefusingWord(value: unknown): boolean {
  return REFUSING_WORD.test(String(verdictWord(value)));
}

/** True if an object has a field of an answer. */
export function isAnswer(value: JsonObject): boolean {
  return ANSWER_FIELDS.some((name) => Object.hasOwn(knownAnswer(value), name));
}

/** The answers among objects of other output. Compilers and test runners print a `reason` or a `decision` too. */
export function answersAmong(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects
    .map(knownAnswer)
    .filter(
      ({ hookSpecificOutput, permissionDecision, permission, decision, systemMessage, continue: goesOn }) =>
        isJsonObject(hookSpecificOutput) ||
        [permissionDecision, permission, decision].some((said) => DECISIONS.includes(verdictWord(said))) ||
        typeof systemMessage === "string" ||
        goesOn === false,
    );
}

/** The refusal among other output; undefined if there is none. */
export function refusalAmong(output: string): JsonObject | undefined {
  return refusalIn(jsonObjectsIn(output).objects);
}

/**
 * The parts of answers that refuse or ask. Any program can print JSON that looks like an answer, so an answer among
 * other output must not allow or change anything.
 */
export function refusalIn(answers: readonly JsonObject[]): JsonObject | undefined {
  const parts = answers.map((answer) => refusingPart(knownAnswer(answer)));
  const specific = parts.flatMap((part) => part.specific);
  const top = Object.assign({}, ...parts.map((part) => part.top).toReversed());
  // The strictest of several verdicts counts.
  const strictest = specific.find((one) => one["permissionDecision"] === "deny");
  const merged = Object.assign({}, ...specific.toReversed(), strictest);
  const refusal = { ...top, ...(specific.length > 0 && { hookSpecificOutput: merged }) };
  return Object.keys(refusal).length > 0 ? refusal : undefined;
}

/** The verdict that refuses or asks most; undefined if none does. */
export function strictestVerdict(given: readonly unknown[]): "deny" | "ask" | "defer" | undefined {
  const words = given.map(permissionWord);
  return TIGHTENING.find((one) => words.includes(one));
}

function refusingPart(answer: JsonObject): { readonly top: JsonObject; readonly specific: readonly JsonObject[] } {
  const { decision, reason, continue: goesOn, stopReason } = answer;
  const nested = answer["hookSpecificOutput"];
  const inner = isJsonObject(nested) ? nested : {};
  const said = verdictWord(decision);
  const given = [inner, answer].flatMap((one) => [one["permissionDecision"], one["permission"]]);
  const verdict = strictestVerdict([...given, said === "ask" ? said : undefined]);
  const why = inner["permissionDecisionReason"] ?? answer["permissionDecisionReason"] ?? reason;
  const { decision: request, action } = inner;
  const specific = {
    ...(verdict && { permissionDecision: verdict, permissionDecisionReason: why }),
    ...(isJsonObject(request) && permissionWord(request["behavior"]) === "deny" && { decision: request }),
    ...(REFUSING_ACTIONS.includes(action) && { action }),
  };
  const top = {
    ...(REFUSING_DECISIONS.includes(said) && { decision: said, reason }),
    ...(goesOn === false && { continue: false, stopReason }),
  };
  return { top, specific: Object.keys(specific).length > 0 ? [specific] : [] };
}

/** The reason in a refusal; undefined if it gives none. */
export function refusalReason(refusal: JsonObject | undefined): string | undefined {
  const inner = refusal?.["hookSpecificOutput"];
  const specific = isJsonObject(inner) ? inner : {};
  const texts = [refusal?.["reason"], specific["permissionDecisionReason"], refusal?.["stopReason"]];
  return texts.find((text) => typeof text === "string" && text !== "") as string | undefined;
}
