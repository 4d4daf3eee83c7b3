import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { jsonObjectsIn } from "./json-objects.ts";

/** The fields of an answer, outside its `hookSpecificOutput`. */
const ANSWER_FIELDS = [
  ...["async", "continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"],
  ...["permissionDecision", "permissionDecisionReason"],
] as const;
const DECISIONS: readonly unknown[] = ["approve", "allow", "block", "deny", "ask", "defer"];
const REFUSING_DECISIONS: readonly unknown[] = ["block", "deny"];
/** From the strictest on. */
const TIGHTENING = ["deny", "ask", "defer"] as const;
const REFUSING_ACTIONS: readonly unknown[] = ["decline", "cancel"];
/** Tests text that is no valid JSON for the verdict of an answer. */
const REFUSING_TEXT =
  /["'](?:permissionDecision|permission|decision)["']\s*:\s*["'](?:deny|denied|block|blocked|ask|reject)["']/i;
const VERDICT_NAME = /decision|permission|verdict/i;
const REFUSING_WORD = /^(?:deny|denied|block|blocked|ask|reject|rejected|refuse)$/;

/** A verdict in lower case; other values stay as they are. */
export function verdictWord(value: unknown): unknown {
  return typeof value === "string" ? value.trim().toLowerCase() : value;
}

/** True if other output contains something like a refusal that no program can read. */
export function hasBrokenRefusal(output: string): boolean {
  return REFUSING_TEXT.test(output);
}

/** The name of a field that refuses in an answer but is no field of answers; undefined if there is none. */
export function strangeRefusal(answer: JsonObject, known: readonly string[]): string | undefined {
  const inner = answer["hookSpecificOutput"];
  const fields = [...Object.entries(answer), ...(isJsonObject(inner) ? Object.entries(inner) : [])];
  return fields.find(
    ([name, value]) =>
      VERDICT_NAME.test(name) && !known.includes(name) && REFUSING_WORD.test(String(verdictWord(value))),
  )?.[0];
}

/** True if an object has a field of an answer. */
export function isAnswer(value: JsonObject): boolean {
  return ANSWER_FIELDS.some((name) => Object.hasOwn(value, name));
}

/** The answers among other output. Compilers and test runners print objects with a `reason` or a `decision` too. */
export function answersAmong(output: string): readonly JsonObject[] {
  return jsonObjectsIn(output).filter(
    ({ hookSpecificOutput, permissionDecision, permission, decision, systemMessage, continue: goesOn }) =>
      isJsonObject(hookSpecificOutput) ||
      [permissionDecision, permission, decision].some((said) => DECISIONS.includes(verdictWord(said))) ||
      typeof systemMessage === "string" ||
      goesOn === false,
  );
}

/** The refusal among other output; undefined if there is none. */
export function refusalAmong(output: string): JsonObject | undefined {
  return refusalIn(jsonObjectsIn(output));
}

/**
 * The parts of answers that refuse or ask. Any program can print JSON that looks like an answer, so an answer among
 * other output must not allow or change anything.
 */
export function refusalIn(answers: readonly JsonObject[]): JsonObject | undefined {
  const parts = answers.map(refusingPart);
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
  return TIGHTENING.find((one) => given.includes(one));
}

function refusingPart(answer: JsonObject): { readonly top: JsonObject; readonly specific: readonly JsonObject[] } {
  const { decision, reason, continue: goesOn, stopReason } = answer;
  const nested = answer["hookSpecificOutput"];
  const inner = isJsonObject(nested) ? nested : {};
  const said = verdictWord(decision);
  const given = [inner, answer].flatMap((one) => [one["permissionDecision"], one["permission"]]);
  const verdict = strictestVerdict([...given.map(verdictWord), said === "ask" ? said : undefined]);
  const why = inner["permissionDecisionReason"] ?? answer["permissionDecisionReason"] ?? reason;
  const { decision: request, action } = inner;
  const specific = {
    ...(verdict && { permissionDecision: verdict, permissionDecisionReason: why }),
    ...(isJsonObject(request) && request["behavior"] === "deny" && { decision: request }),
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
