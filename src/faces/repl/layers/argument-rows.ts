import type { Row } from "./mention-rows.ts";
import type { Completion, Ui, UiContext } from "./ui-state.ts";

/** A command that offers arguments, and the typed part of an argument: `/model son`. */
type TypedArgument = { readonly text: string; readonly name: string; readonly typed: string };

/** The argument being typed; undefined if no list of arguments may open. */
export function typedArgument(
  ui: Pick<Ui, "editor" | "completion">,
  commands: readonly Completion[],
): TypedArgument | undefined {
  const found = argumentOf(ui, commands);
  return found?.command.completes ? found.argument : undefined;
}

/** The beginning of a folder's path being typed for a command; undefined for other arguments. */
export function typedFolder(
  ui: Pick<Ui, "editor" | "completion">,
  commands: readonly Completion[],
): string | undefined {
  const found = argumentOf(ui, commands);
  return found?.command.takesFolder ? found.argument.typed : undefined;
}

function argumentOf(
  { editor: { text, cursor }, completion }: Pick<Ui, "editor" | "completion">,
  commands: readonly Completion[],
): { readonly command: Completion; readonly argument: TypedArgument } | undefined {
  if (completion.isDismissed || cursor !== text.length) return undefined;
  const [, written = "", typed] = /^\/([\w:.-]+) +([^\n]*)$/.exec(text) ?? [];
  if (typed === undefined) return undefined;
  const wanted = written.toLowerCase();
  const command = commands.find(({ name, aliases = [] }) => name === wanted || aliases.includes(wanted));
  return command && { command, argument: { text, name: command.name, typed } };
}

/**
 * The arguments that continue the typed argument. Until the results for the newest text arrive, matching older results
 * are shown.
 */
export function argumentRows(ui: Ui, context: UiContext): readonly Row[] {
  const { offered, commands } = context;
  const folder = typedFolder(ui, commands);
  if (folder !== undefined) return folderRows(ui, folder, context);
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
    name: value,
    summary,
    argumentHint: "",
    from,
    isArgument: true,
    ...(isGuess && { isGuess }),
  }));
}

/** The folders that begin with the typed path; for a complete path, the folders inside it. */
function folderRows({ editor }: Ui, typed: string, { files }: UiContext): readonly Row[] {
  const from = editor.text.length - typed.length;
  const found = files?.found.filter(({ path }) => path.endsWith("/") && path.startsWith(typed) && path !== typed) ?? [];
  return found.map(({ path }) => ({ name: path, summary: "", argumentHint: "", from, isArgument: true as const }));
}
