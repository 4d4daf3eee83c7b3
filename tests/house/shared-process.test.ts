import { expect, test } from "bun:test";
import { join } from "node:path";
import { cpuPerRoom } from "../../scripts/cpu-per-room.ts";
import { ROOT } from "../support/built.ts";
import { leaksBetween, processState } from "../support/process-state.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

const PRELOAD = join(ROOT, "tests/support/preload.ts");

test.each([
  ["an environment variable", 'process.env["LEFT"] = "1";', "process.env.LEFT"],
  ["another working directory", 'process.chdir("/");', "the working directory"],
  ["another clock", "globalThis.Date = class extends Date {};", "globalThis.Date"],
  ["another fetch", "globalThis.fetch = Object.assign(async () => new Response(), fetch);", "globalThis.fetch"],
  ["a listener for faults", 'process.on("uncaughtException", () => {});', "the listeners for uncaughtException"],
])("a test file fails that leaves %s to the files after it", async (_, code, named) => {
  await using place = await tempProject({
    "a.test.ts": `import { test } from "bun:test";\ntest("a", () => {\n${code}\n});\n`,
    "b.test.ts": 'import { test } from "bun:test";\ntest("b", () => {});\n',
  });
  const command = [process.execPath, "test", "--no-isolate", "--parallel=2", "--preload", PRELOAD];
  const { code: exitCode, err } = await runCommand(command, { cwd: place.dir });
  expect(exitCode).toBe(1);
  expect(err).toContain(`a.test.ts leaves changed, for the files after it: ${named}`);
  expect(err).not.toContain("b.test.ts leaves");
});

test("a value that is put back is no leak", () => {
  const before = processState();
  process.env["LEFT"] = "1";
  expect(leaksBetween(before, processState())).toEqual(["process.env.LEFT"]);
  delete process.env["LEFT"];
  expect(leaksBetween(before, processState())).toEqual([]);
});

test("the processor time of a file is what its process took since the file before", () => {
  const file = (path: string) => join(ROOT, path);
  const log = [
    `1 100 ${file("tests/engine/a.test.ts")}`,
    `2 50 ${file("tests/services/tools/grep/b.test.ts")}`,
    `1 130 ${file("tests/services/tools/c.test.ts")}`,
    `2 500 ${file("tests/e2e/d.test.ts")}`,
    `1 150 ${file("packages/async/tests/e.test.ts")}`,
  ].join("\n");
  expect(cpuPerRoom(`${log}\n`)).toEqual([
    ["tests/e2e", 450],
    ["tests/engine", 100],
    ["tests/services/tools", 80],
    ["packages/async", 20],
  ]);
});
