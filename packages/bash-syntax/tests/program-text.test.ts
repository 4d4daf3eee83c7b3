import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { longerInDeep } from "../../../tests/support/deep.ts";
import { programTextIsHarmless } from "../src/program-text.ts";
import { Random, SEED } from "./random.ts";

const TEST_TIMEOUT_MS = 60_000;
const version = spawnSync("sed", ["--version"], { encoding: "utf8" });
const hasGnuSed =
  version.status === 0 &&
  /GNU sed/.test(version.stdout) &&
  spawnSync("sed", ["--sandbox", "p"], { input: "" }).status === 0;

const FRAGMENTS = [
  ..."pdq=nNDPhHgGxlz;}{!/|,$\\ \n[]&se w r e".split(""),
  ..."s/a/b/|s/[/]/x/|s/[[:alpha:]/]/y/|s|a|b||s,x,y,w f|s/a/b/e|s/a/b/gp|/x/|/[/]/|1,3|$!|2~3|+2|:a|ba|t|y/ab/cd/|w f|r f|e|e id|1e|R f|W f|\\/|[^]]|[\\]]|[[.a.]]|;w f|;e|a\\|i x|I|M|}|#|[a/;w f".split(
    "|",
  ),
  "s/[[:alpha:]/]/;s/w f/",
  "s/x/\\\n/",
];

describe.skipIf(!hasGnuSed)(`a real sed (seed ${SEED})`, () => {
  longerInDeep(
    "no script that counts as harmless runs, reads or writes anything",
    async (isWhole) => {
      const most = isWhole ? 400 : 150;
      const random = new Random(SEED + 7);
      const accepted = new Set<string>();
      for (let round = 0; round < 120_000 && accepted.size < most; round += 1) {
        const script = random.many(1, 6, () => random.pick(FRAGMENTS));
        if (programTextIsHarmless("sed", script)) accepted.add(script);
      }
      expect(accepted.size).toBeGreaterThan(0.75 * most);
      const wrong = [...accepted].filter((script) => {
        const { stderr } = spawnSync("sed", ["--sandbox", "-n", script], { input: "", encoding: "utf8" });
        return /sandbox/.test(stderr);
      });
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test("the check sees a script that writes", () => {
    const { stderr } = spawnSync("sed", ["--sandbox", "-n", "w x"], { input: "", encoding: "utf8" });
    expect(stderr).toContain("sandbox");
  });
});

describe("programs given in an argument", () => {
  test.each([
    ["sed", "s/a/b/", true],
    ["sed", "s/[^/]*$//", false],
    ["sed", "s|[^/]*$||", true],
    ["sed", "/^#/d;/^$/d", true],
    ["sed", "1,/x/{s/a/b/;p}", true],
    ["sed", "{p", false],
    ["sed", "p}", false],
    ["sed", "s/a/b", false],
    ["sed", "s", false],
    ["sed", "", true],
    ["sed", "p;;p", true],
    ["sed", "pp", false],
    ["sed", "s/a/b/;#e", false],
    ["awk", "{print}", true],
    ["awk", "$1 > 5", true],
    ["awk", "{print $1 > 5}", false],
    ["awk", '{x = x \\\n|"sh"}', false],
    ["awk", "a || b", true],
    ["awk", "a ||| b", false],
    ["awk", "BEGIN { SYSTEM = 1 }", true],
    ["jq", ".env", false],
    ["jq", ".environment", true],
    ["yq", ".a.load", true],
    ["yq", ".a | load(.b)", false],
    ["yq", ".[load]", false],
    ["yq", "..", true],
  ] as const)("%s %j: %p", (language, text, expected) => {
    expect(programTextIsHarmless(language, text)).toBe(expected);
  });

  test("long and deep ones end with an answer", () => {
    const texts = [
      "{".repeat(50_000),
      "s/a/b/;".repeat(10_000),
      "/".repeat(50_000),
      "[".repeat(20_000),
      `s/${"[a]".repeat(10_000)}/`,
    ];
    expect(texts.map((text) => programTextIsHarmless("sed", text))).toEqual([false, true, false, false, false]);
    expect(texts.map((text) => programTextIsHarmless("awk", text)).every((answer) => answer === true)).toBe(true);
  });
});
