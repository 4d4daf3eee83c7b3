import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { systemClock } from "../../../src/platform/clock.ts";
import { nestTag } from "../../../src/platform/processes/process-row.ts";
import {
  isAlive,
  parsePsTable,
  processesWithTag,
  readFamily,
  readPsTable,
  type Spawn,
  startTimeOf,
} from "../../../src/platform/processes/process-table.ts";
import { type Running, spawnToFile } from "../../../src/platform/processes/spawn-to-file.ts";
import { stopSpawn } from "../../../src/platform/processes/stop-ladder.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const SHORT = { interruptMs: 50, terminateMs: 50 };

async function shells() {
  const project = await tempProject();
  const tags: string[] = [];
  return {
    ...project,
    start(script: string, tag: string = crypto.randomUUID()): Running {
      tags.push(tag);
      return spawnToFile({
        file: "/bin/bash",
        args: ["--noprofile", "--norc", "-c", script],
        cwd: project.dir,
        env: { PATH: "/usr/bin:/bin", QUOLL_SPAWN: nestTag(undefined, tag) },
        tag,
        outputPath: project.path(`out-${tags.length}`),
      });
    },
    up: () => until(() => existsSync(project.path("up"))),
    async [Symbol.asyncDispose]() {
      const left = tags.flatMap((tag) => processesWithTag(tag));
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      await project[Symbol.asyncDispose]();
      expect(left.map((row) => row.command())).toEqual([]);
    },
  };
}

describe("the ladder", () => {
  test("ends a polite command by SIGINT", async () => {
    await using shell = await shells();
    const running = shell.start("trap 'echo int; exit 3' INT; touch up; while :; do sleep 0.01; done");
    await shell.up();
    const { ended, survivors } = await stopSpawn(running, systemClock, { interruptMs: 5_000, terminateMs: 5_000 });
    expect(ended[0]).toStartWith(`${running.pid} /bin/bash --noprofile`);
    expect(survivors).toEqual([]);
    expect(await running.exited).toEqual({ exitCode: 3, signal: undefined });
  });

  test("sends SIGTERM, then SIGKILL, each after its delay", async () => {
    await using shell = await shells();
    const running = shell.start("trap 'echo int' INT; trap 'echo term' TERM; touch up; while :; do sleep 0.01; done");
    await shell.up();
    // Long enough for a busy machine to run both traps.
    await stopSpawn(running, systemClock, { interruptMs: 400, terminateMs: 400 });
    expect(await running.exited).toEqual({ exitCode: undefined, signal: "SIGKILL" });
    expect(readFileSync(shell.path("out-1"), "utf8")).toMatch(/^int\n(?:Terminated\n)?term\n$/);
  });

  test("ends children, other sessions, orphans and stopped processes", async () => {
    await using shell = await shells();
    const running = shell.start(
      "(setsid bash -c 'trap \"\" INT TERM; sleep 1000; sleep 1000' &); sleep 1001 & kill -STOP $!; for i in 1 2 3 4 5; do sleep 1002 & done; touch up; exit 0",
    );
    await running.exited;
    await until(() => readFamily(running).members.length >= 8);
    const { ended, survivors } = await stopSpawn(running, systemClock, SHORT);
    expect(ended.length).toBeGreaterThanOrEqual(8);
    expect({ survivors, left: readFamily(running).members.length }).toEqual({ survivors: [], left: 0 });
  });

  test("reaches a child that dropped the tag from its environment, as long as its parent is known", async () => {
    await using shell = await shells();
    const running = shell.start("setsid env -i /bin/sleep 1000 & touch up; wait");
    await shell.up();
    const find = () => readFamily(running).members.find((row) => row.command() === "/bin/sleep 1000");
    await until(() => find() !== undefined);
    const child = find();
    // The process has no environment at all, and does not exec another program.
    expect(child?.isStarting()).toBe(false);
    await stopSpawn(running, systemClock, SHORT);
    expect(child && isAlive(child)).toBe(false);
  });

  deepTest("outruns a command that forks while it is being ended", async () => {
    await using shell = await shells();
    const running = shell.start(
      "trap '' INT TERM; touch up; while :; do (trap '' INT TERM; setsid sleep 5) & sleep 0.005; done",
    );
    await shell.up();
    expect((await stopSpawn(running, systemClock, SHORT)).survivors).toEqual([]);
    expect(readFamily(running).members).toEqual([]);
  });

  test("does nothing for what has ended, nor to a stranger with the same pid", async () => {
    await using shell = await shells();
    const stranger = shell.start("touch up; sleep 1000");
    await shell.up();
    const past: Spawn = { pid: stranger.pid, startTime: "1", tag: crypto.randomUUID() };
    expect(await stopSpawn(past, systemClock, SHORT)).toEqual({ ended: [], survivors: [] });
    expect(isAlive(stranger)).toBe(true);
    await stopSpawn(stranger, systemClock, SHORT);
    expect(isAlive(stranger)).toBe(false);
  });
});

