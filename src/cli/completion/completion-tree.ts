import type { Command, Option } from "commander";

/** A word with what it means. */
export type CompletedWord = { readonly word: string; readonly meaning: string };

export type CompletedOption = {
  /** `--model`, or `-p` and `--print`. */
  readonly names: readonly string[];
  readonly meaning: string;
  /** The values that are known; absent for an option without a value. */
  readonly values?: readonly string[];
};

/** A command with all that can follow it. */
export type CompletedCommand = {
  /** The words that lead to it: ` config get`, each with a space before it; empty for `quoll` itself. */
  readonly path: string;
  readonly commands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** The known values of its arguments. */
  readonly values: readonly string[];
};

/** Values that the declaration of the program does not hold, by an option's name or a command's path. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

/** The commands of a program, the program itself first. */
export function completionTree(program: Command, known: KnownValues, path = ""): readonly CompletedCommand[] {
  const help = program.createHelp();
  const commands = program.commands.map((command) => ({ word: command.name(), meaning: command.description() }));
  const options = help.visibleOptions(program).map((option) => completedOption(option, known));
  const values = program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const own = { path, commands, options, values: [...values, ...(known[path] ?? [])] };
  return [own, ...program.commands.flatMap((command) => completionTree(command, known, `${path} ${command.name()}`))];
}

function completedOption(option: Option, known: KnownValues): CompletedOption {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const meaning = option.description;
  if (!option.required && !option.optional) return { names, meaning };
  return { names, meaning, values: option.argChoices ?? known[option.long ?? ""] ?? [] };
}
