import { describe, expect, test } from "bun:test";
import { changedWords, matchedLines } from "../../../../src/faces/repl/view/changed-words.ts";
import type { Span } from "../../../../src/faces/repl/view/mark-spans.ts";

/** A line and its replacement, with brackets around the changed parts. */
function marked(old: string, now: string): readonly string[] | undefined {
  const words = changedWords(old, now);
  return words && [bracketed(old, words.old), bracketed(now, words.now)];
}

function bracketed(line: string, spans: readonly Span[]): string {
  return spans.toReversed().reduce((text, { from, to }) => {
    return `${text.slice(0, from)}⟦${text.slice(from, to)}⟧${text.slice(to)}`;
  }, line);
}

describe("the changed words of two lines", () => {
  test.each([
    ["whole names", "const itemCount = 1;", "const itemTotal = 1;", "const ⟦itemCount⟧ = 1;", "const ⟦itemTotal⟧ = 1;"],
    ["whole numbers", "x = 10", "x = 100", "x = ⟦10⟧", "x = ⟦100⟧"],
    ["one sign", "return a + b;", "return a - b;", "return a ⟦+⟧ b;", "return a ⟦-⟧ b;"],
    ["an addition, without the blanks around it", "if (x) {", "if (x && y.z) {", "if (x) {", "if (x ⟦&& y.z⟧) {"],
    [
      "neighbours as one part",
      "use(foo.bar.baz(1));",
      "use(foo.qux.nix(1));",
      "use(foo.⟦bar.baz⟧(1));",
      "use(foo.⟦qux.nix⟧(1));",
    ],
    ["an indent", "foo();", "  foo();", "foo();", "⟦  ⟧foo();"],
    [
      "words of a script without blanks",
      "価格を変更しました。",
      "価格を更新しました。",
      "価格を⟦変更⟧しました。",
      "価格を⟦更新⟧しました。",
    ],
    ["words with accents", "le café naïf ici", "le café rêvé ici", "le café ⟦naïf⟧ ici", "le café ⟦rêvé⟧ ici"],
    [
      "a word of a long paragraph",
      `${"so it goes ".repeat(80)}here`,
      `${"so it goes ".repeat(80)}there`,
      `${"so it goes ".repeat(80)}⟦here⟧`,
      `${"so it goes ".repeat(80)}⟦there⟧`,
    ],
    ["whole emoji", "a 👨‍👩‍👧‍👦 b", "a 👨‍👩‍👧 b", "a ⟦👨‍👩‍👧‍👦⟧ b", "a ⟦👨‍👩‍👧⟧ b"],
  ])("are %s", (_, old, now, shownOld, shownNow) => {
    expect(marked(old, now)).toEqual([shownOld, shownNow]);
  });

  test.each([
    ["lines with nothing in common", "a completely different line", "const x = 1;"],
    ["lines that share their brackets alone", "foo(a);", "bar(b);"],
    ["lines of which most words differ", "const value = foo(1);", "const total = bar(2);"],
    ["very long lines", `x ${"a ".repeat(500)}`, `y ${"a ".repeat(500)}`],
    ["long lines with very many changes", "same a ".repeat(100), "same b ".repeat(100)],
  ])("are not marked in %s", (_, old, now) => {
    expect(marked(old, now)).toBeUndefined();
  });
});

describe("the lines of a change", () => {
  test("are paired where they share most words, in their order", () => {
    expect(matchedLines(["a = one(1);", "b = two(2);"], ["// new", "a = one(11);", "b = two(22);", "c = 3;"])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    // Pairs do not cross: of two, the one that shares more stays.
    expect(matchedLines(["a = 1", "return the whole sum of it"], ["return the whole sum of them", "a = 1 "])).toEqual([
      [1, 0],
    ]);
  });

  test("are not compared one by one if they are many", () => {
    const lines = (word: string) => Array.from({ length: 11 }, (_, at) => `const value${at} = ${word};`);
    expect(matchedLines(lines("old"), lines("new"))).toEqual([]);
  });
});
