import { expect, test } from "bun:test";
import { failedFilesIn, runAgain } from "../../scripts/run-again.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

/** Fails at its first run in a folder. */
const BUSY = `import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
test("busy", () => {
  const isSecond = existsSync("ran");
  writeFileSync("ran", "");
  expect(isSecond).toBe(true);
});
`;
const BROKEN = 'import { test } from "bun:test";\ntest("broken", () => {\n  throw new Error("Always");\n});\n';
const FINE = 'import { test } from "bun:test";\ntest("fine", () => undefined);\n';

/** Runs `bun test` in a folder of test files as `npm test` does. */
async function runIn(dir: string, files: readonly string[]) {
  const command = [process.execPath, "test", "--parallel=2", "--only-failures", ...files];
  const { err } = await runCommand(command, { cwd: dir });
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(err)?.[1] ?? 0);
  const failed = count("fail") + count("error") + count("errors");
  return { passed: count("pass"), failed, failedFiles: failedFilesIn(err, failed) };
}

test.each([
  ["fails only once passes alone", { "a.test.ts": BUSY, "b.test.ts": FINE }, ["Run again", "Passed alone"]],
  ["fails twice does not", { "a.test.ts": BROKEN, "b.test.ts": FINE }, ["Run again"]],
  ["fails twice beside one that fails once does not", { "a.test.ts": BROKEN, "b.test.ts": BUSY }, ["Run again"]],
  ["stands in a file that can't be read is not run again", { "a.test.ts": `${FINE}throw new Error("Import");\n` }, []],
  [
    "fails in each of four files is not run again",
    { "a.test.ts": BUSY, "b.test.ts": BROKEN, "c.test.ts": BROKEN, "d.test.ts": BROKEN },
    [],
  ],
])("a test that %s", async (_, files, told) => {
  await using place = await tempProject(files);
  const first = await runIn(place.dir, []);
  expect(first.failed).toBeGreaterThan(0);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await runAgain(first, (again) => runIn(place.dir, again), print);
  expect(lines.map((line) => /^[A-Z]\w+ \w+/.exec(line)?.[0])).toEqual(told);
});
