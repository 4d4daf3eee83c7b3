import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { jsonObjectsIn } from "./json-objects.ts";

/** The fields of an answer, outside its `hookSpecificOutput`. */
const ANSWER_FIELDS = [
  ...["async", "continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"],
  ...["permissionDecision", "permissionDecisionReason"],
] as const;
const DECISIONS: readonly unknown[] = ["approve", "allow", "block", "deny", "ask", "defer"];
const REFUSING_DECISIONS: readonly unknown[] = ["block", "deny"];
const TIGHTENING: readonly unknown[] = ["deny", "ask", "defer"];
const REFUSING_ACTIONS: readonly unknown[] = ["decline", "cancel"];

/** True if an object has a field of an answer. */
export function isAnswer(value: JsonObject): boolean {
  return ANSWER_FIELDS.some((name) => Object.hasOwn(value, name));
}

/** The answers among other output. Compilers and test runners print objects with a `reason` or a `decision` too. */
export function answersAmong(output: string): readonly JsonObject[] {
  return jsonObjectsIn(output).filter(
    ({ hookSpecificOutput, permissionDecision, decision, systemMessage, continue: goesOn }) =>
      isJsonObject(hookSpecificOutput) ||
      DECISIONS.includes(permissionDecision) ||
      DECISIONS.includes(decision) ||
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

function refusingPart(answer: JsonObject): { readonly top: JsonObject; readonly specific: readonly JsonObject[] } {
  const { decision, reason, continue: goesOn, stopReason } = answer;
  const given = answer["hookSpecificOutput"];
  const inner = isJsonObject(given) ? given : {};
  const verdict = inner["permissionDecision"] ?? answer["permissionDecision"];
  const why = inner["permissionDecisionReason"] ?? answer["permissionDecisionReason"] ?? reason;
  const { decision: request, action } = inner;
  const specific = {
    ...(TIGHTENING.includes(verdict) && { permissionDecision: verdict, permissionDecisionReason: why }),
    ...(isJsonObject(request) && request["behavior"] === "deny" && { decision: request }),
    ...(REFUSING_ACTIONS.includes(action) && { action }),
  };
  const top = {
    ...(REFUSING_DECISIONS.includes(decision) && { decision, reason }),
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
