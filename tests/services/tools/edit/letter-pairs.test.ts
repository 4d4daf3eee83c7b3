import { expect } from "bun:test";
import { comparedPart, LetterPairs } from "../../../../src/services/tools/edit/letter-pairs.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const PIECES = ["a", "b", "ab", "aa", " ", "(", ")", "ä", "漢字", "👍", "\uffff", "return "];

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** The share by its definition. */
function shareOf(a: string, b: string): number {
  const free = pairsOf(b);
  const total = pairsOf(a).length + free.length;
  let common = 0;
  for (const pair of pairsOf(a)) {
    const at = free.indexOf(pair);
    if (at < 0) continue;
    free.splice(at, 1);
    common += 1;
  }
  return total === 0 ? 0 : (2 * common) / total;
}

seededTest(
  "the share of common pairs is exact, and 0 only where it is smaller than the least",
  { seed: 1, cases: { quick: 150, deep: 5_000 } },
  (seed, cases) => {
    const { some, pick, below } = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const [wanted = "", ...lines] = Array.from({ length: 8 }, () =>
        comparedPart(some(below(8) === 0 ? 300 : 12, () => pick(PIECES)).join("")),
      );
      const pairs = new LetterPairs(wanted);
      const shares = lines.map((line) => shareOf(wanted, line));
      expect(lines.map((line) => pairs.shareWith(line))).toEqual(shares);
      for (const least of shares) {
        const kept = shares.map((share) => (share < least ? 0 : share));
        expect(lines.map((line) => pairs.shareWith(line, least))).toEqual(kept);
      }
    }
  },
);
