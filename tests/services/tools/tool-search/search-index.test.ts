import { expect, test } from "bun:test";
import { searchWords } from "../../../../src/contracts/search-words.ts";
import { SearchIndex } from "../../../../src/services/tools/tool-search/search-index.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const item = (name: string, description = "", hint = "") => ({ name, description, hint, details: () => "" });

/** The score of one text by its words: all of its weight for the word itself, half for a longer one. */
function weightOf(stem: string, text: string, weight: number): number {
  const words = searchWords(text);
  if (words.includes(stem)) return weight;
  return stem.length >= 3 && words.some((word) => word.startsWith(stem)) ? weight / 2 : 0;
}

function scores(index: SearchIndex, count: number, stem: string): readonly number[] {
  const all = new Float64Array(count);
  index.addTo(all, stem);
  return [...all];
}

test("a word counts in names, hints and descriptions, and half as the beginning of a longer one", () => {
  const index = new SearchIndex([item("mcp__github__createIssues", "closes an issue"), item("list", "", "issue")]);
  const stems = ["creat", "issu", "git", "hub", "an"];
  expect(stems.map((stem) => scores(index, 2, stem))).toEqual([
    [6, 0],
    [7, 3],
    [3, 0],
    [0, 0],
    [0, 0],
  ]);
});

const PARTS =
  "create Ticket ss ing s er ed e _ __ - X HTTP v2 API the an é 笔记 保存 İ Σ issues running x9 9 ad add adds".split(
    " ",
  );

seededTest(
  "an index scores as the words of its texts do",
  { seed: 12, cases: { quick: 1_000, deep: 100_000 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    const made = (most: number) => random.some(most, () => random.pick(PARTS)).join(random.chance(0.5) ? "" : " ");
    for (let done = 0; done < cases; done += 1) {
      const one = item(made(4), made(8), made(3));
      const index = new SearchIndex([one]);
      for (const stem of searchWords(made(3))) {
        const wanted = weightOf(stem, one.name, 6) + weightOf(stem, one.hint, 3) + weightOf(stem, one.description, 1);
        expect([one.name, one.description, one.hint, stem, ...scores(index, 1, stem)]).toEqual([
          ...[one.name, one.description, one.hint, stem, wanted],
        ]);
      }
    }
  },
);
