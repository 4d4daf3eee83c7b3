import { afterSub, type CommandPart, hasFlag, operandsOf, partsOf } from "./command-parts.ts";
import type { WriteRow } from "./command-row.ts";
import { inFolder } from "./read-paths.ts";
import { WRITE_ROWS } from "./tables/writes.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly WriteRow[]> = Map.groupBy(WRITE_ROWS, ({ name }) => name);
const KNOWN: ReadonlySet<string> = new Set(ROWS.keys());

const MIN_SHORTENED_CHARS = 5;

/** `host:file`, but not `./a:b` or `/a:b`. */
const REMOTE_OPERAND = /^[^/]+:/;

/**
 * The files that the command itself plainly writes or removes, as static values. A value that begins with `~/` is in
 * the home folder (an operand that really has this name is reported as `./~/…`).
 */
export function findWrites(command: SimpleCommand): readonly string[] {
  return [...new Set(partsOf(command, KNOWN).flatMap(writesOf))];
}

/** The files that a flag writes, for a program that writes no other files. */
export function findFlagWrites(command: SimpleCommand): readonly string[] {
  const found = partsOf(command, KNOWN).flatMap((part) =>
    writesOfRows((ROWS.get(part.name) ?? []).filter(isByFlagAlone), part),
  );
  return [...new Set(found)];
}

function isByFlagAlone({ operands, targetFlags, keyed, needsFlag, isMeant }: WriteRow): boolean {
  return (
    operands === "none" &&
    isMeant !== true &&
    targetFlags !== undefined &&
    keyed === undefined &&
    needsFlag === undefined
  );
}

/** The same for one program. */
export function writesOf(part: CommandPart): readonly string[] {
  return writesOfRows(ROWS.get(part.name) ?? [], part);
}

/** The files that the command may overwrite, without those that it only moves away. */
export function targetsOf(part: CommandPart): readonly string[] {
  const rows = (ROWS.get(part.name) ?? []).map((row) =>
    row.operands === "into-and-from" ? { ...row, operands: "into" as const } : row,
  );
  return writesOfRows(rows, part);
}

function writesOfRows(rows: readonly WriteRow[], part: CommandPart): readonly string[] {
  const found = rows.flatMap((row) => rowWrites(row, part));
  return [...new Set(found)];
}

function rowWrites(row: WriteRow, part: CommandPart): readonly string[] {
  const words = afterSub(part, row.sub);
  if (words === undefined || row.notFlags?.some((flag) => hasFlag(flag, words))) return [];
  const rest = row.bundledFirst ? withDash(words) : words;
  const skipped = [...(row.valueFlags ?? []), ...(row.targetFlags ?? [])];
  const operands = namedBy(row, rest, skipped).flatMap(({ value }) => value ?? []);
  if (operands.length < (row.minOperands ?? 0) || operands.length > (row.maxOperands ?? operands.length)) return [];
  const folder = part.folder === "unknown" ? undefined : part.folder;
  const has = (flags: readonly string[]) => flags.some((flag) => hasFlag(flag, rest) || hasAttached(flag, rest));
  const isWriting = [row.needsFlag, row.needsAlso].every((flags) => flags === undefined || has(flags));
  const own = ownWrites(row, rest, operands, isWriting).map((path) => (path.startsWith("~") ? `./${path}` : path));
  const fixed = (isWriting ? (row.fixed ?? []) : []).map((path) =>
    path.startsWith("~/") ? path : inFolder(folder, path),
  );
  return [...own.map((path) => inFolder(folder, path)), ...fixed];
}

/** The operands that the row concerns. */
function namedBy(row: WriteRow, rest: readonly ShellWord[], skipped: readonly string[]): readonly ShellWord[] {
  if (row.operands === "starts") {
    const end = rest.findIndex(({ value }) => value !== undefined && /^[-!(]/.test(value));
    return end < 0 ? rest : rest.slice(0, end);
  }
  const operands = operandsOf(rest, skipped);
  if (row.operands !== "after-dashes") return operands;
  const dashes = rest.findIndex(({ value }) => value === "--");
  return dashes >= 0 ? rest.slice(dashes + 1) : operands.length > 1 ? operands.slice(1) : operands;
}

function ownWrites(
  row: WriteRow,
  rest: readonly ShellWord[],
  operands: readonly string[],
  isWriting: boolean,
): readonly string[] {
  const { keyed } = row;
  if (keyed !== undefined)
    return rest.flatMap(({ value }) => (value?.startsWith(`${keyed}=`) ? [value.slice(keyed.length + 1)] : []));
  if (row.bundledFirst && !isWriting) return [];
  const targets = targetValues(row.targetFlags ?? [], rest);
  if (!isWriting) return targets;
  const found = [...targets, ...writtenOperands(row, operands, targets)];
  return row.remoteOperands ? found.filter((path) => !REMOTE_OPERAND.test(path)) : found;
}

/** `tar xzf a` as `tar -xzf a`. */
export function withDash(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words;
  if (first?.value === undefined || !/^[A-Za-z]+$/.test(first.value)) return words;
  return [{ ...first, value: `-${first.value}` }, ...rest];
}

function writtenOperands(
  { operands: kind, remoteOperands }: WriteRow,
  operands: readonly string[],
  targets: readonly string[],
): readonly string[] {
  if (kind === "none") return [];
  if (kind === "all" || kind === "after-dashes" || kind === "starts") return operands;
  if (kind === "first") return operands.slice(0, 1);
  if (kind === "all-but-first") return operands.slice(1);
  const last = operands.at(-1);
  if (kind === "last") return last === undefined ? [] : [last];
  // With a target flag, every operand is a source; otherwise the last operand is the target, a file or a folder.
  const folders = targets.length > 0 ? targets : last === undefined ? [] : [last];
  const sources = targets.length > 0 ? operands : operands.slice(0, -1);
  const inside = folders.flatMap((folder) =>
    sources.map((source) => `${folder.replace(/\/+$/, "")}/${baseName(remoteOperands ? pathOf(source) : source)}`),
  );
  return [...(targets.length > 0 ? [] : folders), ...inside, ...(kind === "into-and-from" ? sources : [])];
}

/** Values of target flags, following or attached (`-tdir`, `--target=dir`). */
function targetValues(flags: readonly string[], words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value }, index) =>
    value === undefined ? [] : flags.flatMap((flag) => targetValue(flag, value, words[index + 1]?.value) ?? []),
  );
}

function targetValue(flag: string, value: string, next: string | undefined): string | undefined {
  if (value === flag) return next;
  if (flag.startsWith("--")) {
    const equals = value.indexOf("=");
    const name = equals < 0 ? value : value.slice(0, equals);
    // GNU programs and git take the beginning of a long flag for all of it.
    if (name.length < MIN_SHORTENED_CHARS || !flag.startsWith(name)) return undefined;
    return equals < 0 ? next : value.slice(equals + 1);
  }
  if (flag.length > 2) return undefined;
  if (value.startsWith(flag)) return value.slice(flag.length);
  return /^-[A-Za-z]+$/.test(value) && value.endsWith(flag.slice(1)) ? next : undefined;
}

/** `-i.bak` and `-i''` carry their value attached. */
function hasAttached(flag: string, words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => value !== undefined && !flag.startsWith("--") && value.startsWith(flag));
}

/** `host:a` as `a`. */
function pathOf(operand: string): string {
  return operand.replace(REMOTE_OPERAND, "");
}

function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}
