import type { Question } from "../../contracts/permission.ts";
import { capName, inUnit, limitLine, type OverCap } from "./cap-words.ts";

/** Asks whether more may be spent: for one request, or by raising each cap by its own amount. */
export function spendQuestion(over: readonly OverCap[]): Omit<Question, "id"> {
  const raised = over.map(({ cap, limit }) => `${capName(cap)} to ${inUnit(cap.unit, limit + cap.limit)}`);
  const offer = `"Raise the cap" lifts, for this session, ${raised.join(" and ")}.`;
  return {
    kind: "spend",
    toolUseId: "",
    toolName: "",
    title: "Spend more than the cap?",
    preview: { kind: "text", text: [...over.map(limitLine), offer].join("\n") },
    reason: over.map(({ cap }) => cap.setting).join(", "),
    hazards: [],
    suggestions: [],
    sessionRules: [],
  };
}
