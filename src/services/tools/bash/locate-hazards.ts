import { basename, dirname, join, relative } from "node:path";
import type { Move } from "@quoll/bash-syntax/find-moves";
import type { Hazard as RelativeHazard } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import type { Hazard } from "../../../contracts/subject.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { nameInside } from "../../../platform/files/session-temporary.ts";
import { entryExists, isInside, realPathOrSelf } from "../../../platform/paths.ts";
import { findNameTest } from "./find-name-test.ts";
import { entriesOf, type SearchBudget } from "./hidden-below.ts";
import { expand, inSession } from "./hidden-files.ts";
import { pathInShell, type ShellFolder } from "./shell-folder.ts";

type View = SessionTemporary | undefined;

const GLOB = /[*?[]/;
/** The maximum number of names that are compared with one pattern. */
const MAX_ENTRIES = 10_000;

/**
 * The hazard with absolute paths; without paths if one of them is unknown.
 * @returns undefined if none of its paths exists.
 */
export async function locateHazard(
  found: RelativeHazard,
  folder: ShellFolder,
  view?: SessionTemporary,
): Promise<Hazard | undefined> {
  const { ifThere, isLiteral = false, patterns = [], found: search, ...hazard } = found;
  const { paths } = hazard;
  const located = await Promise.all(paths.map((path) => placesOf(path, folder, { view, isLiteral })));
  const matches = search ? await searched(search, located) : await matchesOf(patterns, folder, view);
  const isKnown = located.every((places) => places !== undefined);
  if (ifThere && paths.length > 0 && !located.some((places) => places?.some(entryExists))) return undefined;
  return {
    ...hazard,
    paths: isKnown ? [...new Set(located.flat())] : [],
    folder: await folderOf(hazard, folder, view),
    ...(matches.length > 0 && { matches }),
  };
}

type Matches = NonNullable<Hazard["matches"]>;

/** The files that a search would delete now, by the places where it starts. */
async function searched(
  words: readonly string[],
  located: readonly (readonly string[] | undefined)[],
): Promise<Matches> {
  const budget = { left: MAX_ENTRIES };
  const matches: { path: string; files: readonly string[] }[] = [];
  for (const path of new Set(located.flatMap((places) => places ?? []))) {
    const files = await deletedByFind(words, path, budget);
    if (files) matches.push({ path, files });
  }
  return matches;
}

/** The files that patterns match now, by the places that stand for a pattern. A pattern with too many names has none. */
async function matchesOf(
  patterns: NonNullable<RelativeHazard["patterns"]>,
  folder: ShellFolder,
  view: View,
): Promise<Matches> {
  const found = await Promise.all(
    patterns.map(async ({ path, pattern }) => {
      if (folder === undefined && !pattern.startsWith("/")) return [];
      const budget = { left: MAX_ENTRIES };
      const word = inSession({ source: pattern, value: pattern, isGlob: true }, view);
      const expanded = await expand(word, folder?.real ?? "/", budget);
      // A pattern may reach its files through a link, where git doesn't know them.
      const files = expanded.filter(entryExists).map((file) => join(realPathOrSelf(dirname(file)), basename(file)));
      const places = (await placesOf(path, folder, { view, isLiteral: false })) ?? [];
      return budget.left < 0 ? [] : [...new Set(places)].map((place) => ({ path: place, files }));
    }),
  );
  return found.flat();
}

type Reading = { readonly view: View; readonly isLiteral: boolean };

/** With a trailing slash, a link also means its target. */
async function placesOf(text: string, folder: ShellFolder, how: Reading): Promise<readonly string[] | undefined> {
  const { view } = how;
  const place = await placeOf(text, folder, how);
  if (place === undefined) return undefined;
  // A workspace below /tmp is in the sandbox's /tmp too.
  const name = view && nameInside(place, view);
  const kept = name === undefined ? [] : (view?.writable.filter((path) => isInside(name, path)) ?? []);
  if (kept.length > 0) return [place, ...kept];
  if (!text.endsWith("/")) return [place];
  const target = await pathInShell(text, folder?.real ?? "/", { view, isWrite: true });
  return target === undefined ? undefined : [place, target];
}

/** The real folder of the command: `git -C x` runs in another folder than the shell. */
async function folderOf(
  { folder: other }: RelativeHazard,
  folder: ShellFolder,
  view: View,
): Promise<string | undefined> {
  if (other === undefined) return folder?.real;
  if (other === "unknown" || (folder === undefined && !other.startsWith("/"))) return undefined;
  return pathInShell(other, folder?.real ?? "/", { view, isWrite: true });
}

/** Makes the move's paths absolute; a move with an unknown path has none. */
export async function locateMove(
  { from, to, isMixed }: Move,
  folder: ShellFolder,
  view?: SessionTemporary,
): Promise<Move> {
  const places = to && (await Promise.all(to.map((path) => placeOf(path, folder, { view, isLiteral: false }))));
  return {
    from: from === undefined ? undefined : await placeOf(from, folder, { view, isLiteral: false }),
    to: places?.every((path) => path !== undefined) ? places : undefined,
    isMixed,
  };
}

/** For a pattern, its parent folder; for a link, the link itself, because a command removes or moves the link. */
async function placeOf(text: string, folder: ShellFolder, { view, isLiteral }: Reading): Promise<string | undefined> {
  if (text === "" || (folder === undefined && !text.startsWith("/"))) return undefined;
  const parts = text.replace(/\/+$/, "").split("/");
  const pattern = isLiteral ? -1 : parts.findIndex((part) => GLOB.test(part));
  const plain = (pattern < 0 ? parts : parts.slice(0, pattern)).join("/");
  const start = folder?.real ?? "/";
  const use = { view, isWrite: true };
  if (pattern >= 0) return pathInShell(plain === "" ? (text.startsWith("/") ? "/" : ".") : plain, start, use);
  const name = parts.at(-1) ?? "";
  if (name === "" || name === "." || name === "..") return pathInShell(text, start, use);
  const parent = await pathInShell(dirname(text), start, use);
  const place = parent === undefined ? undefined : join(parent, name);
  return view !== undefined && place === view.inside ? view.folder : place;
}

/**
 * The files that `find … -name '*.o' -delete` deletes below a start, perhaps a few more.
 * @param words The words after `find`; the last is `-delete`.
 * @param start A start of the search: absolute.
 * @returns absolute paths; undefined if the tests limit nothing, if the start is no folder, or if it has too many entries.
 */
export async function deletedByFind(
  words: readonly string[],
  start: string,
  budget: SearchBudget,
): Promise<readonly string[] | undefined> {
  const tests = words.slice(0, -1);
  const { isMatch, filesOnly, isAny } = findNameTest(tests);
  const isNamed = tests.includes("-name") || tests.includes("-iname");
  if (isAny || !isNamed || kindAt(start) !== "folder") return undefined;
  const maxDepth = Math.min(...tests.flatMap((word, at) => (tests[at - 1] === "-maxdepth" ? [Number(word)] : [])));
  const found: string[] = [];
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined && budget.left >= 0; folder = waiting.pop()) {
    const isDeepest = folder !== start && relative(start, folder).split("/").length >= maxDepth;
    for (const { name, kind } of isDeepest ? [] : await entriesOf(folder, budget)) {
      const path = join(folder, name);
      // Only an empty folder could be deleted.
      if (kind === "folder") waiting.push(path);
      else if (isMatch(name) && !(filesOnly && kind === "link")) found.push(path);
    }
  }
  return budget.left < 0 ? undefined : found;
}
