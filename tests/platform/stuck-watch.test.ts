import { expect, test } from "bun:test";
import { join } from "node:path";
import { processesWithTag } from "../../src/platform/processes/process-table.ts";
import { deepTest } from "../support/deep.ts";
import { WAIT_MS } from "../support/eventually.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const STUCK = join(import.meta.dir, "stuck-child.ts");

async function stuck(kind: string, more: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...more };
  const child = Bun.spawn([process.execPath, STUCK, kind], { stdout: "pipe", stderr: "pipe", env });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return { out, err, signal: child.signalCode };
}

test("a call that never pauses ends the program with a line that names it", async () => {
  expect(await stuck("at once")).toEqual({ out: "", err: "stuck in one\n", signal: "SIGKILL" });
});

test("the processes that the stuck code started end with the program, those that Quoll started are left to its own watch", async () => {
  const tag = crypto.randomUUID();
  const { signal } = await stuck("with children", { QUOLL_SPAWN: tag });
  const end = performance.now() + WAIT_MS;
  // The system needs a moment to end them.
  while (processesWithTag(tag).length > 2 && performance.now() < end) await Bun.sleep(2);
  const left = processesWithTag(tag);
  const ofQuoll = left.filter((row) => row.carries("of-quoll")).length;
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  expect({ left: left.length, ofQuoll, signal }).toEqual({ left: 2, ofQuoll: 2, signal: "SIGKILL" });
});

deepTest("a loop after a pause is named among the calls that wait", async () => {
  expect(await stuck("after a pause")).toEqual({ out: "", err: "stuck in waiting, one\n", signal: "SIGKILL" });
});

deepTest("calls with pauses, code that is not watched, and a closed watch end nothing", async () => {
  expect(await stuck("busy")).toEqual({ out: "done\n", err: "", signal: null });
});

test("the terminal is as before, and the line stands below the screen", async () => {
  await using terminal = terminalProcess(["sh", "-c", `"$0" "$1" "on the screen"; stty -a`, process.execPath, STUCK]);
  await terminal.shows(/stuck in one(?:.|\n)*[^-]icanon/);
  expect(terminal.output).toContain("\u001b[?25h");
});
