import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import { type AssistantBlock, type AssistantMessage, textOf } from "../../contracts/message.ts";

type Answer = Extract<EngineEvent, { type: "assistant_message" }>;

/** The answer for readers: the text that hooks want shown replaces the first text of the model. */
export function shownMessage({ message, displayText: text }: Answer): AssistantMessage {
  if (text === undefined) return message;
  const first = message.content.findIndex(({ type }) => type === "text");
  const content = message.content.flatMap((block, index): readonly AssistantBlock[] => {
    if (block.type !== "text") return [block];
    return index === first && text !== "" ? [{ type: "text", text }] : [];
  });
  return { ...message, content };
}

/** The report with the text that hooks want shown. A text that combines several answers stays unchanged. */
export function shownReport(report: TurnReport, last: Answer | undefined): TurnReport {
  const isLast = last?.displayText !== undefined && textOf(last.message.content) === report.text;
  return isLast ? { ...report, text: last.displayText ?? report.text } : report;
}
