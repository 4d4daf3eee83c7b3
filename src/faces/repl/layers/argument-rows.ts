import type { Row } from "./mention-rows.ts";
import type { Completion, Ui, UiContext } from "./ui-state.ts";

/** A command that can offer arguments, and what is typed of one: `/model son`. */
type TypedArgument = { readonly text: string; readonly name: string; readonly typed: string };

/** The argument being typed; undefined while no list of arguments may open. */
export function typedArgument(
  { editor: { text, cursor }, completion }: Pick<Ui, "editor" | "completion">,
  commands: readonly Completion[],
): TypedArgument | undefined {
  if (completion.isDismissed || cursor !== text.length) return undefined;
  const [, written = "", typed] = /^\/([\w:.-]+) +([^\n]*)$/.exec(text) ?? [];
  if (typed === undefined) return undefined;
  const wanted = written.toLowerCase();
  const command = commands.find(({ name, aliases = [] }) => name === wanted || aliases.includes(wanted));
  return command?.completes ? { text, name: command.name, typed } : undefined;
}

/** The arguments that continue the typed one. Until those for the newest text come, the older ones that begin so. */
export function argumentRows(ui: Ui, { offered, commands }: UiContext): readonly Row[] {
  const argument = typedArgument(ui, commands);
  if (!argument || !offered) return [];
  const { text, typed } = argument;
  const from = text.length - typed.length;
  if (offered.text.slice(0, from) !== text.slice(0, from)) return [];
  const isNewest = offered.text === text;
  const found = isNewest ? offered.found : offered.found.filter(({ value }) => value.startsWith(typed));
  // A complete argument is no longer completed, so that Enter runs the command.
  if (found.some(({ value }) => value === typed.trim())) return [];
  return found.map(({ value, summary, isGuess }) => ({
    ...{ name: value, summary, argumentHint: "", from, isArgument: true },
    ...(isGuess && { isGuess }),
  }));
}
