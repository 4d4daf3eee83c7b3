import { join, relative } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { findNameTest } from "./find-name-test.ts";
import { entriesOf, type SearchBudget } from "./hidden-below.ts";

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
