/**
 * `npm test`: types, lint, floors, unused exports, docs and all tests. Arguments go to `bun test` and leave the other
 * checks out. The last line is `N passed, N failed`; the exit code is 1 unless all passed.
 */
import { join } from "node:path";
import { runChecks } from "./checks.ts";

const ROOT = join(import.meta.dir, "..");
/** Of one test: a machine that does other things too may be many times slower. */
const TIMEOUT_MS = "30000";
const selection = process.argv.slice(2);
const checks = selection.length > 0 ? { passed: 0, failed: 0 } : await runChecks();

const child = Bun.spawn([process.execPath, "test", "--timeout", TIMEOUT_MS, ...selection], {
  cwd: ROOT,
  stdout: "pipe",
  stderr: "pipe",
  env: { ...process.env, CI: "1" },
});
// The runner reports on stderr; a passing test is worth no line.
const [, report, code] = await Promise.all([
  new Response(child.stdout).text(),
  new Response(child.stderr).text(),
  child.exited,
]);
const lines = report.split("\n").filter((line) => !/^\(pass\)/.test(line));
console.log(code === 0 ? lines.slice(-6).join("\n").trimEnd() : lines.join("\n").trimEnd());

const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
const passed = checks.passed + count("pass");
const errors = count("error") + count("errors");
const failed = checks.failed + Math.max(count("fail") + errors, code === 0 ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
