import { describe, expect, test } from "bun:test";
import { foldOutput } from "../../../../src/services/tools/bash/fold-output.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { bashSession } from "./bash-session.ts";

const times = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));

describe("long output", () => {
  test("folds rows of dots and progress to their first and last line", () => {
    const dots = times(100, () => ".".repeat(80));
    const progress = times(100, (at) => `Downloading ${at + 1} % of 20.${at} MB`);
    expect(foldOutput(["start", ...dots, "between", ...progress, "done"].join("\n"))).toEqual({
      text: [
        ...["start", dots[0], "[… 98 lines like those above]", dots[99], "between"],
        ...[progress[0], "[… 98 lines like those above, with other numbers]", progress[99], "done"],
      ].join("\n"),
      foldedLines: 196,
    });
  });

  test("folds the same lines behind each test of TAP, and keeps each test's name and every failure", () => {
    const detail = (at: number) => ["  ---", `  duration_ms: ${at / 7}`, "  type: 'test'", "  ..."];
    const passed = times(60, (at) => `ok ${at + 1} - case ${String.fromCharCode(97 + (at % 26)).repeat(3 + (at % 5))}`);
    const failed = ["not ok 61 - broken", "  ---", "  duration_ms: 0.5", "  error: 'Expected 1, got 2'", "  ..."];
    const { text } = foldOutput([...passed.flatMap((line, at) => [line, ...detail(at)]), ...failed].join("\n"));
    for (const line of [...passed, ...failed]) expect(text).toContain(line);
    expect(text.match(/duration_ms/g)).toHaveLength(2);
  });

  test.each([
    ["columns", (at: number, price: number) => `BR-0${at}    Hinge ${at}      ${price}.20     ${price + 7}.05`],
    ["tabs", (at: number, price: number) => `${at}\t${price}\t${price * 2}`],
    ["CSV", (at: number, price: number) => `hinge,${at},${price}.5`],
    ["a table of Markdown", (at: number, price: number) => `| ${at} | ${price} |`],
  ])("keeps rows of data in %s that differ only in their numbers", (_, row) => {
    const table = (price: number) => Array.from({ length: 80 }, (_, at) => row(at + 100, price + at));
    const text = ["Prices until 2025", ...table(300), "Prices from 2026", ...table(500)].join("\n").padEnd(4_100);
    expect(foldOutput(text)).toEqual({ text, foldedLines: 0 });
  });

  test("folds the same stack under several failures, and keeps what each says", () => {
    const stack = (at: number) =>
      times(20, (frame) => `    at frame${"abcdefghijklmnopqrst"[frame]} (src/file.ts:${at}:${frame})`);
    const failures = ["a", "b", "c", "d"].map((name, at) => [
      `Error: case ${name} failed with code ${at}`,
      ...stack(at),
    ]);
    const { text, foldedLines } = foldOutput(
      [...times(100, (at) => `building ${"x".repeat(at)}`), ...failures.flat()].join("\n"),
    );
    for (const [line = ""] of failures) expect(text).toContain(line);
    expect(foldedLines).toBe(60);
  });

  test("shortens a line that is a run of one sign", () => {
    const { text } = foldOutput(`${"word ".repeat(500)}\n${"-".repeat(5_000)}\nend`);
    expect(text).toEndWith(`\n${"-".repeat(20)}[… 4980 more]\nend`);
  });

  test("two lines that may name a trouble are only the same when they are equal", () => {
    const lines = times(200, (at) => `FAIL case ${at} in a file with a long name`);
    expect(foldOutput(lines.join("\n")).foldedLines).toBe(0);
  });

  test.each([
    ["jest", ["Test Suites: 5 passed, 5 total", "Tests:       40 passed, 40 total", "Snapshots:   0 total"]],
    ["vitest", [" Test Files  3 passed (3)", "      Tests  12 passed | 1 skipped (13)"]],
    ["mocha", ["  12 passing (30ms)", "  1 failing"]],
    ["pytest", ["============ 12 passed in 0.30s ============"]],
    ["cargo", ["running 5 tests", "test result: ok. 5 passed; 0 failed; 0 ignored; finished in 0.01s"]],
    ["Go", ["ok  \texample.com/x/module\t0.012s", "ok  \texample.com/x/other\t(cached)"]],
    ["node", ["ℹ tests 5", "ℹ pass 5", "ℹ fail 0"]],
    ["TAP", ["# tests 5", "# pass 5", "# fail 0"]],
    ["Bun", [" 12 pass", " 0 fail", "Ran 12 tests across 3 files. [30.00ms]"]],
    ["Maven", ["Tests run: 5, Failures: 0, Errors: 0, Skipped: 0"]],
    [".NET", ["Passed!  - Failed: 0, Passed: 12, Skipped: 0, Total: 12"]],
    ["RSpec", ["12 examples, 0 failures"]],
    ["PHPUnit", ["OK (12 tests, 30 assertions)"]],
    ["unittest", ["Ran 12 tests in 0.003s", "OK"]],
  ])("never folds a summary of %s, however often it comes", (_, summary) => {
    const between = (at: number) => [`> package ${at}`, "", "building", "compiling 12 of 20 files", "linking", ""];
    const lines = Array.from({ length: 40 }, (_, at) => [
      ...between(at),
      ...summary.map((line) => line.replace("5", `${at}`)),
    ]).flat();
    const whole = [...times(80, () => "a row of output that comes again and again, and is long"), ...lines].join("\n");
    const { text, foldedLines } = foldOutput(whole);
    expect(foldedLines).toBeGreaterThan(70);
    for (const line of summary) {
      const shape = line.replace("5", "");
      expect(text.split("\n").filter((one) => one.replace(/\d+/g, "") === shape.replace(/\d+/g, ""))).toHaveLength(40);
    }
  });

  test("still folds rows of single tests that passed", () => {
    const rows = times(300, (at) => `✓ test ${at} passed`);
    expect(foldOutput(rows.join("\n")).foldedLines).toBeGreaterThan(290);
  });

  test("leaves short output, and output without repetition, unchanged", () => {
    const short = times(50, () => "same").join("\n");
    const long = times(300, (at) => `${at}: ${String.fromCharCode(97 + (at % 26)).repeat(1 + (at % 37))}`).join("\n");
    for (const text of [short, long]) expect(foldOutput(text)).toEqual({ text, foldedLines: 0 });
  });

  test("keeps the first of every line that differs in a letter, whatever the order", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { pick, chance, below } = seededRandom(seed);
      const words = ["alpha", "beta", "gamma", "error one", "not ok two", "", "    at frame (a.ts:1:2)", "......"];
      const lines = times(400, () => `${pick(words)} ${chance(0.5) ? "" : below(9)}`);
      const { text } = foldOutput(lines.join("\n"));
      for (const word of words) expect(text).toContain(word);
      expect(text.length).toBeLessThanOrEqual(lines.join("\n").length);
    }
  });
});

test("a command's result names the log with all of it; one that only looks is never folded", async () => {
  await using session = await bashSession();
  const loop = 'for i in $(seq 300); do echo "step $i of a build that says much"; done';
  const { text } = await session.run(`${loop}; touch made`);
  expect(text).toMatch(/\[298 repeated or near-equal lines were folded; all of it: \/\S+\.log\]\n\[exit code 0\]$/);
  const log = /all of it: (\S+)\]/.exec(text)?.[1] ?? "";
  expect((await Bun.file(log).text()).split("\n")).toHaveLength(301);
  await session.write("numbers.txt", times(300, (at) => `row ${at} of a table of numbers`).join("\n"));
  expect((await session.run("cat numbers.txt")).text.split("\n")).toHaveLength(301);
});
