import { expect, test } from "bun:test";
import { fuzzyMatch } from "../../src/contracts/fuzzy-match.ts";

const order = (query: string, ...texts: readonly string[]) =>
  texts
    .flatMap((text) => {
      const match = fuzzyMatch(query, text);
      return match ? [{ text, score: match.score }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);

test.each([
  ["a name as it is beats one with gaps", "cart", ["src/cart.ts", "src/c/a/r/t.ts"]],
  ["the name of a file beats a folder", "cart", ["src/cart.ts", "cart/src/index.ts"]],
  ["the start of a name beats its middle", "cart", ["src/cart-line.ts", "src/my-cart-x.ts"]],
  ["the whole name beats its beginning", "cart", ["src/cart", "src/cart-x"]],
  ["starts of words beat other letters", "cl", ["src/CartLine.ts", "src/xcxlx.ts"]],
  ["the shorter path is first", "a.ts", ["src/a.ts", "src/deep/er/a.ts"]],
])("%s", (_, query, expected) => {
  expect(order(query, ...expected.toReversed())).toEqual(expected);
});

test("the marks are the found letters, and a missing letter is no match", () => {
  expect(fuzzyMatch("sct", "src/cart.ts")?.marks).toEqual([0, 4, 7]);
  expect(fuzzyMatch("cart", "src/Cart.ts")?.marks).toEqual([4, 5, 6, 7]);
  expect(fuzzyMatch("xyz", "src/cart.ts")).toBeUndefined();
  expect(fuzzyMatch("mdl", "model")?.marks).toEqual([0, 2, 4]);
});
