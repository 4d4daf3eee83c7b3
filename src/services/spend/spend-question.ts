import type { NewQuestion } from "../../contracts/question.ts";
import { capName, inUnit, limitLine, type OverCap } from "./describe-cap.ts";

/** Asks whether to spend more: for one request, or by raising each cap by its original amount. */
export function spendQuestion(over: readonly OverCap[]): NewQuestion {
  const raised = over.map(({ cap, limit }) => `${capName(cap)} to ${inUnit(cap.unit, limit + cap.limit)}`);
  const offer = `"Raise the cap" raises, for this session, ${raised.join(" and ")}.`;
  return {
    title: "Exceed the spending cap?",
    body: {
      kind: "spend",
      preview: { kind: "text", text: [...over.map(limitLine), offer].join("\n") },
      reason: over.map(({ cap }) => cap.setting).join(", "),
    },
  };
}
