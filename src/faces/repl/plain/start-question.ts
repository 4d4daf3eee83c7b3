import type { StartQuestion } from "../layers/trust-state.ts";
import { revealLine } from "../view/reveal.ts";
import { eachWithRole, ROLES, withRole } from "./spoken-text.ts";

/** A question before the session begins: whether a folder is trusted, or its content approved. */
export function startQuestionLines({
  title,
  root,
  reasons,
  intro,
  notes,
  options,
}: StartQuestion<string>): readonly string[] {
  return [
    ...withRole("question", [title]),
    `Folder: ${revealLine(root)}`,
    ...(reasons.length > 0 ? [intro, ...eachWithRole("warning", reasons.map(revealLine))] : []),
    notes.join(" "),
    ...options.map(({ key, label }) => `${key === "esc" ? "Ctrl+D" : key}: ${label}`),
    "Type a number, then enter.",
  ];
}

const EARLY = { kept: "waits for the prompt", dropped: "is no answer" } as const;

type Option = StartQuestion<string>["options"][number];

/** The answer in words, because its effect is not told otherwise. */
export function startAnswerLine({ label }: Pick<Option, "label">): string {
  return `${ROLES.notice}: You said: ${label}.`;
}

/**
 * Why a line was no answer.
 * @param early What happens with a line that came before the question could be heard; absent for a later line.
 */
export function unusedAnswerLine(options: readonly Option[], early?: "kept" | "dropped"): string {
  const keys = options.map(({ key }) => key).filter((key) => key !== "esc");
  const what = early ? `That line came before the question, so it ${EARLY[early]}. ` : "";
  return `${ROLES.notice}: ${what}Type ${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}, then enter.`;
}
