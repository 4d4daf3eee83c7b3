import type { ReadOnlyRow } from "./command-row.ts";
import { findHazards, type IsKept } from "./find-hazards.ts";
import { findFlagWrites, findWrites } from "./find-writes.ts";
import { splitGlobals } from "./global-flags.ts";
import { type MatchedWords, matchFlags } from "./match-flags.ts";
import { needsEngine, needsNetwork, reachOf } from "./needs-network.ts";
import { inFolder, readPath } from "./read-paths.ts";
import { isRevisionWord } from "./revision-words.ts";
import { isSafeAssignment, isSafeExport } from "./safe-assignments.ts";
import {
  findReads,
  programIsHarmless,
  readIsHarmless,
  requestIsHarmless,
  setIsHarmless,
  showsNoSecret,
  testIsHarmless,
} from "./special-shapes.ts";
import { stripWrappers } from "./strip-wrappers.ts";
import { CLIENT_ROWS } from "./tables/clients.ts";
import { CONTAINER_ROWS } from "./tables/containers.ts";
import { FILE_ROWS } from "./tables/files.ts";
import { GIT_ROWS } from "./tables/git.ts";
import { GITHUB_ROWS } from "./tables/github.ts";
import { PACKAGE_ROWS } from "./tables/packages.ts";
import { PROGRAM_ROWS } from "./tables/programs.ts";
import { SEARCH_ROWS } from "./tables/search.ts";
import { SYSTEM_ROWS } from "./tables/system.ts";
import { TEXT_ROWS } from "./tables/text.ts";
import { VERSION_ROWS } from "./tables/versions.ts";
import type { Classification, Redirect, ShellWord, SimpleCommand } from "./types.ts";
import { optionOutputs, uncoveredWords } from "./uncovered-words.ts";
import { hasUnsaidEffects } from "./unsaid-effects.ts";

/** All table rows of commands that only read. */
export const READ_ONLY_ROWS: readonly ReadOnlyRow[] = [
  ...FILE_ROWS,
  ...TEXT_ROWS,
  ...SEARCH_ROWS,
  ...GIT_ROWS,
  ...PROGRAM_ROWS,
  ...SYSTEM_ROWS,
  ...PACKAGE_ROWS,
  ...CONTAINER_ROWS,
  ...GITHUB_ROWS,
  ...CLIENT_ROWS,
  ...VERSION_ROWS,
];

const ROWS_BY_NAME: ReadonlyMap<string, readonly ReadOnlyRow[]> = Map.groupBy(READ_ONLY_ROWS, ({ name }) => name);

type Reads = { readonly reads: readonly string[] };

/**
 * Classifies an understood command: if it only reads, which files it reads, writes and would destroy, and if it
 * needs a network. The name alone never decides: all flags and operands must be known. The caller judges redirects
 * to files, and checks that the name leads to the expected program. Patterns are reported as the folder above them.
 *
 * Wrapped commands such as `timeout 5 x` (stripWrappers) are judged as `x`. Other commands that start commands are
 * judged without the inner ones, which the caller classifies separately (innerCommands). If the outer command's
 * flags are unknown, each of its words is treated as a command that may destroy or write.
 *
 * @param isKept True for a path below a folder for temporary files whose loss would matter; by default false for
 * every path.
 */
export function classify(command: SimpleCommand, isKept?: IsKept): Classification {
  const plain = stripWrappers(command) ?? command;
  const isElsewhere = command.within.includes("remote") || command.within.includes("container");
  const isSure = command.unknown.length === 0 && !isElsewhere && !command.within.includes("elevated");
  const found = isSure ? readsOf(plain) : undefined;
  const hazards = findHazards(plain, isKept).filter(({ paths }) => !isNullDevice(paths));
  return {
    readOnly: found !== undefined,
    reads: found?.reads ?? [],
    writes: isElsewhere ? [] : unique([...findWrites(plain), ...optionOutputs(plain)]),
    unexpectedWrites: isElsewhere || !isReader(plain) ? [] : findFlagWrites(plain),
    hasUnsaidEffects: found === undefined && !isElsewhere && hasUnsaidEffects(plain),
    hazards: isElsewhere ? hazards.map(({ kind, text }) => ({ kind, text, paths: [], folder: "unknown" })) : hazards,
    needsNetwork: needsNetwork(plain),
    needsEngine: needsEngine(plain),
    reaches: isElsewhere ? undefined : reachOf(plain),
    // True if the tables of read-only commands know each word of the command.
    uncovered: found === undefined ? uncoveredWords(plain) : [],
  };
}

