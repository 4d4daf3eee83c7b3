import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { missingLines, missingPrograms, skippedFiles } from "../../scripts/missing-programs.ts";
import { runCommand } from "../support/run-command.ts";

setDefaultTimeout(60_000);

const HAS_BUBBLEWRAP = process.platform === "linux";

// `npm test` leaves out the tests that need one of these where there is none, and says so.
const PROGRAMS: readonly (readonly [program: string, ...args: string[]])[] = [
  ["bash", "--version"],
  ["git", "--version"],
  ["tmux", "-V"],
  ...(HAS_BUBBLEWRAP ? [["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"] as const] : []),
];

for (const [program, ...args] of PROGRAMS)
  test.skipIf(program !== "bash" && Bun.which(program) === null)(`${program} is installed and works`, async () => {
    expect(await runCommand([program, ...args], { cwd: "/" })).toMatchObject({ code: 0 });
  });

test("the list of test files that need a program names files that exist", () => {
  const missing = missingPrograms(() => false);
  expect(missing.map(({ name }) => name)).toEqual(["git", "tmux", "bubblewrap"]);
  for (const file of skippedFiles(missing))
    expect([file, existsSync(join(import.meta.dir, "../..", file))]).toEqual([file, true]);
  expect(missingPrograms(() => true)).toEqual([]);
});

test("each missing program is named in one line, and the tests that it leaves out are counted", () => {
  const lines = missingLines(missingPrograms((program) => program !== "tmux"));
  expect(lines).toEqual([
    expect.stringMatching(/^tmux is not installed: [1-9]\d* test files/),
    expect.stringMatching(/^[1-9]\d* skipped/),
  ]);
  expect(missingLines([])).toEqual([]);
});
