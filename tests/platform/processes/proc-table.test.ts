import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { lastPid, listPids } from "../../../src/platform/processes/proc-table.ts";

const isLinux = process.platform === "linux";
let child: Bun.Subprocess<"ignore", "pipe", "inherit">;
let threads: readonly number[] = [];

beforeAll(async () => {
  if (!isLinux) return;
  const program = "setInterval(() => {}, 1e6); require('node:fs').readFile('/dev/null', () => console.log('ready'))";
  child = Bun.spawn([process.execPath, "-e", program], { stdin: "ignore", stdout: "pipe" });
  await child.stdout.getReader().read();
  threads = readdirSync(`/proc/${child.pid}/task`)
    .map(Number)
    .filter((id) => id !== child.pid);
});
afterAll(() => child?.kill("SIGKILL"));

test.if(isLinux)("the pids above a recent one are the younger processes, without their threads", () => {
  expect(threads.length).toBeGreaterThan(0);
  for (const above of [child.pid - 1, child.pid, (lastPid() ?? 0) - 10, (lastPid() ?? 0) - 1_000]) {
    const pids = listPids(above);
    expect(pids.includes(child.pid)).toBe(child.pid > above);
    expect(listPids(above, new Set(pids)).filter((pid) => pids.includes(pid))).toEqual([]);
    expect(pids.filter((pid) => threads.includes(pid))).toEqual([]);
    expect(pids).toEqual(pids.filter((pid) => pid > above).sort((a, b) => a - b));
  }
});

test.if(isLinux)("a process that ended is not listed", async () => {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  expect(listPids(ended.pid - 1)).not.toContain(ended.pid);
});
