import type { Question } from "../../contracts/permission.ts";

const MAX_NAMED = 10;

/** Asks whether new entries stay that others obey. @param names As they are shown. */
export function keepQuestion(names: readonly string[]): Omit<Question, "id"> {
  const more = names.length - MAX_NAMED;
  const list = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return {
    kind: "keep",
    toolUseId: "",
    toolName: "",
    title: names.length === 1 ? "Keep this new entry?" : "Keep these new entries?",
    preview: { kind: "text", text: list },
    reason: "It appeared while a command ran in the sandbox, and that command may have made it.",
    hazards: ["agents, editors, git or other tools obey it outside the sandbox"],
    suggestions: [],
    sessionRules: [],
  };
}
