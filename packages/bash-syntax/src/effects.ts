import type { HazardRow, WriteRow } from "./command-row.ts";
import { HAZARD_ROWS } from "./tables/hazards.ts";
import { WRITE_ROWS } from "./tables/writes.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

/** Start another command that stands somewhere among their words. */
const LAUNCHERS = new Set(
  "sudo doas env xargs nohup timeout time nice ionice stdbuf command builtin setsid flock watch noglob chroot unshare busybox find fd parallel entr npx bunx ssh docker podman kubectl strace ltrace script su runuser".split(
    " ",
  ),
);
/** Flags of git that stand before its command, with a value that follows. */
const GIT_GLOBAL_VALUE = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
]);
const TEMPORARY = /^\/(?:tmp|var\/tmp|private\/tmp)\/(?!\.{0,2}(?:\/|$))/;
const MAX_SHOWN_CHARS = 200;

type Part = { readonly name: string; readonly args: readonly ShellWord[] };

/** What the command would destroy or publish, in plain words; behind `sudo`, `xargs`, `find -exec` and the like too. */
export function findHazards(command: SimpleCommand): readonly string[] {
  const found = new Set<string>();
  for (const part of partsOf(command.words))
    for (const row of HAZARD_ROWS) if (row.name === part.name && isHazard(row, part)) found.add(describe(row, part));
  return [...found];
}

/** The files that it plainly writes or removes, as static values. */
export function findWrites(command: SimpleCommand): readonly string[] {
  const found = new Set<string>();
  for (const part of partsOf(command.words))
    for (const row of WRITE_ROWS)
      if (row.name === part.name) for (const path of writesOf(row, part.args)) found.add(path);
  return [...found];
}

/** The command itself, and whatever follows a launcher, from each of its words on: too many readings do no harm here. */
function partsOf(words: readonly ShellWord[]): readonly Part[] {
  const parts: Part[] = [];
  const name = nameOf(words[0]);
  if (name === undefined) return [];
  parts.push({ name, args: withoutGlobals(name, words.slice(1)) });
  if (!LAUNCHERS.has(name)) return parts;
  for (let at = 1; at < words.length; at += 1) {
    const inner = nameOf(words[at]);
    if (inner === undefined || !KNOWN.has(inner)) continue;
    parts.push({ name: inner, args: withoutGlobals(inner, untilTerminator(words.slice(at + 1))) });
  }
  return parts;
}

const KNOWN = new Set([...HAZARD_ROWS, ...WRITE_ROWS].map(({ name }) => name));

/** The program's name without its folder. */
function nameOf(word: ShellWord | undefined): string | undefined {
  return word?.value?.split("/").at(-1);
}

/** `find -exec rm {} \; -print`: the inner command ends at `;` or `+`. */
function untilTerminator(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === ";" || value === "+");
  return end < 0 ? words : words.slice(0, end);
}

function withoutGlobals(name: string, args: readonly ShellWord[]): readonly ShellWord[] {
  if (name !== "git") return args;
  let at = 0;
  while (args[at]?.value?.startsWith("-")) at += GIT_GLOBAL_VALUE.has(args[at]?.value ?? "") ? 2 : 1;
  return args.slice(at);
}

function hasSub(sub: readonly string[] | undefined, args: readonly ShellWord[]): boolean {
  return (sub ?? []).every((text, index) => args[index]?.value === text);
}

/** Whether a flag is there: `--long`, `--long=x`, `-f`, or `f` inside of a cluster of short flags. */
function hasFlag(flag: string, words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => {
    if (value === undefined) return false;
    if (value === flag || value.startsWith(`${flag}=`)) return true;
    return /^-[A-Za-z0-9]$/.test(flag) && /^-[A-Za-z0-9]+$/.test(value) && value.includes(flag.slice(1));
  });
}

function beforeDashes(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  return end < 0 ? words : words.slice(0, end);
}

function operandsOf(words: readonly ShellWord[], valueFlags: readonly string[] = []): readonly ShellWord[] {
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.value === "--") return [...operands, ...words.slice(at + 1)];
    if (valueFlags.includes(word.value ?? "")) at += 1;
    else if (!word.value?.startsWith("-") || word.value === "-") operands.push(word);
  }
  return operands;
}

