import type { Command, Option } from "commander";

/** A word with its meaning. */
export type CompletedWord = { readonly word: string; readonly meaning: string };

export type CompletedOption = {
  /** `--model`, or `-p` and `--print`. */
  readonly names: readonly string[];
  readonly meaning: string;
  /** The values that are known; absent for an option without a value. */
  readonly values?: readonly string[];
};

/** A command with everything that can follow it. */
export type CompletedCommand = {
  /** The preceding words: ` config get`, each with a space before it; empty for `quoll` itself. */
  readonly path: string;
  readonly commands: readonly CompletedWord[];
  readonly options: readonly CompletedOption[];
  /** The known values of its arguments. */
  readonly values: readonly string[];
  /** A shell command that prints further values, one per line. */
  readonly source?: string;
  /** The known values of an argument, by the preceding argument. */
  readonly following: Readonly<Record<string, readonly string[]>>;
};

/** Values that are not in the declaration of the program. */
export type KnownValues = {
  /** Values by the name of an option or the path of a command. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** `source` of a command, by its path. */
  readonly sources: Readonly<Record<string, string>>;
  /** `following` of a command, by its path. */
  readonly following: Readonly<Record<string, CompletedCommand["following"]>>;
};

/** The commands of a program, the program itself first. */
export function completionTree(program: Command, known: KnownValues, path = ""): readonly CompletedCommand[] {
  const help = program.createHelp();
  const commands = program.commands.map((command) => ({ word: command.name(), meaning: command.description() }));
  const options = help.visibleOptions(program).map((option) => completedOption(option, known));
  const values = program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const source = known.sources[path];
  const own = {
    path,
    commands,
    options,
    following: known.following[path] ?? {},
    values: [...values, ...(known.words[path] ?? [])],
    ...(source !== undefined && { source }),
  };
  return [own, ...program.commands.flatMap((command) => completionTree(command, known, `${path} ${command.name()}`))];
}

function completedOption(option: Option, known: KnownValues): CompletedOption {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const meaning = option.description;
  if (!option.required && !option.optional) return { names, meaning };
  return { names, meaning, values: option.argChoices ?? known.words[option.long ?? ""] ?? [] };
}
