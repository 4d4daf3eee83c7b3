import { partsOf } from "./command-parts.ts";
import type { OptionTable } from "./option-table.ts";
import { type ScannedOptions, scanOptions } from "./scan-options.ts";
import { OPTION_TABLES } from "./tables/options.ts";
import type { ShellWord, SimpleCommand, UncoveredWord } from "./types.ts";

const TABLES: ReadonlyMap<string, OptionTable> = new Map(OPTION_TABLES.map((table) => [table.name, table]));
const KNOWN: ReadonlySet<string> = new Set(TABLES.keys());

/** Programs of which there are variants for other machines: `x86_64-linux-gnu-gcc`, `llvm-ar`. */
const CROSS =
  /^(?:llvm-|(?:[a-z0-9_]+-){2,4})(?=(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld|ar|nm|objdump|ranlib|strip)(?:-|\.|$))/;
const VARIANT = /\.(?:tiny|small|basic|huge|nox|gtk3?|athena|bfd|gold|lld|mold)$/;
const VERSION = /-?\d+(?:\.\d+)*$/;

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

/**
 * The source of the commands that a program reads from its input, unless they are known to start no program: a redirect as
 * written, or "its input" for a pipe. Undefined if the program reads none.
 */
function uncoveredInput(
  { readsCommands }: OptionTable,
  { seen, operands }: ScannedOptions,
  { redirects, isPiped }: SimpleCommand,
): string | undefined {
  if (readsCommands === undefined) return undefined;
  const { unless, operands: enough = Number.POSITIVE_INFINITY, code, plainFiles } = readsCommands;
  if (operands >= enough || unless.some((option) => seen.has(option))) return undefined;
  const inputs = redirects.filter(({ direction }) => direction === "read" || direction === "inline");
  const unsure = inputs.find(({ direction, target, body }) => {
    const text = body ? body.text : target.value;
    if (direction === "read") return text === undefined || plainFiles?.test(text) !== true;
    return text === undefined || code.test(text);
  });
  return unsure?.source ?? (isPiped && inputs.length === 0 ? "its input" : undefined);
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

/** The name of the program itself for a variant or a version of it: `gcc-13`, `ld.gold`, `vim.tiny`. */
function plainProgramName(name: string): string {
  return name.replace(CROSS, "").replace(VERSION, "").replace(VARIANT, "");
}
