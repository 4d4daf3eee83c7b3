import type { NewQuestion } from "../../contracts/question.ts";

const MAX_NAMED = 10;

/** Builds the question whether new entries with protected names may stay. @param names As shown to the person. */
export function newEntryQuestion(names: readonly string[]): NewQuestion {
  const more = names.length - MAX_NAMED;
  const list = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return {
    kind: "keep",
    toolUseId: "",
    toolName: "",
    title: names.length === 1 ? "Keep this new entry?" : "Keep these new entries?",
    preview: { kind: "text", text: list },
    reason: "A command in the sandbox may have created this.",
    hazards: ["agents, editors, git or other tools outside the sandbox obey such files"],
    suggestions: [],
    sessionRules: [],
  };
}
