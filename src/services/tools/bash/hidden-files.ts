import { join } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { entriesOf, hiddenBelow, type SearchBudget } from "./hidden-below.ts";

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
  /** Whether a path lies in the workspace. */
  contains(path: string): boolean;
};

/**
 * The files that a read-only command would show though it does not name them: through a pattern (`cat *.pem`), or by
 * searching a folder (`grep -r key .`). Only those that must be judged by themselves: hidden ones, and what a link leads to,
 * which may lie anywhere.
 * @returns absolute paths, links resolved; undefined when there are too many files to say.
 */
export async function hiddenFiles(
  query: HiddenQuery,
  maxEntries = MAX_ENTRIES,
): Promise<readonly string[] | undefined> {
  const { words } = query.command;
  const name = words[0]?.value?.split("/").at(-1) ?? "";
  if (NAMES_ONLY.has(name)) return [];
  const budget = { left: maxEntries };
  const found: string[] = [];
  for (const word of words) {
    if (!word.isGlob) continue;
    for (const path of await expand(word, query.cwd, budget)) note(path, query, found);
  }
  const searches = Object.hasOwn(SEARCHES, name) ? SEARCHES[name] : undefined;
  if (searches?.(words.map(({ value }) => value ?? "")))
    for (const path of query.reads)
      if (kindAt(path) === "folder") found.push(...(await hiddenBelow(path, { ...query, budget })));
  const named = [...new Set(found)];
  return budget.left < 0 || named.length > MAX_NAMED ? undefined : named;
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
