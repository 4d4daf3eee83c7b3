import { partsOf } from "./command-parts.ts";
import type { OptionTable } from "./option-table.ts";
import { uncoveredInput } from "./reads-commands.ts";
import { type ScannedOptions, scanOptions } from "./scan-options.ts";
import { plainProgramName } from "./table-name.ts";
import { OPTION_TABLES } from "./tables/options.ts";
import type { ShellWord, SimpleCommand, UncoveredWord } from "./types.ts";

const TABLES: ReadonlyMap<string, OptionTable> = new Map(OPTION_TABLES.map((table) => [table.name, table]));
const KNOWN: ReadonlySet<string> = new Set(TABLES.keys());

type Part = { readonly table: OptionTable; readonly args: readonly ShellWord[] };

/**
 * The words of a command that an allow rule with a wildcard does not cover: subcommands and options that the
 * program's table doesn't know, and those that start a program or point elsewhere. Empty for a program without a
 * table. The caller removes wrappers first.
 */
export function uncoveredWords(command: SimpleCommand): readonly UncoveredWord[] {
  const found = tabledParts(command).flatMap(({ table, args }) => {
    const scanned = scanOptions(table, args);
    return [...scanned.uncovered, ...inputOf(command, table, scanned)];
  });
  return found.filter(
    ({ word, config }, at) => found.findIndex((other) => other.word === word && other.config === config) === at,
  );
}

function inputOf(command: SimpleCommand, table: OptionTable, scanned: ScannedOptions): readonly UncoveredWord[] {
  const word = uncoveredInput(table, scanned, command);
  return word === undefined ? [] : [{ word, scope: table.name, isCode: true }];
}

/** The output files that options of a command name. */
export function optionOutputs(command: SimpleCommand): readonly string[] {
  return tabledParts(command).flatMap(({ table, args }) => scanOptions(table, args).outputs);
}

/** The command itself, and the program to which it surely passes its words: `npx eslint`. */
function tabledParts(command: SimpleCommand): readonly Part[] {
  const [own, ...passed] = partsOf(command, KNOWN);
  // git's own flags count here, although the command parts leave them out.
  const all = own ? [{ name: own.name, args: command.words.slice(1) }, ...passed] : [];
  return all.flatMap(({ name, args }) => {
    const table = TABLES.get(name) ?? TABLES.get(plainProgramName(name));
    return table ? [{ table, args }] : [];
  });
}