describe("the process table", () => {
  test("finds by tag, also the outer one of two", async () => {
    await using shell = await shells();
    const running = shell.start(`touch up; QUOLL_SPAWN="$QUOLL_SPAWN:inner" sleep 1000 & wait`);
    await shell.up();
    await until(() => processesWithTag("inner").length > 0);
    expect(processesWithTag("inner").map((row) => row.command())).toEqual(["sleep 1000"]);
    expect(processesWithTag(running.tag).length).toBe(2);
    expect(processesWithTag(running.tag.slice(1))).toEqual([]);
    await stopSpawn(running, systemClock, SHORT);
  });

  test("no settled look misses a process that forks and ends, again and again, in a group of its own", async () => {
    await using shell = await shells();
    const hop = 'hop() { n=$((n+1)); [ "$n" -gt 60 ] && exec sleep 1000; hop & exit; }; hop';
    const running = shell.start(`until [ -e up ]; do sleep 0.01; done; setsid bash -c '${hop}' & exit`);
    // These younger processes are read first. In this time, the process that a listing has found last often ends.
    const crowd = shell.start("mkfifo gate; for i in {1..60}; do read <> gate & done; touch up; wait");
    await shell.up();
    const settled: number[] = [];
    await until(() => {
      const { members, isSettled } = readFamily(running, { recent: true });
      if (isSettled) settled.push(members.length);
      return members.some((row) => row.command() === "sleep 1000");
    });
    expect(settled).not.toContain(0);
    // Beside ten loops that start programs, more than half of the looks are settled: none at all is a fault of the reading.
    expect(settled).not.toEqual([]);
    await stopSpawn(running, systemClock, SHORT);
    await stopSpawn(crowd, systemClock, SHORT);
  });

  test("a start time names one process, and nothing when there is none", () => {
    expect(startTimeOf(process.pid)).toMatch(/^\d+$/);
    expect(startTimeOf(2 ** 30)).toBeUndefined();
  });

  test("the form of ps is read, names with brackets and spaces included", () => {
    const rows = parsePsTable(
      "  12     1    12 Ss   Mon Nov 16 10:00:00 2026 /bin/a (b) c QUOLL_SPAWN=x:y HOME=/r\n 13 12 12 Z+ Mon Nov 16 10:00:01 2026 <defunct>\nrubbish\n",
    );
    expect(
      rows.map(({ carries, command, isStarting: _, ...row }) => ({
        ...row,
        command: command(),
        carries: [carries("y"), carries("z")],
      })),
    ).toEqual([
      {
        pid: 12,
        parentPid: 1,
        groupId: 12,
        startTime: "Mon Nov 16 10:00:00 2026",
        isZombie: false,
        command: "/bin/a (b) c",
        carries: [true, false],
      },
      {
        pid: 13,
        parentPid: 12,
        groupId: 12,
        startTime: "Mon Nov 16 10:00:01 2026",
        isZombie: true,
        command: "<defunct>",
        carries: [false, false],
      },
    ]);
  });

  test.skipIf(!existsSync("/bin/ps"))("a real ps shows a real tag", async () => {
    await using shell = await shells();
    const running = shell.start("touch up; sleep 1000 & wait");
    await shell.up();
    const row = readPsTable().find(({ pid }) => pid === running.pid);
    expect(row?.groupId).toBe(running.pid);
    expect(row?.carries(running.tag)).toBe(true);
    await stopSpawn(running, systemClock, SHORT);
  });
});

describe("spawning", () => {
  test("a program that isn't there, or a folder that isn't, is one line", async () => {
    await using project = await tempProject();
    const request = { args: [], cwd: project.dir, env: { QUOLL_SPAWN: "t" }, tag: "t" };
    expect(() => spawnToFile({ ...request, file: "/nowhere/bash", outputPath: project.path("a") })).toThrow(
      `/nowhere/bash could not be started in ${project.dir}`,
    );
    expect(() =>
      spawnToFile({ ...request, file: "/bin/sh", cwd: project.path("gone"), outputPath: project.path("b") }),
    ).toThrow(`/bin/sh could not be started in ${project.path("gone")}`);
  });

  test("an existing output file is never written to", async () => {
    await using project = await tempProject({ out: "mine" });
    const request = { file: "/bin/sh", args: ["-c", "echo x"], cwd: project.dir, env: { QUOLL_SPAWN: "t" }, tag: "t" };
    expect(() => spawnToFile({ ...request, outputPath: project.path("out") })).toThrow();
    expect(await project.read("out")).toBe("mine");
  });
});
