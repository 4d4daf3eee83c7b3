import { expect, test } from "bun:test";
import { textWidth } from "../src/text-width.ts";
import { leftOutWords, truncateWords } from "../src/truncate-words.ts";

test("a line is cut after a word, and the rest begins with the next one", () => {
  const text = "Work in one more folder: in this session, or always";
  expect(truncateWords(text, 80)).toBe(text);
  expect([truncateWords(text, 30), leftOutWords(text, 30)]).toEqual([
    "Work in one more folder: in …",
    "this session, or always",
  ]);
  expect([truncateWords(text, 26), leftOutWords(text, 26)]).toEqual([
    "Work in one more folder …",
    "in this session, or always",
  ]);
  expect([leftOutWords(text, 80), truncateWords("unbreakable", 6), leftOutWords("unbreakable", 6)]).toEqual([
    "",
    "unbre…",
    "unbreakable",
  ]);
  expect(truncateWords("on · ~/a/path/without/blanks", 20)).toBe("on · ~/a/path/witho…");
});

test("a cut line is never wider than its room, and no word is lost", () => {
  const text = "修正 the 価格 of a cart, and 👩‍👩‍👧 everything — again";
  for (let columns = 1; columns < 60; columns += 1) {
    expect(textWidth(truncateWords(text, columns))).toBeLessThanOrEqual(columns);
    if (!truncateWords(text, columns).endsWith(" …")) continue;
    const words = `${truncateWords(text, columns).slice(0, -2)} ${leftOutWords(text, columns)}`;
    expect(words.replaceAll(/[^\p{L}]/gu, "")).toBe(text.replaceAll(/[^\p{L}]/gu, ""));
  }
});
