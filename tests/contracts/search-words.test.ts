import { expect, test } from "bun:test";
import { searchWords } from "../../src/contracts/search-words.ts";

test("more different words than are kept change no result", () => {
  const words = Array.from({ length: 5_000 }, (_, at) => `word${at} creating`);
  for (const text of words) searchWords(text);
  expect(searchWords("creates word4999 tickets")).toEqual(["creat", "word499", "ticket"]);
});
