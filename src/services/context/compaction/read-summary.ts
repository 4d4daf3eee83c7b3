import { type AssistantMessage, textOf, toolUses } from "../../../contracts/message.ts";

const HEADINGS = ["Goal", "Decisions", "Files", "Open points", "Next step"] as const;
/** A summary without these sections is refused the first time, because the work continues from them. */
const NEEDED = ["Goal", "Next step"] as const;
/** A shorter text without the sections is an excuse, not a summary. */
const MIN_PROSE_CHARS = 100;
const EXCUSE = /^\W*(?:I['’]m sorry|I am sorry|sorry\b|I can(?:no|['’])t|I am unable|I['’]m unable|I won['’]t)/i;

/** The summary in an answer, or the problem in one phrase. */
export type ReadSummary = { readonly text: string } | { readonly problem: string };

/**
 * Reads the summary that a model wrote.
 * @param takesProse True to accept a text that lacks the form, or its end.
 */
export function readSummary(answer: AssistantMessage, takesProse: boolean): ReadSummary {
  if (toolUses(answer).length > 0) return { problem: "the model called a tool instead" };
  if (answer.stopReason === "refusal") return { problem: "the model declined to write it" };
  const whole = textOf(answer.content);
  const text = (/<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(whole)?.[1] ?? whole).trim();
  if (text === "") return { problem: "it is empty" };
  const missing = NEEDED.filter((heading) => sectionOf(text, heading) === "");
  if (takesProse && text.length >= MIN_PROSE_CHARS && !EXCUSE.test(text)) return { text };
  if (missing.length > 0)
    return {
      problem: `its ${missing.length === 1 ? "part" : "parts"} "${missing.join('" and "')}" ${missing.length === 1 ? "is" : "are"} missing`,
    };
  if (answer.stopReason === "max_tokens" && !whole.includes("</summary>")) return { problem: "it was cut off" };
  return { text };
}

function sectionOf(text: string, heading: (typeof HEADINGS)[number]): string {
  const rest = text.split(new RegExp(`^#+ *${heading}\\b.*$`, "im"))[1] ?? "";
  const others = new RegExp(`^#+ *(?:${HEADINGS.join("|")})\\b`, "im");
  return (rest.split(others)[0] ?? "").trim();
}
