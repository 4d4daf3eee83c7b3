import { describe, expect, test } from "bun:test";
import { eachOrDeep } from "../../../tests/support/deep.ts";
import { NOT_UNDERSTOOD, UNDERSTOOD, UNKNOWN_PIECES } from "./corpus.ts";
import { NESTED, PARTLY_UNKNOWN } from "./corpus-nested.ts";
import { outline } from "./outline.ts";
import { parser } from "./real-parser.ts";

describe("an understood source", () => {
  test.each([...UNDERSTOOD, ...NESTED])("%j gives exactly its commands", (source, commands) => {
    expect(outline(parser.parse(source))).toEqual([...commands]);
  });
});

describe("a source with an unknown part", () => {
  test.each([...UNKNOWN_PIECES, ...PARTLY_UNKNOWN])(
    "%j gives its commands, with the unknown pieces",
    (source, commands) => {
      expect(outline(parser.parse(source))).toEqual([...commands]);
      expect(commands.join("\n")).toContain("!!");
    },
  );
});

describe("a source that could hide something", () => {
  test.each(NOT_UNDERSTOOD)("%j is not understood, with a reason and the unclear piece", (source) => {
    const parsed = parser.parse(source);
    expect({ source, understood: parsed.understood }).toEqual({ source, understood: false });
    if (parsed.understood) return;
    expect(parsed.reason.length).toBeGreaterThan(5);
    expect(parsed.unclear.length).toBeGreaterThan(0);
    for (const piece of parsed.unclear) expect(piece.length).toBeLessThanOrEqual(201);
  });
});

describe("the result of a reading", () => {
  test("keeps words as they were written, beside their values", () => {
    expect(parser.parse(`A='1 2' git  commit -m "a \\"b\\"" *.ts > "out file" 2>&1`)).toEqual({
      understood: true,
      commands: [
        {
          source: `git commit -m "a \\"b\\"" *.ts`,
          words: [
            { source: "git", value: "git", isGlob: false },
            { source: "commit", value: "commit", isGlob: false },
            { source: "-m", value: "-m", isGlob: false },
            { source: `"a \\"b\\""`, value: 'a "b"', isGlob: false },
            { source: "*.ts", value: "*.ts", isGlob: true },
          ],
          assignments: [{ name: "A", source: "A='1 2'", value: { source: "'1 2'", value: "1 2", isGlob: false } }],
          redirects: [
            {
              source: `> "out file"`,
              direction: "write",
              target: { source: `"out file"`, value: "out file", isGlob: false },
            },
            { source: "2>&1", direction: "duplicate", target: { source: "1", value: "1", isGlob: false } },
          ],
          conditional: false,
          within: [],
          unknown: [],
        },
      ],
    });
  });

  test("names the piece and the reason in plain words", () => {
    expect(parser.parse("ls; echo $[x+1]")).toEqual({
      understood: false,
      reason: "it computes ($[…])",
      unclear: ["$[x+1]"],
    });
  });

  test("makes invisible characters visible", () => {
    expect(parser.parse("ls\u00a0-la")).toEqual({
      understood: false,
      reason: "the command holds an invisible or unusual blank (U+00A0)",
      unclear: ["ls\\u{a0}-la"],
    });
  });
});

describe("hostile sizes", () => {
  test("64 KiB are read, one byte more is not", () => {
    const prefix = "echo ";
    const whole = prefix + "a".repeat(64 * 1024 - prefix.length);
    expect(parser.parse(whole).understood).toBe(true);
    expect(parser.parse(`${whole}a`)).toMatchObject({ understood: false, reason: "the command is longer than 64 KiB" });
    expect(parser.parse(prefix + "é".repeat(32 * 1024)).understood).toBe(false);
  });

  test("a megabyte is refused without being parsed", () => {
    const parsed = parser.parse("echo a; ".repeat(131_072));
    expect(parsed).toMatchObject({ understood: false, reason: "the command is longer than 64 KiB" });
    expect(parsed.understood || (parsed.unclear[0]?.length ?? 0)).toBeLessThanOrEqual(201);
  });

  eachOrDeep(
    "deep or endless input number %i ends with an answer",
    (at) => at % 3 === 0,
    (
      [
        ["( ".repeat(10_000), false],
        [`${"( ".repeat(10_000)}ls${" )".repeat(10_000)}`, false],
        ["(".repeat(10_000), false],
        [`${"{ ".repeat(10_000)}ls${"; }".repeat(10_000)}`, false],
        ["if true; then ".repeat(4_000), false],
        [`if a; then b; ${"elif a; then b; ".repeat(3_000)}fi`, false],
        ["while ".repeat(9_000), false],
        ["! ".repeat(30_000), false],
        ["$(".repeat(10_000), false],
        ["`".repeat(10_000), false],
        ['"'.repeat(10_001), false],
        ["case x in a) ".repeat(4_000), false],
        ["<<A ".repeat(10_000), false],
        ["[[ ".repeat(20_000), false],
        ["echo ${".repeat(9_000), false],
        ["\\".repeat(60_001), false],
        ["a=".repeat(30_000), true],
        ["a ".repeat(30_000), true],
        ["a | ".repeat(5_000).concat("b"), true],
        ["a\n".repeat(10_000), true],
        ["((".repeat(10_000), false],
        ["$((".repeat(10_000), false],
        [`echo $((${"(".repeat(9_000)}1${")".repeat(9_000)}))`, true],
        ['"${x:-'.repeat(5_000), false],
        ["\\`".repeat(10_000), true],
        ["f() { ".repeat(5_000), false],
        ["a <(".repeat(5_000), false],
        ["$(case x in a) ".repeat(3_000), false],
        ["for ((;;)); do ".repeat(3_000), false],
        ["a[".repeat(10_000), false],
        ["a=(".repeat(10_000), false],
        [`[[ ${"( ".repeat(10_000)}`, false],
        [`echo ${"{".repeat(5_000)}a${",b}".repeat(5_000)}`, true],
        ["echo ".concat("{1..256} ".repeat(5_000)), true],
        [`cat <<E\n${"$(a)\n".repeat(5_000)}E\n`, true],
        ["echo ".concat("$(a) ".repeat(10_000)), true],
        [`cat <<E\n${"a\\\n".repeat(15_000)}E\n`, false],
      ] as const
    ).map(([source, understood], at) => [at, source, understood] as const),
    (_, source, understood) => {
      expect(parser.parse(source).understood).toBe(understood);
    },
  );

  test("64 levels of nesting are read, more are not", () => {
    const nested = (depth: number) => `${"( ".repeat(depth)}ls${" )".repeat(depth)}`;
    expect(parser.parse(nested(63)).understood).toBe(true);
    expect(parser.parse(nested(64))).toMatchObject({ understood: false, reason: "commands are nested deeper than 64" });
  });

  test("reading again gives the same, also after a refusal", () => {
    const first = parser.parse("ls -la | wc");
    parser.parse("( ( ".repeat(500));
    parser.parse("echo `id`");
    expect(parser.parse("ls -la | wc")).toEqual(first);
  });

  test("substitutions are read 32 deep, not deeper", () => {
    const nested = (depth: number) => `ls ${"$(ls ".repeat(depth)}${")".repeat(depth)}`;
    const deepest = parser.parse(nested(32));
    expect(deepest.understood && deepest.commands.length).toBe(33);
    expect(deepest.understood && deepest.commands[0]?.within.length).toBe(32);
    expect(parser.parse(nested(33))).toMatchObject({
      understood: false,
      reason: "expansions are nested deeper than 32",
    });
  });
});
