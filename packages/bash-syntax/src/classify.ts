import type { ReadOnlyRow } from "./command-row.ts";
import { findHazards, findWrites } from "./effects.ts";
import { type MatchedWords, matchFlags } from "./match-flags.ts";
import { inFolder, readPath } from "./read-paths.ts";
import { findReads, programIsHarmless, showsNoSecret } from "./special-shapes.ts";
import { stripWrappers } from "./strip-wrappers.ts";
import { FILE_ROWS } from "./tables/files.ts";
import { GIT_ROWS } from "./tables/git.ts";
import { PROGRAM_ROWS } from "./tables/programs.ts";
import { SEARCH_ROWS } from "./tables/search.ts";
import type { Classification, Redirect, ShellWord, SimpleCommand } from "./types.ts";

/** Every row of commands that only read. */
export const READ_ONLY_ROWS: readonly ReadOnlyRow[] = [...FILE_ROWS, ...SEARCH_ROWS, ...GIT_ROWS, ...PROGRAM_ROWS];

/** Change how text looks, never what runs. (LC_ALL and LANG name a locale; one with a `/` is a folder.) */
const SAFE_ASSIGNMENT = /^(?:LC_ALL|LANG|TZ|NO_COLOR|CLICOLOR|TERM|COLUMNS)$/;
const SAFE_VALUE = /^[\w.:@+-]*$/;

type Reads = { readonly reads: readonly string[] };

/**
 * Says of one understood command whether it only reads, what it reads and writes, and what it would destroy.
 * Never by name alone: flags and operands must all be known. The caller still judges redirects that name files, and that
 * the name leads to the program that it seems to be. Patterns are reported as the folder above them.
 */
export function classify(command: SimpleCommand): Classification {
  const found = readsOf(stripWrappers(command) ?? command);
  return {
    readOnly: found !== undefined,
    reads: found?.reads ?? [],
    writes: findWrites(command),
    hazards: findHazards(command).map((text) => ({ kind: "deletes", text, paths: [] })),
    needsNetwork: false,
  };
}

/** @returns undefined when the command isn't known to only read. */
function readsOf(command: SimpleCommand): Reads | undefined {
  const { words, assignments, redirects } = command;
  if (!redirects.every(isHarmlessRedirect)) return undefined;
  const isSafe = assignments.every(
    ({ name, value }) => SAFE_ASSIGNMENT.test(name) && SAFE_VALUE.test(value.value ?? "$"),
  );
  if (!isSafe) return undefined;
  const [head, ...args] = words;
  if (head === undefined) return { reads: [] };
  const name = head.value;
  if (name === undefined || head.isGlob) return undefined;
  if (name === "git") return gitReads(args);
  const row = findRow(name, args);
  return row && rowReads(row, args.slice(row.sub?.length ?? 0));
}

function isHarmlessRedirect({ direction, target }: Redirect): boolean {
  if (direction === "write") return target.value === "/dev/null";
  if (direction === "read") return target.value !== undefined;
  return direction === "duplicate" || target.value !== undefined;
}

/** `git [-C folder] [--no-pager] <command> …`. */
function gitReads(args: readonly ShellWord[]): Reads | undefined {
  let rest = args;
  let folder: string | undefined;
  for (;;) {
    const [flag, value] = rest;
    if (flag?.value === "--no-pager") rest = rest.slice(1);
    else if (flag?.value === "-C" && folder === undefined) {
      if (!value?.value || value.isGlob || value.value.startsWith("-")) return undefined;
      folder = value.value;
      rest = rest.slice(2);
    } else break;
  }
  const row = findRow("git", rest);
  const found = row && rowReads(row, rest.slice(row.sub?.length ?? 0));
  return found && { reads: unique(found.reads.map((path) => inFolder(folder, path))) };
}

/** The row whose subcommand words stand there; the longest wins. */
function findRow(name: string, args: readonly ShellWord[]): ReadOnlyRow | undefined {
  let best: ReadOnlyRow | undefined;
  for (const row of READ_ONLY_ROWS) {
    if (row.name !== name) continue;
    const sub = row.sub ?? [];
    const fits = sub.every((text, index) => args[index]?.value === text && !args[index]?.isGlob);
    if (fits && (best === undefined || sub.length > (best.sub?.length ?? 0))) best = row;
  }
  return best;
}

function rowReads(row: ReadOnlyRow, args: readonly ShellWord[]): Reads | undefined {
  if (row.shape === "printf" && (args[0]?.value === undefined || args[0].isGlob || args[0].value.startsWith("-")))
    return undefined;
  if (row.anyWords)
    return args.every(showsNoSecret) ? { reads: args.some(({ isGlob }) => isGlob) ? ["."] : [] } : undefined;
  if (args.some(({ value }) => value === undefined)) return undefined;
  if (row.shape === "test")
    return args.some(({ value, isGlob }) => isGlob || /^-[vR]$/.test(value ?? "")) ? undefined : { reads: [] };
  if (row.shape === "command-v" && !/^-[vV]$/.test(args[0]?.value ?? "")) return undefined;
  if (row.shape === "find") {
    const paths = findReads(args);
    return paths && { reads: paths.length > 0 ? paths : ["."] };
  }
  const matched = matchFlags(row.flags, args, row);
  if (!matched || !fitsRow(row, matched)) return undefined;
  const paths = operandPaths(row, matched);
  return paths && { reads: unique([...paths, ...matched.readValues]) };
}

function fitsRow(row: ReadOnlyRow, matched: MatchedWords): boolean {
  const { operands, flags, values } = matched;
  const has = (names: readonly string[]) => names.some((name) => flags.has(name));
  if (row.operands === "none" && operands.length > 0) return false;
  if (operands.length > (row.maxOperands ?? Number.POSITIVE_INFINITY) || operands.length < (row.minOperands ?? 0))
    return false;
  if (row.operandShape && !operands.every(({ value }) => row.operandShape?.test(value ?? ""))) return false;
  if (row.needsFlag && !has(row.needsFlag)) return false;
  if (row.operandsNeedFlag && operands.length > 0 && !has(row.operandsNeedFlag)) return false;
  if (row.refusedValue && values.some((value) => row.refusedValue?.test(value))) return false;
  const isProgram = row.shape === "sed-print" || row.shape === "awk-print" || row.shape === "jq";
  return !isProgram || programIsHarmless(row.shape, matched);
}

/** @returns undefined when a pattern may lead anywhere. */
function operandPaths(row: ReadOnlyRow, { operands, flags }: MatchedWords): readonly string[] | undefined {
  if (row.operands === "text" || row.operands === "none") return row.readsFolder ? ["."] : [];
  const hasPattern = row.operands === "pattern-paths" && !row.patternFlags?.some((flag) => flags.has(flag));
  // A pattern that the shell may expand is no pattern any more: its matches would be the operands.
  if (hasPattern && operands[0]?.isGlob) return undefined;
  const paths: string[] = [];
  for (const operand of hasPattern ? operands.slice(1) : operands) {
    const path = readPath(operand);
    if (path === undefined) return undefined;
    paths.push(...(row.operands === "revisions" ? revisionPaths(path) : [path]));
  }
  return row.readsFolder && (paths.length === 0 || row.operands === "revisions") ? [".", ...paths] : paths;
}

/** A revision may name a file (`HEAD:src/a.ts`); an operand may be one. Nothing tells which, so both are named. */
function revisionPaths(operand: string): readonly string[] {
  const colon = operand.indexOf(":");
  const path = colon < 0 ? "" : operand.slice(colon + 1);
  return path === "" ? [operand] : [operand, path];
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
