import { expect, test } from "bun:test";
import { triggerMatcher } from "../../../../src/platform/globs/trigger-globs.ts";
import { markdownParts } from "../../../../src/services/context/instructions/code-spans.ts";
import { importMentions } from "../../../../src/services/context/instructions/import-mentions.ts";
import {
  elementsIn,
  instructionElement,
  withoutElements,
} from "../../../../src/services/context/instructions/instruction-element.ts";
import { readHeader, withoutComments } from "../../../../src/services/context/instructions/read-header.ts";
import { memoryParts } from "../../../../src/services/context/memory/memory-element.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const code = (text: string) =>
  markdownParts(text)
    .filter(({ isCode }) => isCode)
    .map((part) => part.text);

test.each([
  ["`a` b ``c ` d``", ["`a`", "``c ` d``"]],
  ["`open\n\nb`", []],
  ["```ts\nx\n```\ny", ["```ts\nx\n```"]],
  ["~~~\n```\n~~~~\ny", ["~~~\n```\n~~~~"]],
  ["a\n  ```\nno end", ["  ```\nno end"]],
  ["<!-- `a` --> `b`", ["`b`"]],
  ["```", ["```"]],
])("code in %j is %j", (text, wanted) => {
  expect(code(text)).toEqual(wanted);
});

test("a header is read as its writers write it", () => {
  const header = (lines: string) => readHeader(`---\n${lines}\n---\nbody\n`).header;
  const globs = (lines: string) => header(lines).globs;
  expect(globs("paths: src/**/*.{ts,tsx}, lib/*")).toEqual(["src/**/*.{ts,tsx}", "lib/*"]);
  expect(globs('paths:\n  - "a/*"\n  - b')).toEqual(["a/*", "b"]);
  expect(globs("globs: ['*.a', \"*.b\"]")).toEqual(["*.a", "*.b"]);
  expect(globs("globs:")).toEqual([]);
  expect(header("alwaysApply: true\ndescription: 'one: two'")).toEqual({
    globs: [],
    alwaysApply: true,
    description: "one: two",
  });
  expect(readHeader("---\npaths: a\n---\nbody\n").body).toBe("body\n");
  expect(readHeader("a\n---\nb: c\n---\n").body).toBe("a\n---\nb: c\n---\n");
});

test("globs match as people write them", () => {
  const matches = (glob: string) => triggerMatcher({ folder: "/r", globs: [glob] });
  expect(
    ["*.ts", "**/*.ts", "src", "src/", "./src/**", "src/*.ts"].map((glob) => matches(glob)("/r/src/a.ts")),
  ).toEqual(Array.from({ length: 6 }, () => true));
  expect(["*.js", "lib/", "*.ts/x", "a.t"].map((glob) => matches(glob)("/r/src/a.ts"))).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect([matches("**")("/other/a.ts"), matches("**")("/r/.x/y")]).toEqual([false, true]);
});

test("parentheses, plus signs and bars in a glob stand for themselves, braces for each of their alternatives", () => {
  const matches = (glob: string, path: string) => triggerMatcher({ folder: "/r", globs: [glob] })(`/r/${path}`);
  expect(matches("app/(auth)/*.{ts,tsx}", "app/(auth)/a.tsx")).toBe(true);
  expect(matches("app/(auth)/*.ts", "app/auth/a.ts")).toBe(false);
  expect(matches("+page.[jt]s", "x/+page.ts")).toBe(true);
  expect(matches("[!a]{b,{c,d}}?", "xde")).toBe(true);
  expect(matches("[!a]b?", "abc")).toBe(false);
  expect(matches("a|b", "a")).toBe(false);
  expect(matches("x/**/y/*.ts", "x/y/a.ts")).toBe(true);
});

test.each([
  ["(a+)+x", "a".repeat(60)],
  ["[a]+".repeat(9), "a".repeat(60)],
  ["**a**a**a*a*a*b", "a".repeat(255)],
  ["**/*a*a*a/**/*a*a*a/**/*a*a*b", Array.from({ length: 15 }, () => "a".repeat(250)).join("/")],
  ["*{a,aa}*{a,aa}*{a,aa}{a,aa}{a,aa}b", "a".repeat(255)],
])("the glob %s is matched in no time", (glob, path) => {
  const spent = cpuClock();
  expect(triggerMatcher({ folder: "/r", globs: [glob] })(`/r/${path}`)).toBe(false);
  expect(spent()).toBeLessThan(1_000);
});

test("a megabyte of unclosed elements is read in no time", () => {
  for (const opening of [
    '<project-instructions file="a">\n',
    '<project-instructions file="',
    '<memory-note file="a">\n',
  ]) {
    const text = opening.repeat(1_000_000 / opening.length);
    const spent = cpuClock();
    expect([elementsIn(text), withoutElements(text), memoryParts(text)]).toEqual([[], text, []]);
    expect(spent()).toBeLessThan(1_000);
  }
});

test("a text of many ticks and open comments is read in no time", () => {
  const text = `${"` <!-- ``` ".repeat(30_000)}@a`;
  const spent = cpuClock();
  withoutComments(text);
  importMentions(text, "/r", "/h");
  expect(spent()).toBeLessThan(2_000);
});

const PIECES = [
  "`",
  "``",
  "```",
  "\n```\n",
  "~~~",
  "\n\n",
  "<!--",
  "-->",
  "@a.md",
  " ",
  "x",
  "\n",
  "</project-instructions>",
  '"',
  "👍",
];

seededTest(
  "the parts of any text joined are the text, and an element gives back its name and body",
  { seed: 11, cases: { quick: 300, deep: 30_000 } },
  (seed, cases) => {
    const { pick, some } = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const text = some(30, () => pick(PIECES)).join("");
      expect(
        markdownParts(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
      const name = `dir/${text.replaceAll("/", "")}`;
      const around = `${instructionElement({ name, body: text, appliesTo: text })}\n${instructionElement({ name: "b", body: "c" })}`;
      const body = text.replaceAll("</project-instructions", "<\\/project-instructions");
      expect(elementsIn(around)).toEqual([
        { name, body },
        { name: "b", body: "c" },
      ]);
    }
  },
);