function isHazard(row: HazardRow, { args }: Part): boolean {
  if (!hasSub(row.sub, args)) return false;
  const rest = args.slice(row.sub?.length ?? 0);
  const flags = beforeDashes(rest);
  if (row.flags && !row.flags.every((group) => group.some((flag) => hasFlag(flag, flags)))) return false;
  if (row.operand && !rest.some(({ value, source }) => row.operand?.test(value ?? source))) return false;
  if (!row.exceptTemporary) return true;
  const operands = operandsOf(rest);
  return operands.length === 0 || !operands.every(isTemporary);
}

function isTemporary({ value, isGlob }: ShellWord): boolean {
  if (value === undefined || !TEMPORARY.test(value)) return false;
  const parts = value.split("/");
  return !parts.includes("..") && !(isGlob && parts.some((part) => part.startsWith(".")));
}

function describe(row: HazardRow, { args }: Part): string {
  const operands = operandsOf(args.slice(row.sub?.length ?? 0)).map(({ value, source }) => value ?? source);
  const shown = operands.join(", ");
  const text = shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
  return row.hazard.replace("{operands}", () => text || "what it is given");
}

function writesOf(row: WriteRow, args: readonly ShellWord[]): readonly string[] {
  if (!hasSub(row.sub, args)) return [];
  const rest = args.slice(row.sub?.length ?? 0);
  const targets = targetValues(row.targetFlags ?? [], rest);
  const keyed = row.keyed;
  if (keyed !== undefined)
    return rest.flatMap(({ value }) => (value?.startsWith(`${keyed}=`) ? [value.slice(keyed.length + 1)] : []));
  if (row.needsFlag && !row.needsFlag.some((flag) => hasFlag(flag, rest) || hasAttached(flag, rest))) return targets;
  const skipped = [...(row.valueFlags ?? []), ...(row.targetFlags ?? [])];
  const operands = operandsOf(rest, skipped).flatMap(({ value }) => (value === undefined ? [] : [value]));
  return [...targets, ...writtenOperands(row.operands, operands, targets)];
}

function writtenOperands(
  kind: WriteRow["operands"],
  operands: readonly string[],
  targets: readonly string[],
): readonly string[] {
  if (kind === "none") return [];
  if (kind === "all") return operands;
  if (kind === "all-but-first") return operands.slice(1);
  const last = operands.at(-1);
  if (kind === "last") return last === undefined ? [] : [last];
  // With a target flag every operand is a source; else the last is the target, a file or a folder.
  const folders = targets.length > 0 ? targets : last === undefined ? [] : [last];
  const sources = targets.length > 0 ? operands : operands.slice(0, -1);
  const inside = folders.flatMap((folder) =>
    sources.map((source) => `${folder.replace(/\/+$/, "")}/${baseName(source)}`),
  );
  return [...(targets.length > 0 ? [] : folders), ...inside, ...(kind === "into-and-from" ? sources : [])];
}

/** Values of target flags, following or attached (`-tdir`, `--target=dir`). */
function targetValues(flags: readonly string[], words: readonly ShellWord[]): readonly string[] {
  const found: string[] = [];
  for (const [index, { value }] of words.entries()) {
    for (const flag of flags) {
      if (value === undefined) continue;
      const next = words[index + 1]?.value;
      if (value === flag && next !== undefined) found.push(next);
      else if (flag.startsWith("--") && value.startsWith(`${flag}=`)) found.push(value.slice(flag.length + 1));
      else if (!flag.startsWith("--") && value.startsWith(flag) && value.length > flag.length)
        found.push(value.slice(flag.length));
      else if (
        !flag.startsWith("--") &&
        /^-[A-Za-z]+$/.test(value) &&
        value.endsWith(flag.slice(1)) &&
        next !== undefined
      )
        found.push(next);
    }
  }
  return found;
}

/** `-i.bak` and `-i''` carry their value attached. */
function hasAttached(flag: string, words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => value !== undefined && !flag.startsWith("--") && value.startsWith(flag));
}

function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}
