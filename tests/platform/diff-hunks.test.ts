import { describe, expect, test } from "bun:test";
import { partedDiff, withoutPart } from "../../src/platform/diff-hunks.ts";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

/** The text after all parts but one are kept, in turn. */
function eachWithout(before: string, after: string, present = after) {
  return (partedDiff(before, after).parts ?? []).map((part) => withoutPart(present, part));
}

describe("the parts of a diff", () => {
  test("each is taken back by itself, with the exact line ends", () => {
    const before = numbered(1, 20);
    const after = before.replace("line 3\n", "three\r\n").replace("line 18\n", "");
    expect(eachWithout(before, after)).toEqual([
      before.replace("line 18\n", ""),
      before.replace("line 3\n", "three\r\n"),
    ]);
  });

  test.each([
    ["a missing last line break", "a\nb\n", "a\nc"],
    ["a new last line break", "a\nb", "a\nb\n"],
    ["other line ends", "a\r\nb\r\n", "a\nb\n"],
    ["a new file", "", "a\nb\n"],
    ["a deleted file", "a\nb", ""],
    ["a byte order mark", "\ufeffa\n", "a\n"],
  ])("one part gives the old text back: %s", (_, before, after) => {
    expect(eachWithout(before, after)).toEqual([before]);
  });

  test("a part that has moved is found if its lines are there once", () => {
    const before = numbered(1, 9);
    const after = before.replace("line 5", "five");
    expect(eachWithout(before, after, `mine\n${after}more\n`)).toEqual([`mine\n${before}more\n`]);
    expect(eachWithout(before, after, `mine\n${after}${after}`)).toEqual([undefined]);
  });

  test("a part whose lines or neighbours have changed is not found", () => {
    const before = numbered(1, 9);
    const after = before.replace("line 5", "five");
    for (const changed of [after.replace("five", "5"), after.replace("line 4", "four"), "", before])
      expect(eachWithout(before, after, changed)).toEqual([undefined]);
  });

  test("no part is known of a diff that is shown only in part", () => {
    expect(partedDiff("", numbered(1, 2_000)).parts).toBeUndefined();
  });
});
