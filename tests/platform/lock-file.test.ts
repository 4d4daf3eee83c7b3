import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { tryLock, waitForLock } from "../../src/platform/lock-file.ts";
import { isRunning, ownIdentity, processStartTime } from "../../src/platform/process-identity.ts";
import { tempProject } from "../support/temp-project.ts";

const LOCK_MODULE = new URL("../../src/platform/lock-file.ts", import.meta.url).pathname;

/** A real second process that takes a lock, says what it got, and waits for its stdin to end. */
function otherProcess(path: string) {
  const script = `import { tryLock } from ${JSON.stringify(LOCK_MODULE)};
    const got = tryLock(${JSON.stringify(path)});
    console.log("lock" in got ? "got it" : "held by " + got.holder?.pid);
    for await (const _ of process.stdin) {}`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  return {
    pid: child.pid,
    said: async () => new TextDecoder().decode((await reader.read()).value).trim(),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

test("one process holds a lock; the next process learns who holds the lock", async () => {
  await using project = await tempProject();
  const path = project.path("x.lock");
  const first = tryLock(path);
  if (!("lock" in first)) throw new Error("not locked");
  const second = tryLock(path);
  expect(second).toMatchObject({ holder: { pid: process.pid, host: hostname() } });
  first.lock.release();
  first.lock.release();
  const third = tryLock(path);
  expect("lock" in third).toBe(true);
  expect(readdirSync(project.dir)).toEqual(["x.lock"]);
});

test("a lock of another live process is respected, and taken over once that process was killed", async () => {
  await using project = await tempProject();
  const path = project.path("x.lock");
  await using other = otherProcess(path);
  expect(await other.said()).toBe("got it");
  expect(tryLock(path)).toMatchObject({ holder: { pid: other.pid } });
  await other.kill();
  expect("lock" in tryLock(path)).toBe(true);
  expect(readdirSync(project.dir)).toEqual(["x.lock"]);
});

test("a reused pid with another start time is not the holder", async () => {
  await using project = await tempProject();
  const identity = { ...ownIdentity(), startTime: "1" };
  await project.write("x.lock", JSON.stringify({ ...identity, since: "2026-01-01T00:00:00Z", nonce: "n" }));
  expect("lock" in tryLock(project.path("x.lock"))).toBe(true);
});

test("a lock of another host or container is never taken over", async () => {
  await using project = await tempProject();
  const own = ownIdentity();
  for (const [name, change] of [
    ["host", { host: "elsewhere" }],
    ["container", { pidNamespace: "pid:[1]" }],
  ] as const) {
    await project.write(name, JSON.stringify({ ...own, pid: 999_999, ...change, since: "s", nonce: "n" }));
    expect(tryLock(project.path(name))).toMatchObject({ holder: { pid: 999_999 } });
  }
});

test("a file that is not one of our locks is left alone", async () => {
  await using project = await tempProject({ "x.lock": "mine" });
  expect(tryLock(project.path("x.lock"))).toEqual({ holder: undefined });
  expect(await project.read("x.lock")).toBe("mine");
});

test("a takeover that died half-way is itself taken over", async () => {
  await using project = await tempProject();
  const dead = { ...ownIdentity(), startTime: "1", since: "s" };
  writeFileSync(project.path("x.lock"), JSON.stringify({ ...dead, nonce: "a" }));
  writeFileSync(project.path("x.lock.takeover"), JSON.stringify({ ...dead, nonce: "b" }));
  expect("lock" in tryLock(project.path("x.lock"))).toBe(true);
  expect(readdirSync(project.dir)).toEqual(["x.lock"]);
});

test("exactly one of many processes that find a stale lock gets it", async () => {
  await using project = await tempProject();
  const path = project.path("x.lock");
  writeFileSync(path, JSON.stringify({ ...ownIdentity(), startTime: "1", since: "s", nonce: "a" }));
  const others = Array.from({ length: 5 }, () => otherProcess(path));
  try {
    const said = await Promise.all(others.map((other) => other.said()));
    expect(said.filter((line) => line === "got it")).toHaveLength(1);
  } finally {
    await Promise.all(others.map((other) => other.kill()));
  }
});

test("waiting for a lock ends when it is released", async () => {
  await using project = await tempProject();
  const path = project.path("x.lock");
  const first = tryLock(path);
  if (!("lock" in first)) throw new Error("not locked");
  const waiting = waitForLock(path, 25_000);
  first.lock.release();
  expect("lock" in (await waiting)).toBe(true);
});

test("waiting for a lock gives up at its time", async () => {
  await using project = await tempProject();
  tryLock(project.path("x.lock"));
  expect(await waitForLock(project.path("x.lock"), 30)).toMatchObject({ holder: { pid: process.pid } });
});

test("the own process counts as running, with its own start time; no process has number 0", () => {
  const own = ownIdentity();
  expect([isRunning(own), isRunning({ ...own, startTime: "" }), processStartTime(0)]).toEqual([
    "yes",
    "yes",
    undefined,
  ]);
  expect(isRunning({ ...own, bootId: "another start of the machine" })).toBe(own.bootId === "" ? "yes" : "no");
});
