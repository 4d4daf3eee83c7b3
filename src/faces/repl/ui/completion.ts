import type { Completion, Ui } from "./ui-state.ts";

/** The commands that what is typed may become; none once it has an argument. */
export function completions(ui: Ui, commands: readonly Completion[]): readonly Completion[] {
  const match = /^\/([\w-]*)$/.exec(ui.editor.text);
  if (!match || ui.completion.isDismissed) return [];
  const typed = (match[1] ?? "").toLowerCase();
  const starting = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const holding = commands.filter(({ name }) => !starting.some((other) => other.name === name) && name.includes(typed));
  return [...starting, ...holding];
}

/** The one that Tab or Enter takes. */
export function chosenCompletion(ui: Ui, found: readonly Completion[]): Completion | undefined {
  return found[Math.min(ui.completion.index, found.length - 1)];
}
