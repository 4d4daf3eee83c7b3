import { join } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { entriesOf, hiddenBelow, type SearchBudget } from "./hidden-below.ts";
import { grepLeavesOut, type LeavesOut, rgLeavesOut } from "./search-filters.ts";

/** Names looked at for one command; a search over more is asked, since nobody can say what it would show. */
const MAX_ENTRIES = 10_000;
/** Subjects of their own; with more nobody can say what it would show. */
const MAX_NAMED = 500;

/** Print the text of files below a folder that they are given. `diff` does it for a folder's own files without a flag. */
const SEARCHES: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  grep: isRecursive,
  egrep: isRecursive,
  fgrep: isRecursive,
  rg: (words) => !words.includes("--files") && !words.includes("--type-list"),
  diff: () => true,
};
/** Tell names, sizes and the like, never text. */
export const NAMES_ONLY: ReadonlySet<string> = new Set(
  "ls stat du df file find tree basename dirname realpath readlink echo printf test [ [[ cd which type command".split(
    " ",
  ),
);

export type HiddenQuery = {
  readonly command: SimpleCommand;
  /** Where it runs: absolute, links resolved. */
  readonly cwd: string;
  /** The folders and files that it is known to read: absolute, links resolved. */
  readonly reads: readonly string[];
  /** Whether a file's text may not be shown unasked. */
  isHidden(path: string): boolean;
  /** True where ripgrep reads flags from a file of the person's. */
  readonly hasSearchSettings?: boolean;
  /** Whether a path lies in the workspace. */
  contains(path: string): boolean;
};

/** Files that a read-only command would show though it does not name them: absolute, links resolved. */
export type HiddenFiles = {
  /** Those that its patterns find (`cat *.pem`). */
  readonly named: readonly string[];
  /** Those below a folder that it searches (`grep -r key .`): where they are masked, it shows nothing of them. */
  readonly below: readonly string[];
};

/**
 * Only those that must be judged by themselves: hidden ones, and what a link leads to, which may lie anywhere. What a search's own
 * filters leave out is not among them.
 * @returns undefined when there are too many files to say.
 */
export async function hiddenFiles(query: HiddenQuery, maxEntries = MAX_ENTRIES): Promise<HiddenFiles | undefined> {
  const { words } = query.command;
  const name = words[0]?.value?.split("/").at(-1) ?? "";
  if (NAMES_ONLY.has(name)) return { named: [], below: [] };
  const budget = { left: maxEntries };
  const found: string[] = [];
  for (const word of words) {
    if (!word.isGlob) continue;
    for (const path of await expand(word, query.cwd, budget)) note(path, query, found);
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

/** What a path really is, if that is more than the path says. */
function note(path: string, { isHidden }: HiddenQuery, found: string[]): void {
  const real = realPathOrSelf(path);
  if (real !== path || isHidden(path)) found.push(real);
}

/** What bash makes of a pattern, or a little more; names that start with a dot only match a written dot. */
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

/** A pattern of one path segment; a bracket expression counts as any one character, which names too much, never too little. */
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
