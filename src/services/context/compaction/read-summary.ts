import { type AssistantMessage, textOf, toolUses } from "../../../contracts/message.ts";

const HEADINGS = ["Goal", "Decisions", "Files", "Open points", "Next step"] as const;
/** A summary without these sections is refused, because the work can't continue from it. */
const NEEDED = ["Goal", "Next step"] as const;

/** The summary in an answer, or the problem in one phrase. */
export type ReadSummary = { readonly text: string } | { readonly problem: string };

/** Reads the summary that a model wrote. */
export function readSummary(answer: AssistantMessage): ReadSummary {
  if (toolUses(answer).length > 0) return { problem: "the model called a tool instead" };
  const whole = textOf(answer.content);
  const text = (/<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(whole)?.[1] ?? whole).trim();
  if (text === "") return { problem: "it is empty" };
  const missing = NEEDED.filter((heading) => sectionOf(text, heading) === "");
  if (missing.length > 0) return { problem: `its part "${missing.join('" and "')}" is missing` };
  if (answer.stopReason === "max_tokens" && !whole.includes("</summary>")) return { problem: "it was cut off" };
  return { text };
}

function sectionOf(text: string, heading: (typeof HEADINGS)[number]): string {
  const rest = text.split(new RegExp(`^#+ *${heading}\\b.*$`, "im"))[1] ?? "";
  const others = new RegExp(`^#+ *(?:${HEADINGS.join("|")})\\b`, "im");
  return (rest.split(others)[0] ?? "").trim();
}
