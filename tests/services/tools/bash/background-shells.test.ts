import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { SPAWN_TAG_VARIABLE } from "../../../../src/platform/processes/process-row.ts";
import { spawnToFile } from "../../../../src/platform/processes/spawn-to-file.ts";
import { TaskRegistry } from "../../../../src/services/tasks/task-registry.ts";
import { BackgroundShells } from "../../../../src/services/tools/bash/background-shells.ts";
import { BASH_LIMITS } from "../../../../src/services/tools/bash/limits.ts";
import { WatchedLines } from "../../../../src/services/tools/bash/watched-lines.ts";
import { deepTest } from "../../../support/deep.ts";
import { until } from "../../../support/eventually.ts";
import { shortestTime } from "../../../support/shortest-time.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { bashSession, PATH, SHORT_LADDER } from "./bash-session.ts";

const background = { run_in_background: true };

describe("a command in the background", () => {
  test("returns at once with its task and its log", async () => {
    await using session = await bashSession();
    const { text, isError } = await session.run("sleep 1000", background);
    expect(text).toMatch(
      /^Started in the background as task b1; its output goes to \/\S+\.log\. Follow it with TaskOutput, end it with TaskStop\.$/,
    );
    expect(isError).toBe(false);
    expect(session.tasks.list()).toMatchObject([
      { id: "b1", kind: "shell", agentId: "main", title: "sleep 1000", status: "running" },
    ]);
  });

  test("gives only what is new since the last look, and its end", async () => {
    await using session = await bashSession();
    const step = (name: string) => `until test -e ${name}; do sleep 0.01; done`;
    await session.run(`echo one; touch first; ${step("go")}; echo two; printf three`, background);
    await until(() => existsSync(session.path("first")));
    const look = () => session.taskOutput({ task_id: "b1", block: false });
    expect((await look()).text).toBe("one\n[b1 is running]");
    expect((await look()).text).toBe("(nothing new)\n[b1 is running]");
    await session.write("go", "");
    expect((await session.taskOutput({ task_id: "b1" })).text).toBe("two\nthree\n[b1 completed with exit code 0]");
    expect((await look()).text).toBe("(nothing new)\n[b1 completed with exit code 0]");
  });

  test("ends the wait for it when it prints a line that it is watched for, once a line", async () => {
    await using session = await bashSession();
    const step = (name: string) => `until test -e ${name}; do sleep 0.01; done`;
    const script = `echo starting; echo Server READY; ${step("go")}; echo READY again; ${step("end")}; echo over`;
    await session.run(script, { ...background, notify_on: "ready" });
    const wait = async () => (await session.taskOutput({ task_id: "b1", timeout: 600_000 })).text;
    const state = "[b1 is running, watched for `ready`]";
    expect(await wait()).toBe(`starting\nServer READY\n${state}`);
    const second = wait();
    await session.write("go", "");
    expect(await second).toBe(`READY again\n${state}`);
    const third = wait();
    await session.write("end", "");
    expect(await third).toBe("over\n[b1 completed with exit code 0]");
  });

  test("ends the next wait with a line that is printed right after a look, and shows it then", async () => {
    await using project = await tempProject();
    const registry = new TaskRegistry({ clock: systemClock });
    const tasks = registry.seenBy(MAIN_AGENT);
    const shells = new BackgroundShells({
      clock: systemClock,
      limits: { ...BASH_LIMITS, ladder: SHORT_LADDER },
      tasks,
    });
    await using _ = { [Symbol.asyncDispose]: async () => void (await shells.closeAll()) };
    const tag = crypto.randomUUID();
    const env = { PATH, [SPAWN_TAG_VARIABLE]: tag };
    const logPath = project.path("out.log");
    const script = "echo ready one; exec sleep 1000";
    const spawn = spawnToFile({
      file: "/bin/sh",
      args: ["-c", script],
      cwd: project.dir,
      env,
      tag,
      outputPath: logPath,
    });
    await until(() => readFileSync(logPath, "utf8") !== "");
    const watched = new WatchedLines("ready");
    let isFirst = true;
    const lines: Pick<WatchedLines, "look"> = {
      look: async (...place) => {
        const found = await watched.look(...place);
        if (isFirst) appendFileSync(logPath, "ready two\n");
        isFirst = false;
        return found;
      },
    };
    const about = { owner: MAIN_AGENT, command: "", description: "", logPath, exited: spawn.exited, spawn };
    shells.add({ ...about, watched: { pattern: "ready", lines } });
    const { signal } = new AbortController();
    const wait = async (block: boolean) => (await tasks.output("b1", { block, timeoutMs: 600_000, signal })).text;
    expect(await wait(false)).toBe("ready one");
    expect(await wait(true)).toBe("ready two");
  });

  test("keeps a long word that may go on for the next look, so that no half of a key is shown", async () => {
    await using session = await bashSession();
    const step = (name: string) => `until test -e ${name}; do sleep 0.01; done`;
    const script = `printf 'Continue? [y/N] '; touch a; ${step("b")}; printf 'ghp_kdJfi39dkPqLz'; touch c; ${step("d")}; printf 'MxNcBv\\nlast-word'`;
    await session.run(script, background);
    const look = async () => (await session.taskOutput({ task_id: "b1", block: false })).text;
    await until(() => existsSync(session.path("a")));
    expect(await look()).toStartWith("Continue? [y/N]");
    await session.write("b", "");
    await until(() => existsSync(session.path("c")));
    expect(await look()).toBe("(nothing new)\n[b1 is running]");
    await session.write("d", "");
    const { text } = await session.taskOutput({ task_id: "b1" });
    expect(text).toBe("ghp_kdJfi39dkPqLzMxNcBv\nlast-word\n[b1 completed with exit code 0]");
  });

  test("can be moved there from the foreground: its call ends at once, and its output continues", async () => {
    await using session = await bashSession();
    const startedAt = Date.now();
    const running = session.run("echo one; touch first; until test -e go; do sleep 0.01; done; echo two");
    await until(() => existsSync(session.path("first")));
    const releasedAt = Date.now();
    expect(session.tasks.releaseCall("t1")).toBe(true);
    const { text, isError, display } = await running;
    expect(display).toMatchObject({ kind: "command", exitCode: undefined, taskId: "b1" });
    const [task] = session.tasks.list();
    // The two clocks may round differently.
    expect(task?.startedAt).toBeGreaterThanOrEqual(startedAt - 2);
    expect(task?.startedAt).toBeLessThanOrEqual(releasedAt);
    expect(text).toMatch(
      /^one\n\[moved to the background by the user.*\]\n\[left running: this command\. It is task b1;/,
    );
    expect([isError, session.tasks.releaseCall("t1")]).toEqual([false, false]);
    expect(session.tasks.list()).toMatchObject([{ id: "b1", status: "running" }]);
    await session.write("go", "");
    expect((await session.taskOutput({ task_id: "b1" })).text).toBe("one\ntwo\n[b1 completed with exit code 0]");
    await session.run("true");
    expect(session.tasks.releaseCall("t1")).toBe(false);
  });

  test("is ended at the timeout that its call gives it, and the call says so", async () => {
    await using session = await bashSession();
    const { text } = await session.run("sleep 1000", { ...background, timeout: 300 });
    expect(text).toContain("timeout of 300 ms");
    expect((await session.taskOutput({ task_id: "b1" })).text).toContain("b1 was stopped at its timeout of 300 ms");
    expect(session.announced).toEqual([]);
    await session.run("sleep 1000", { ...background, timeout: 300 });
    await until(() => session.announced.length > 0);
    expect(session.announced).toEqual(["b2 was stopped at its timeout of 300 ms"]);
    await until(() => session.alive().length === 0);
  });

  test("has no time limit without a timeout", async () => {
    await using session = await bashSession({ limits: { defaultTimeoutMs: 1, maxTimeoutMs: 1 } });
    await session.run("until test -e go; do sleep 0.01; done; echo end", background);
    await session.run("true", { timeout: 25_000 });
    await session.write("go", "");
    expect((await session.taskOutput({ task_id: "b1" })).text).toContain("end\n[b1 completed");
  });

  test("beyond the 64th is refused before it starts", async () => {
    await using session = await bashSession();
    const work = { refresh: async () => undefined, read: async () => "", stop: async () => undefined };
    const about = { kind: "shell", can: [], title: "x", description: "x", outputFile: "/x" } as const;
    for (let count = 0; count < 62; count += 1) session.tasks.add({ ...about, owner: MAIN_AGENT }, () => work);
    const names = ["a", "b", "c", "d", "e"];
    const started: PromiseSettledResult<unknown>[] = [];
    for (const name of names)
      started.push(...(await Promise.allSettled([session.run(`touch ${name}; sleep 1000`, background)])));
    expect(started.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    const reasons = started.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    for (const reason of reasons) expect(reason).toContain("64 background tasks run already, so nothing was started");
    await until(() => readdirSync(session.dir).length === 2);
    expect(session.tasks.list()).toHaveLength(64);
  });

  test("of an agent says that it ends with the agent's answer", async () => {
    await using session = await bashSession({ agent: { ...MAIN_AGENT, agentId: "a1", parentAgentId: "main" } });
    const { text } = await session.run("sleep 1000", background);
    expect(text).toContain("ended with your final answer");
    expect(text).toContain("TaskOutput before that");
  });

  deepTest("that fails says so as an error", async () => {
    await using session = await bashSession();
    await session.run("echo bad >&2; exit 5", background);
    const { text, isError } = await session.taskOutput({ task_id: "b1", timeout: "25000" });
    expect({ text, isError }).toEqual({ text: "bad\n[b1 failed with exit code 5]", isError: true });
  });

  test("a wait is over at its timeout, or at once when the user interrupts", async () => {
    await using session = await bashSession();
    await session.run("echo up; sleep 1000", background);
    expect((await session.taskOutput({ task_id: "b1", timeout: 30 })).text).toContain("[b1 is running]");
    const abort = new AbortController();
    const waiting = session.taskOutput({ task_id: "b1", timeout: 600_000 }, { signal: abort.signal });
    abort.abort(new Error("Esc"));
    expect((await waiting).text).toContain("[b1 is running]");
  });

  deepTest("that outlives its shell is one task until all its processes have ended", async () => {
    await using session = await bashSession();
    await session.run("(until test -e go; do sleep 0.01; done; echo late) & touch over; exit 0", background);
    await until(() => existsSync(session.path("over")) && session.alive().length === 1);
    expect(session.tasks.list()[0]?.status).toBe("running");
    await session.write("go", "");
    expect((await session.taskOutput({ task_id: "b1", timeout: 25_000 })).text).toBe(
      "late\n[b1 completed with exit code 0]",
    );
  });

  test("has no working folder to give back", async () => {
    await using session = await bashSession({ files: { "sub/a": "" } });
    await session.run("cd sub", background);
    await session.taskOutput({ task_id: "b1" });
    expect(session.workspace.cwd).toBe(session.dir);
  });

  deepTest("that floods its log is ended, and the report says so", async () => {
    await using session = await bashSession({ limits: { maxOutputBytes: 100_000 } });
    await session.run("yes", background);
    const { text } = await session.taskOutput({ task_id: "b1", timeout: 25_000 });
    expect(text.length).toBeLessThan(30_200);
    expect(text).toEndWith("[b1 was stopped: it printed more than 100000 bytes]");
    await until(() => session.alive().length === 0);
  });
});

describe("stopping", () => {
  test("ends a task and all that it started, and its state stays final", async () => {
    await using session = await bashSession();
    await session.run("trap '' INT TERM; setsid sleep 1000 & touch up; wait; sleep 1000", background);
    await until(() => existsSync(session.path("up")));
    expect((await session.taskStop({ task_id: "b1" })).text).toBe("b1 was stopped.");
    expect(session.alive()).toEqual([]);
    expect((await session.taskStop({ task_id: "b1" })).text).toBe("b1 was stopped.");
    expect(session.tasks.list()[0]?.status).toBe("cancelled");
  });

  deepTest("wakes waiting callers before its processes have ended", async () => {
    await using session = await bashSession({ limits: { ladder: { interruptMs: 60_000, terminateMs: 60_000 } } });
    await session.run("trap 'touch told' INT; touch up; until test -e end; do sleep 0.01; done", background);
    await until(() => existsSync(session.path("up")));
    const waiting = session.taskOutput({ task_id: "b1", timeout: 600_000 });
    const stopping = session.taskStop({ task_id: "b1" });
    expect((await waiting).text).toContain("[b1 is being stopped]");
    await until(() => existsSync(session.path("told")));
    await session.write("end", "");
    await stopping;
  });

  test("says within 0.3 s that a task is being stopped, and that it was stopped when its processes have ended", async () => {
    const stopsOne = async () => {
      await using session = await bashSession({ limits: { ladder: { interruptMs: 1_500, terminateMs: 100 } } });
      await session.run("trap '' INT TERM; touch up; while :; do sleep 0.02; done", background);
      await until(() => existsSync(session.path("up")));
      const { signal } = new AbortController();
      const askedAt = performance.now();
      const stopping = session.tasks.stop("b1", signal, "person");
      await until(() => session.tasks.list()[0]?.state === "is being stopped");
      const tookMs = performance.now() - askedAt;
      expect(session.alive()).not.toEqual([]);
      expect(session.tasks.list()).toMatchObject([{ status: "running", hasRemark: true, endedAt: undefined }]);
      expect(session.announced).toEqual([]);
      // A second request waits for the same end.
      const [first, second] = await Promise.all([stopping, session.tasks.stop("b1", signal, "person")]);
      expect(first).toEqual(second);
      expect(first).toMatchObject({ status: "cancelled", state: "was stopped by the user", hasRemark: false });
      expect(session.alive()).toEqual([]);
      expect(session.announced).toEqual(["b1 was stopped by the user"]);
      return tookMs;
    };
    expect(await shortestTime(300, stopsOne)).toBeLessThan(300);
  });

  test("an interrupted wait leaves the task with the state that it has, and its end still comes", async () => {
    await using session = await bashSession({ limits: { ladder: { interruptMs: 100, terminateMs: 100 } } });
    await session.run("trap '' INT TERM; touch up; while :; do sleep 0.02; done", background);
    await until(() => existsSync(session.path("up")));
    expect(await session.tasks.stop("b1", AbortSignal.abort(), "person")).toMatchObject({ state: "is being stopped" });
    await until(() => session.tasks.list()[0]?.state === "was stopped by the user");
    expect(session.alive()).toEqual([]);
  });

  test("an unknown task is answered with those that are known", async () => {
    await using session = await bashSession();
    await expect(session.taskStop({ task_id: "b7" })).rejects.toThrow(
      'There is no background task "b7". There are none.',
    );
    await session.run("true", background);
    await expect(session.taskOutput({ task_id: "b11" })).rejects.toThrow(
      'There is no background task "b11". Known are: b1. Did you mean b1?',
    );
  });
});

describe("the registry", () => {
  test("closing ends everything, tells what it ended, and takes nothing more", async () => {
    await using session = await bashSession();
    await session.run("true", background);
    await session.taskOutput({ task_id: "b1" });
    await session.run("trap '' INT TERM; while :; do sleep 0.02; done", background);
    await session.run("sleep 1000 & true");
    const ended = await session.shells.closeAll();
    expect(ended.map(({ id, title, status }) => ({ id, title, status }))).toEqual([
      { id: "b2", title: "trap '' INT TERM; while :; do sleep 0.02; done", status: "cancelled" },
      { id: "b3", title: "sleep 1000 & true", status: "cancelled" },
    ]);
    expect(session.alive()).toEqual([]);
    expect(await session.shells.closeAll()).toEqual([]);
    await expect(session.run("sleep 1000", background)).rejects.toThrow("The session ends");
    await session.shells.closeAll();
    expect(session.alive()).toEqual([]);
  });

  deepTest("keeps the newest 50 finished tasks, and running ones whatever their age", async () => {
    await using session = await bashSession();
    await session.run("sleep 1000", background);
    for (let at = 0; at < 52; at += 1) {
      await session.run("true", background);
      await session.taskOutput({ task_id: `b${at + 2}` });
    }
    const ids = session.tasks.list().map(({ id }) => id);
    expect({ count: ids.length, first: ids[0], second: ids[1], last: ids.at(-1) }).toEqual({
      count: 51,
      first: "b1",
      second: "b4",
      last: "b53",
    });
  });

  deepTest("refuses more than 64 at once, and the refused one does not run on", async () => {
    await using session = await bashSession();
    for (let at = 0; at < 64; at += 1) await session.run("exec sleep 1000", background);
    await expect(session.run("exec sleep 2000", background)).rejects.toThrow("64 background tasks run already");
    await until(() => !session.alive().includes("sleep 2000") && session.alive().length === 64);
  });

  test("tells readers once what comes and what ends", async () => {
    await using session = await bashSession();
    await session.run("true", background);
    await session.taskOutput({ task_id: "b1" });
    await session.run("sleep 1000", background);
    await session.taskStop({ task_id: "b2" });
    await session.taskStop({ task_id: "b2" });
    expect(session.changes).toEqual([
      "b1 started running",
      "b1 ended completed",
      "b2 started running",
      "b2 changed running",
      "b2 ended cancelled",
    ]);
  });

  test("announces an end that no call of the model waits for or makes", async () => {
    await using session = await bashSession({ limits: { maxOutputBytes: 100_000 } });
    await session.run("until test -e go; do sleep 0.01; done", background);
    const waiting = session.taskOutput({ task_id: "b1" });
    await session.write("go", "");
    await waiting;
    await session.run("sleep 1000", background);
    await session.taskStop({ task_id: "b2" });
    expect(session.announced).toEqual([]);
    await session.run("exit 3", background);
    await session.run("head -c 200000 /dev/zero; exec sleep 1000", background);
    await until(() => session.announced.length === 2);
    expect(session.announced).toEqual([
      "b3 failed with exit code 3",
      "b4 was stopped: it printed more than 100000 bytes",
    ]);
  });

  test("names the process by pid and start time", async () => {
    await using session = await bashSession();
    await session.run("sleep 1000", background);
    const [task] = session.tasks.list();
    const { startTimeOf } = await import("../../../../src/platform/processes/process-table.ts");
    expect(task?.process?.startTime).toBe(startTimeOf(task?.process?.pid ?? 0));
    expect(task?.process?.startTime).toMatch(/^\d+$/);
  });
});
