import {
  afterSub,
  beforeDashes,
  type CommandPart,
  hasFlag,
  mayHaveFlag,
  operandsOf,
  partsOf,
} from "./command-parts.ts";
import type { HazardRow } from "./command-row.ts";
import { targetsOf, withDash } from "./find-writes.ts";
import { gitNames } from "./git-names.ts";
import { inFolder, readPath } from "./read-paths.ts";
import { HAZARD_ROWS } from "./tables/hazards.ts";
import type { Hazard, ShellWord, SimpleCommand } from "./types.ts";

const ROWS: ReadonlyMap<string, readonly HazardRow[]> = Map.groupBy(HAZARD_ROWS, ({ name }) => name);
const KNOWN: ReadonlySet<string> = new Set(ROWS.keys());

const TEMPORARY = /^\/(?:tmp|var\/tmp|private\/tmp)\/(?!\.{0,2}(?:\/|$))/;
const MAX_SHOWN_CHARS = 200;
/** The options that may precede the folders of `find`. */
const FIND_OPTION = /^-(?:[HLP]|O\d*)$/;

/** @returns true if a path below a folder for temporary files is not a temporary file, because a person works there. */
export type IsKept = (path: string) => boolean;

/** The hazards of the command itself, without duplicates. */
export function findHazards(command: SimpleCommand, isKept: IsKept = () => false): readonly Hazard[] {
  const found = new Map<string, Hazard>();
  for (const part of partsOf(command, KNOWN))
    for (const row of ROWS.get(part.name) ?? []) {
      const hazard = judge(row, part, isKept);
      if (hazard && !found.has(hazard.text)) found.set(hazard.text, hazard);
    }
  return [...found.values()];
}

function judge(row: HazardRow, part: CommandPart, isKept: IsKept): Hazard | undefined {
  const words = afterSub(part, row.sub);
  if (words === undefined) return undefined;
  const rest = row.bundledFirst ? withDash(words) : words;
  const flags = beforeDashes(rest);
  if (row.flags && !row.flags.every((group) => group.some((flag) => mayHaveFlag(flag, flags)))) return undefined;
  if (row.notFlags?.some((flag) => hasFlag(flag, flags))) return undefined;
  const texts = [...rest.map(({ value, source }) => value ?? source), ...part.input];
  if (row.operand && !texts.some((text) => row.operand?.test(text))) return undefined;
  const operands = operandsOf(rest, row.valueFlags);
  if (operands.length < (row.minOperands ?? 0)) return undefined;
  if (row.notOperand && operands.some(({ value }) => row.notOperand?.test(value ?? ""))) return undefined;
  const named =
    row.paths === "writes"
      ? writtenWords(part)
      : row.paths === "targets"
        ? targetWords(part)
        : pathWords(row, rest, operands);
  if (row.paths === "targets" && row.kind !== "unforeseen" && named.length === 0) return undefined;
  const shown = row.paths === undefined ? operands : named;
  if (row.exceptTemporary && shown.length > 0 && shown.every((word) => isTemporary(word, isKept))) return undefined;
  const { folder } = part;
  const text = describe(row, operands, named);
  return {
    kind: row.kind,
    ...(row.target && { target: row.target }),
    text,
    paths: pathsOf(named, folder, row.through),
    ...(folder !== undefined && { folder }),
    ...((named.some(leadsThroughMatches) || hasLinkFlag(row, flags)) && { followsLinks: true }),
    ...(row.ifThere && { ifThere: true }),
    ...(reachesSubmodules(row, part, flags) && { inSubmodules: true }),
    ...(named.length > 0 && !named.some(({ isGlob }) => isGlob) && { isLiteral: true }),
    ...patternsOf(named, folder, row.through),
    ...foundOf(row, rest),
    ...cleanOf(row, rest, flags),
    ...gitNamesOf(row, rest),
  };
}

function patternsOf(
  named: readonly ShellWord[],
  folder: CommandPart["folder"],
  through: boolean | undefined,
): Pick<Hazard, "patterns"> {
  if (folder === "unknown") return {};
  const patterns = named.flatMap((word) => {
    const [path] = word.isGlob ? pathsOf([word], folder, through) : [];
    return path === undefined || word.value === undefined
      ? []
      : [{ path, pattern: inFolder(folder, word.value.replace(/\/+$/, "")) }];
  });
  return patterns.length > 0 ? { patterns } : {};
}

/** Only of a plain deletion: links that a search follows may lead anywhere. */
function foundOf({ name, through, linkFlags = [] }: HazardRow, words: readonly ShellWord[]): Pick<Hazard, "found"> {
  const values = words.flatMap(({ value }) => value ?? []);
  const isPlain = values.length === words.length && !values.some((value) => linkFlags.includes(value));
  if (name !== "find" || through || !isPlain || values.indexOf("-delete") !== values.length - 1) return {};
  return { found: values };
}

type Clean = Pick<Hazard, "withIgnored" | "ignoredOnly" | "excludes">;

