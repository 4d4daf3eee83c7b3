import { join } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { entriesOf, hiddenBelow, type SearchBudget } from "./hidden-below.ts";
import { grepLeavesOut, type LeavesOut, rgLeavesOut } from "./search-filters.ts";

/**
 * The maximum number of names for one command; for a larger search Quoll asks the person, because its output is
 * unknown.
 */
const MAX_ENTRIES = 10_000;
/** The maximum number of separate subjects; with more, the output counts as unknown. */
const MAX_NAMED = 500;

/** Programs that print the text of files below a folder argument. `diff` prints a folder's direct files without a flag. */
const SEARCHES: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  grep: isRecursive,
  egrep: isRecursive,
  fgrep: isRecursive,
  rg: (words) => !words.includes("--files") && !words.includes("--type-list"),
  diff: () => true,
};
/** Programs that print names, sizes and similar facts, never text. */
export const NAMES_ONLY: ReadonlySet<string> = new Set(
  "ls stat du df file find tree basename dirname realpath readlink echo printf test [ [[ cd which type command".split(
    " ",
  ),
);

export type HiddenQuery = {
  readonly command: SimpleCommand;
  /** The command's folder: absolute, links resolved. */
  readonly cwd: string;
  /** The folders and files that the command is known to read: absolute, links resolved. */
  readonly reads: readonly string[];
  /** True if a file's text may not be shown without asking. */
  isHidden(path: string): boolean;
  /** True if ripgrep reads flags from a file of the user. */
  readonly hasSearchSettings?: boolean;
  /** True if a path is in the workspace. */
  contains(path: string): boolean;
  /** The session's folder for temporary files; undefined if commands see the machine's own. */
  readonly temporary?: SessionTemporary | undefined;
};

/** Files that a read-only command would show without naming them: absolute, links resolved. */
export type HiddenFiles = {
  /** Files that the command's patterns match (`cat *.pem`). */
  readonly named: readonly string[];
  /** Files below a folder that the command searches (`grep -r key .`); masked files are not shown. */
  readonly below: readonly string[];
};

/**
 * Only files that need their own judgement: hidden files, and targets of links, which may be anywhere. Excludes files that the
 * search's own filters skip.
 * @returns undefined if there are too many files.
 */
export async function hiddenFiles(query: HiddenQuery, maxEntries = MAX_ENTRIES): Promise<HiddenFiles | undefined> {
  const { words } = query.command;
  const name = words[0]?.value?.split("/").at(-1) ?? "";
  if (NAMES_ONLY.has(name)) return { named: [], below: [] };
  const budget = { left: maxEntries };
  const found: string[] = [];
  for (const word of words) {
    if (!word.isGlob) continue;
    for (const path of await expand(inSession(word, query.temporary), query.cwd, budget)) note(path, query, found);
  }
  const values = words.map(({ value }) => value ?? "");
  const searches = Object.hasOwn(SEARCHES, name) ? SEARCHES[name] : undefined;
  const below: string[] = [];
  if (searches?.(values)) {
    const leavesOut = filterOf(name, values.slice(1), query.hasSearchSettings === true);
    for (const path of query.reads)
      if (kindAt(path) === "folder") {
        const all = await hiddenBelow(path, { ...query, budget });
        below.push(...all.filter((file) => !leavesOut(file, path)));
      }
  }
  const hidden = { named: [...new Set(found)], below: [...new Set(below)].filter((path) => !found.includes(path)) };
  return budget.left < 0 || hidden.named.length + hidden.below.length > MAX_NAMED ? undefined : hidden;
}

function filterOf(name: string, words: readonly string[], hasSettings: boolean): LeavesOut {
  if (name === "rg") return hasSettings ? () => false : rgLeavesOut(words);
  return name.endsWith("grep") ? grepLeavesOut(words) : () => false;
}

/** The real path, if it differs from the path. */
function note(path: string, { isHidden }: HiddenQuery, found: string[]): void {
  const real = realPathOrSelf(path);
  if (real !== path || isHidden(path)) found.push(real);
}

/** A pattern below the folder that the sandbox replaces, as a pattern in the session's own folder. */
export function inSession(word: ShellWord, view: SessionTemporary | undefined): ShellWord {
  if (!view || word.value?.startsWith(`${view.inside}/`) !== true) return word;
  return { ...word, value: `${view.folder}${word.value.slice(view.inside.length)}` };
}

/** The expansion of a pattern in bash, or slightly more; names with a leading dot match only a literal dot. */
export async function expand({ value }: ShellWord, cwd: string, budget: SearchBudget): Promise<readonly string[]> {
  const parts = (value ?? "").split("/").filter((part) => part !== "" && part !== ".");
  let paths = [value?.startsWith("/") ? "/" : cwd];
  for (const part of parts) {
    const matched: string[] = [];
    for (const folder of paths) {
      if (!/[*?[]/.test(part)) matched.push(join(folder, part));
      else for (const name of await matchingNames(folder, part, budget)) matched.push(join(folder, name));
    }
    paths = matched;
  }
  return paths;
}

async function matchingNames(folder: string, pattern: string, budget: SearchBudget): Promise<readonly string[]> {
  const names = (await entriesOf(folder, budget)).map(({ name }) => name);
  const isMatch = segmentPattern(pattern);
  return names.filter((name) => (pattern.startsWith(".") || !name.startsWith(".")) && isMatch.test(name));
}

/** A pattern of one path segment; a bracket expression counts as any one character, which yields too many names, never too few. */
function segmentPattern(pattern: string): RegExp {
  const source = pattern.replace(/\[[^\]]*\]|[\s\S]/gu, (piece) => {
    if (piece === "*" || piece === "[") return ".*";
    if (piece === "?" || piece.length > 2) return ".";
    return piece.replace(/[.+^${}()|\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.replace(/(?:\.\*)+/g, ".*")}$`, "su");
}

function isRecursive(words: readonly string[]): boolean {
  return words.some(
    (word) => /^-[A-Za-z]*[rRd]/.test(word) || word === "--recursive" || word === "--dereference-recursive",
  );
}
