import { expect, test } from "bun:test";
import { searchWords } from "../../../../src/contracts/search-words.ts";
import { SearchedText } from "../../../../src/services/tools/tool-search/searched-text.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

/** The same comparison, with the text split into its words. */
function matchOfWords(stem: string, text: string): "whole" | "begins" | undefined {
  const words = searchWords(text);
  if (words.includes(stem)) return "whole";
  return words.some((word) => word.startsWith(stem)) ? "begins" : undefined;
}

test("a text matches whole words, forms and beginnings of them, and no other parts", () => {
  const text = new SearchedText("mcp__github__createIssues: closes an issue");
  const stems = ["creat", "issu", "clos", "git", "hub", "reate", "an"];
  expect(stems.map((stem) => text.match(stem))).toEqual([
    "whole",
    "whole",
    "whole",
    "begins",
    undefined,
    undefined,
    undefined,
  ]);
});

const PARTS =
  "create Ticket ss ing s er ed e _ __ - X HTTP v2 API the an é 笔记 保存 İ Σ issues running x9 9 ad add adds".split(
    " ",
  );

seededTest("a text matches as its words do", { seed: 12, cases: { quick: 2_000, deep: 200_000 } }, (seed, cases) => {
  const random = seededRandom(seed);
  const made = (most: number) => random.some(most, () => random.pick(PARTS)).join(random.chance(0.5) ? "" : " ");
  for (let done = 0; done < cases; done += 1) {
    const text = made(8);
    for (const stem of searchWords(made(3)))
      expect([text, stem, new SearchedText(text).match(stem)]).toEqual([text, stem, matchOfWords(stem, text)]);
  }
});
