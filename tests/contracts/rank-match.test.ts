import { expect, test } from "bun:test";
import { rankedMatches, wordsOf } from "../../src/contracts/rank-match.ts";

const texts = (title: string, more = "", id = "") => ({ title, more, id });
const found = (typed: string, all: readonly ReturnType<typeof texts>[]) =>
  rankedMatches(wordsOf(typed), all, (one) => one).map(({ title }) => title);

test("whole words of a title come first, then beginnings, other parts, ids and other texts", () => {
  const all = [
    texts("about that", "cart"),
    texts("an id", "", "cart-17"),
    texts("descartes"),
    texts("cartography"),
    texts("fix the cart"),
    texts("cartography of the cart"),
  ];
  expect(found("Cart", all)).toEqual([
    "fix the cart",
    "cartography of the cart",
    "cartography",
    "descartes",
    "an id",
    "about that",
  ]);
});

test("each word must be somewhere, an id counts only from its beginning, and equal entries keep their order", () => {
  const all = [texts("b cart"), texts("a cart", "prices"), texts("c", "", "xx-cart")];
  expect(found("cart", all)).toEqual(["b cart", "a cart"]);
  expect(found("cart prices", all)).toEqual(["a cart"]);
  expect(found("", all)).toEqual(["b cart", "a cart", "c"]);
});

test("a word between signs or in another script is whole too", () => {
  const all = [texts("repariert die übergabe"), texts("die über-gabe"), texts("(über)")];
  expect(found("über", all)).toEqual(["die über-gabe", "(über)", "repariert die übergabe"]);
});
