import type { StartQuestion } from "../layers/trust-state.ts";
import { revealLine } from "../view/reveal.ts";
import { eachWithRole, withRole } from "./spoken-text.ts";

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