function isNullDevice(paths: readonly string[]): boolean {
  return paths.length > 0 && paths.every((path) => path === "/dev/null");
}

/** True if the tables know the program as read-only, perhaps with other flags. */
function isReader({ words }: SimpleCommand): boolean {
  return ROWS_BY_NAME.has(words[0]?.value?.split("/").at(-1) ?? "");
}

/** @returns undefined if the command isn't known as read-only. */
function readsOf({ words, assignments, redirects }: SimpleCommand): Reads | undefined {
  if (!redirects.every(isHarmlessRedirect) || !assignments.every(isSafeAssignment)) return undefined;
  const [head, ...given] = words;
  if (head === undefined) return { reads: [] };
  const args = given.map(withoutSubstitution);
  const name = head.value;
  if (name === undefined || head.isGlob) return undefined;
  const split = splitGlobals(name, args);
  for (const row of split ? findRows(name, split.rest) : []) {
    const found = rowReads(row, bundled(row, split?.rest.slice(row.sub?.length ?? 0) ?? []));
    if (found) return { reads: unique(found.reads.filter(isNamed).map((path) => inFolder(split?.folder, path))) };
  }
  return undefined;
}

/** The form of the path with which the shell replaces `<(…)`. */
const PIPE = "/dev/fd/63";
/** Without quotes and brackets inside, the substitution surely ends with the word. */
const SUBSTITUTION = /^<\([^()'"`\\$]*\)$/;

/** A word that consists of one process substitution is a file to read; its commands are judged separately. */
function withoutSubstitution(word: ShellWord): ShellWord {
  if (isRevisionWord(word)) return { ...word, value: "HEAD", isGlob: false };
  return isProcessSubstitution(word) ? { ...word, value: PIPE, isGlob: false } : word;
}

/** True if a word consists of one plain `<(…)`. */
export function isProcessSubstitution({ value, source }: ShellWord): boolean {
  return value === undefined && SUBSTITUTION.test(source);
}

function isNamed(path: string): boolean {
  return path !== PIPE;
}

function isHarmlessRedirect({ direction, target }: Redirect): boolean {
  if (direction === "write") return target.value === "/dev/null";
  if (direction === "read") return target.value !== undefined;
  return direction === "duplicate" || target.value !== undefined;
}

/** The rows whose subcommand words the command has; only the rows with the most words count. */
function findRows(name: string, args: readonly ShellWord[]): readonly ReadOnlyRow[] {
  const fitting = (ROWS_BY_NAME.get(name) ?? []).filter((row) =>
    (row.sub ?? []).every((text, index) => args[index]?.value === text && !args[index]?.isGlob),
  );
  const longest = Math.max(...fitting.map(({ sub }) => sub?.length ?? 0));
  return fitting.filter(({ sub }) => (sub?.length ?? 0) === longest);
}

/** `tar tzf x` is `tar -tzf x`; the letter that takes a value must be the last. */
function bundled(row: ReadOnlyRow, args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  if (!row.bundledFirst || first?.value === undefined || !/^[a-z]+f$/.test(first.value) || first.isGlob) return args;
  return [{ ...first, value: `-${first.value}` }, ...rest];
}

function rowReads(row: ReadOnlyRow, args: readonly ShellWord[]): Reads | undefined {
  if (row.shape === "printf" && (args[0]?.value === undefined || args[0].isGlob || args[0].value.startsWith("-")))
    return undefined;
  if (row.anyWords)
    return args.every(showsNoSecret) ? { reads: args.some(({ isGlob }) => isGlob) ? ["."] : [] } : undefined;
  const special = specialReads(row, args);
  if (special !== "ordinary") return special;
  if (args.some(({ value }) => value === undefined)) return undefined;
  const matched = matchFlags(row.flags, args, row);
  if (!matched || !fitsRow(row, matched)) return undefined;
  const paths = operandPaths(row, matched);
  return paths && { reads: unique([...paths, ...matched.readValues]) };
}

/** Shapes without flags in the sense of the tables. */
function specialReads(row: ReadOnlyRow, args: readonly ShellWord[]): Reads | undefined | "ordinary" {
  const nothing = (isHarmless: boolean) => (isHarmless ? { reads: [] } : undefined);
  switch (row.shape) {
    case "test":
      return nothing(testIsHarmless(row.name, args));
    case "set":
      return nothing(setIsHarmless(args));
    case "export":
      return nothing(args.length > 0 && args.every(isSafeExport));
    case "read":
      return nothing(readIsHarmless(args));
    case "find": {
      const paths = findReads(args);
      return paths && { reads: paths.length > 0 ? paths : ["."] };
    }
    case "command-v":
      return /^-[vV]$/.test(args[0]?.value ?? "") ? "ordinary" : undefined;
    default:
      return "ordinary";
  }
}

function fitsRow(row: ReadOnlyRow, matched: MatchedWords): boolean {
  const { operands, flags, values } = matched;
  const has = (names: readonly string[]) => names.some((name) => flags.has(name));
  if (row.operands === "none" && operands.length > 0) return false;
  if (operands.length > (row.maxOperands ?? Number.POSITIVE_INFINITY) || operands.length < (row.minOperands ?? 0))
    return false;
  if (row.operandShape && !operands.every(({ value }) => row.operandShape?.test(value ?? ""))) return false;
  if (row.needsFlag && !has(row.needsFlag)) return false;
  if (row.notTogether?.some((names) => names.every((name) => flags.has(name)))) return false;
  if (row.operandsNeedFlag && operands.length > 0 && !has(row.operandsNeedFlag)) return false;
  if (row.refusedValue && values.some((value) => row.refusedValue?.test(value))) return false;
  const isShaped = ([flag, shape]: readonly [string, RegExp]) =>
    matched.valuesOf(flag).every((value) => shape.test(value));
  if (!(row.valueShapes ?? []).every(isShaped)) return false;
  const { shape } = row;
  if (shape === "curl" && !requestIsHarmless(matched)) return false;
  const isProgram = shape === "sed" || shape === "awk" || shape === "jq" || shape === "yq";
  return !isProgram || programIsHarmless(shape, matched);
}

/** @returns undefined if a pattern may match paths anywhere. */
function operandPaths(row: ReadOnlyRow, { operands, flags }: MatchedWords): readonly string[] | undefined {
  if (row.operands === "text" || row.operands === "none") return row.readsFolder ? ["."] : [];
  const hasPattern = row.operands === "pattern-paths" && !row.patternFlags?.some((flag) => flags.has(flag));
  // The shell may expand a pattern, and its matches then become the operands.
  if (hasPattern && operands[0]?.isGlob) return undefined;
  const paths: string[] = [];
  for (const operand of hasPattern ? operands.slice(1) : operands) {
    const path = readPath(operand);
    if (path === undefined) return undefined;
    paths.push(...(row.operands === "revisions" ? revisionPaths(path) : [path]));
  }
  return row.readsFolder && (paths.length === 0 || row.operands === "revisions") ? [".", ...paths] : paths;
}

/**
 * A revision may name a file (`HEAD:src/a.ts`, `:0:a`), and an operand may be a revision or a path, so both are listed.
 * `:/text` searches commit messages, and a pathspec with magic (`:!a`) names no file.
 */
function revisionPaths(operand: string): readonly string[] {
  if (/^:[/!^(]/.test(operand)) return [];
  const path = /^[^:]*:(?:[0-3]:)?([\s\S]+)$/.exec(operand)?.[1];
  return path === undefined ? [operand] : [operand, path];
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