/** What `git clean` deletes: its flags may be joined (`-fdX`). */
function cleanOf({ sub, valueFlags = [] }: HazardRow, words: readonly ShellWord[], flags: readonly ShellWord[]): Clean {
  if (sub?.[0] !== "clean") return {};
  const has = (flag: string) => mayHaveFlag(flag, flags);
  if (has("-X") && !has("-x"))
    // With -X, git also deletes what `--exclude` names.
    return { withIgnored: true, ...(!has("-e") && !has("--exclude") && { ignoredOnly: true }) };
  const excludes = flags.flatMap(({ value = "" }, at) => {
    const [, joined] = /^(?:-e|--exclude=)(.+)$/s.exec(value) ?? [];
    return joined ?? (valueFlags.includes(value) ? words[at + 1]?.value : undefined) ?? [];
  });
  return { ...(has("-x") && { withIgnored: true }), ...(excludes.length > 0 && { excludes }) };
}

function gitNamesOf({ name, kind, sub = [], valueFlags }: HazardRow, words: readonly ShellWord[]): Pick<Hazard, "git"> {
  if (name !== "git" || (kind !== "discards" && kind !== "refs")) return {};
  const found = gitNames(sub.join(" "), words, valueFlags);
  return found ? { git: found } : {};
}

/** True if a flag or a setting on the command line includes submodules. A repository's own settings are not known here. */
function reachesSubmodules(row: HazardRow, { name, settings }: CommandPart, flags: readonly ShellWord[]): boolean {
  if (row.inSubmodules) return true;
  if (name !== "git" || row.kind !== "discards") return false;
  return (
    mayHaveFlag("--recurse-submodules", flags) ||
    settings.some((setting) => /^submodule\.recurse(?:=(?:true|yes|on|[1-9]\d*))?$/i.test(setting))
  );
}

/** `rm -rf *\/x`: a folder that the pattern finds may be a link. */
function leadsThroughMatches({ value, isGlob }: ShellWord): boolean {
  return isGlob && /[*?[][^/]*\//.test(value ?? "");
}

function hasLinkFlag({ linkFlags }: HazardRow, flags: readonly ShellWord[]): boolean {
  return linkFlags?.some((flag) => mayHaveFlag(flag, flags)) ?? false;
}

function pathWords(
  { paths }: HazardRow,
  rest: readonly ShellWord[],
  operands: readonly ShellWord[],
): readonly ShellWord[] {
  const here: ShellWord = { source: ".", value: ".", isGlob: false };
  switch (paths) {
    case "operands":
      return operands;
    case "but-first":
      return operands.slice(1);
    case "but-last":
      return operands.slice(0, -1);
    case "last":
      return operands.slice(-1);
    case "downloads":
      return operands.map(downloadWord);
    case "folder":
      return operands.length > 0 ? operands : [here];
    case "after-dashes": {
      const dashes = rest.findIndex(({ value }) => value === "--");
      if (dashes >= 0) return rest.slice(dashes + 1);
      return operands.length > 1 ? operands.slice(1) : operands;
    }
    case "starts": {
      const words = rest.slice(rest.findIndex(({ value }) => !FIND_OPTION.test(value ?? "")));
      const end = words.findIndex(({ value }) => value !== undefined && /^[-!(]/.test(value));
      const starts = end < 0 ? words : words.slice(0, end);
      return starts.length > 0 ? starts : [here];
    }
    default:
      return [];
  }
}

/** The files that the table of writes names; one unknown word if an operand is unknown. */
function writtenWords(part: CommandPart): readonly ShellWord[] {
  const unknown = part.args.find(({ value }) => value === undefined);
  if (unknown) return [unknown];
  const isGlob = part.args.some((word) => word.isGlob);
  return targetsOf(part).map((path) => ({ source: path, value: path, isGlob: isGlob && /[*?[]/.test(path) }));
}

/** The paths that flags name; one unknown word if it may be the target. */
function targetWords(part: CommandPart): readonly ShellWord[] {
  const known = targetsOf(part);
  const unknown = part.args.find(({ value }) => value === undefined);
  return known.length === 0 && unknown
    ? [unknown]
    : known.map((path) => ({ source: path, value: path, isGlob: false }));
}

/** `https://host/a/b.zip?x`: `b.zip`. */
function downloadWord(word: ShellWord): ShellWord {
  const name = word.value
    ?.replace(/[?#].*$/s, "")
    .split("/")
    .at(-1);
  return { ...word, value: name === "" ? undefined : name, isGlob: false };
}

/** All values, or none if one of them is unknown. */
function pathsOf(words: readonly ShellWord[], folder: CommandPart["folder"], through = false): readonly string[] {
  const paths = words.map((word) => {
    const path = readPath(word);
    // A pattern may match files below a link.
    const isFollowed = (through || word.isGlob) && path !== undefined && !/(?:^\.?|\/)$/.test(path);
    return isFollowed ? `${path}/` : path;
  });
  const known = paths.filter((path) => path !== undefined);
  if (known.length < paths.length || folder === "unknown") return [];
  return [...new Set(known.map((path) => inFolder(folder, path)))];
}

function isTemporary({ value, isGlob }: ShellWord, isKept: IsKept): boolean {
  if (value === undefined || !TEMPORARY.test(value) || isKept(value)) return false;
  const parts = value.split("/");
  return !parts.includes("..") && !(isGlob && parts.some((part) => part.startsWith(".")));
}

function describe(row: HazardRow, operands: readonly ShellWord[], named: readonly ShellWord[]): string {
  const text = (words: readonly ShellWord[]) => {
    const shown = words.map(({ value, source }) => value ?? source).join(", ");
    return (shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown) || "what it is given";
  };
  return row.hazard
    .replace("{operands}", () => text(operands))
    .replace("{paths}", () => text(named))
    .replace("{target}", () => text(named.slice(0, 1)));
}
