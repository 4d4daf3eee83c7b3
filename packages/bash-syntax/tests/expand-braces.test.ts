import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { expandBraces } from "../src/expand-braces.ts";
import { Random, SEED } from "./random.ts";
import { hasBash } from "./real-bash.ts";

const FIXED = [
  "a",
  "{}",
  "a{}b",
  "{a,b}",
  "x{a,b}y{1,2}",
  "{a,{b,c}d}",
  "{,a}",
  "{a,,b}",
  "{1..3}",
  "{3..-1}",
  "{1..10..4}",
  "{10..1..3}",
  "{a..e}",
  "{E..A}",
  "{a,'b,c'}",
  '{a,"}"}',
  "{a,\\,b}",
  "{'a','b'}c",
  "{{a,b},{c,d}}",
];

/** bash's own words for each text, in one run. */
function inBash(texts: readonly string[]): readonly (readonly string[])[] {
  const script = texts.map((text) => `printf '%s\\037' ${text}; printf '\\036'`).join("\n");
  const done = spawnSync("bash", ["--noprofile", "--norc", "-f", "-c", script], { encoding: "utf8" });
  return done.stdout.split("\x1e").map((part) => part.split("\x1f").slice(0, -1));
}

const unquoted = (text: string) => text.replace(/\\(.)|'([^']*)'|"([^"]*)"/g, "$1$2$3");

describe.skipIf(!hasBash)("brace expansion", () => {
  test("gives the words that bash gives", () => {
    const ours = FIXED.map((text) =>
      expandBraces(text)
        ?.filter((word) => word !== "")
        .map(unquoted),
    );
    expect(ours).toEqual(
      inBash(FIXED)
        .slice(0, FIXED.length)
        .map((words) => [...words]),
    );
  });

  test(`is left alone, or the same, for random texts (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const pieces = ["{", "}", ",", "..", "a", "b", "1", "3", "-2", "'x y'", '","', "\\,", "\\{", "{a,b}", "{1..3}"];
    const texts = Array.from({ length: 3_000 }, () => random.many(1, 9, () => random.pick(pieces)));
    const cases = texts.flatMap((text) => {
      const words = expandBraces(text);
      return words === undefined ? [] : [{ text, words: words.filter((word) => word !== "").map(unquoted) }];
    });
    expect(cases.filter(({ words }) => words.length > 1).length).toBeGreaterThan(100);
    const real = inBash(cases.map(({ text }) => text));
    const wrong = cases.filter(({ words }, index) => !Bun.deepEquals(words, [...(real[index] ?? [])]));
    expect(wrong).toEqual([]);
  });
});

test.each(["{a,b", "a}", "{a}", "{a..b,c..d", "{01..03}", "{a..C}", "{1..a}", "{1..9999}", "{a{b}c}", "{".repeat(50)])(
  "%j is left alone",
  (text) => {
    expect(expandBraces(text)).toBeUndefined();
  },
);

test("more than 256 words, or more than 32 braces, are not spelled out", () => {
  expect(expandBraces("{1..256}")?.length).toBe(256);
  expect(expandBraces("{1..257}")).toBeUndefined();
  expect(expandBraces("{1..20}{1..20}")).toBeUndefined();
  expect(expandBraces(`{${"a,".repeat(400)}b}`)).toBeUndefined();
  expect(expandBraces("{1..1}".repeat(33))).toBeUndefined();
});
