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

test.if(isLinux)("the pids from a recent one on are the younger processes, without their threads", () => {
  expect(threads.length).toBeGreaterThan(0);
  for (const from of [child.pid - 1, child.pid, child.pid + 1, (lastPid() ?? 0) - 10, (lastPid() ?? 0) - 1_000]) {
    if (from > (lastPid() ?? 0)) continue;
    const pids = listPids(from);
    expect(pids.includes(child.pid)).toBe(child.pid >= from);
    expect(listPids(from, new Set(pids)).filter((pid) => pids.includes(pid))).toEqual([]);
    expect(pids.filter((pid) => threads.includes(pid))).toEqual([]);
    expect(pids).toEqual(pids.filter((pid) => pid >= from).sort((a, b) => a - b));
  }
});

test.if(isLinux)("a process that ended is not listed", async () => {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  expect(listPids(ended.pid)).not.toContain(ended.pid);
});

test.if(isLinux)("every pid is listed after the numbers have started over", () => {
  expect(listPids((lastPid() ?? 0) + 1_000)).toContain(child.pid);
});
