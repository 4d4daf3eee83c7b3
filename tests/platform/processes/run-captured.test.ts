import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CapturedRun, runCaptured } from "../../../src/platform/processes/run-captured.ts";
import { eventually, isRunning } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const shell = (script: string, more: Partial<CapturedRun> = {}): CapturedRun => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin", GIVEN: "yes" },
  timeoutMs: 25_000,
  maxBytes: 1_000,
  ...more,
});

test("both outputs, the exit code and the input are passed on, and nothing of our own environment", async () => {
  process.env["QUOLL_TEST_LEAK"] = "leak";
  const script = 'cat; echo "$GIVEN$QUOLL_TEST_LEAK"; echo no >&2; exit 7';
  expect(await runCaptured(shell(script, { input: "in\n" }))).toEqual({
    kind: "ended",
    exitCode: 7,
    stdout: "in\nyes\n",
    stderr: "no\n",
  });
  delete process.env["QUOLL_TEST_LEAK"];
});

test("stdin is a nameless file of mode 0600 that a program can open by its name, whatever the size of the input", async () => {
  const input = "0123456789".repeat(200_000);
  const script = "stat -L -c '%F %a %h' /dev/stdin; wc -c < /dev/stdin; cat /dev/stdin | tail -c 3";
  expect(await runCaptured(shell(script, { input }))).toMatchObject({
    exitCode: 0,
    stdout: "regular file 600 0\n2000000\n789",
  });
});

test("stdin needs no usable folder of TMPDIR", async () => {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = "/no/such";
  try {
    expect(await runCaptured(shell("cat", { input: "in" }))).toMatchObject({ exitCode: 0, stdout: "in" });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});

test("a program without an input reads none", async () => {
  expect(await runCaptured(shell("cat /dev/stdin; cat"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});

test("a program that doesn't read its input, one that isn't there and one that a signal ends are answers", async () => {
  const input = "x".repeat(1_000_000);
  expect(await runCaptured(shell("exit 0", { input }))).toMatchObject({ kind: "ended", exitCode: 0 });
  expect(await runCaptured({ ...shell(""), file: "/no/such" })).toEqual({ kind: "not-started", reason: "ENOENT" });
  expect(await runCaptured({ ...shell("true"), cwd: "/no/such" })).toMatchObject({ kind: "not-started" });
  expect(await runCaptured(shell("kill -TERM $$"))).toMatchObject({ kind: "ended", exitCode: undefined });
});

test.each([
  ["leaves", 'process.on("SIGTERM", () => process.exit(3));', 3],
  ["is ended by a signal", "", 143],
])("a process that %s meanwhile takes it along", async (_, listening, code) => {
  const module = join(import.meta.dir, "../../../src/platform/processes/run-captured.ts");
  const script = `
    import { runCaptured } from ${JSON.stringify(module)};
    const run = { file: "/bin/sh", args: ["-c", "echo $$ > $PIDFILE; exec sleep 60"], cwd: "/", timeoutMs: 60_000, maxBytes: 9 };
    ${listening}
    void runCaptured({ ...run, env: { PIDFILE: process.env.PIDFILE, PATH: "/usr/bin:/bin" } });`;
  await using place = await tempProject({});
  const PIDFILE = place.path("pid");
  const child = Bun.spawn([process.execPath, "-e", script], { env: { ...process.env, PIDFILE } });
  const pid = () => Number(existsSync(PIDFILE) && readFileSync(PIDFILE, "utf8"));
  await eventually("it runs", () => pid() > 0);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(code);
  await eventually("it is gone", () => !isRunning(pid()));
});

test("too much output ends the program", async () => {
  expect(await runCaptured(shell("yes"))).toEqual({ kind: "too-large" });
});

test("an abort rejects with its reason and leaves nothing running", async () => {
  const abort = new AbortController();
  const reason = new Error("stop");
  const file = `/tmp/quoll-captured-${process.pid}`;
  const run = runCaptured(shell(`sleep 60 & echo $! > ${file}; wait`), abort.signal);
  run.catch(() => undefined);
  await eventually("it has begun", async () => (await Bun.file(file).exists()) && (await Bun.file(file).text()) !== "");
  const pid = Number(await Bun.file(file).text());
  abort.abort(reason);
  expect(await run.catch((error: unknown) => error)).toBe(reason);
  await eventually("its child is gone", () => !isRunning(pid));
  await Bun.file(file).delete();
  expect(await runCaptured(shell("true"), AbortSignal.abort(reason)).catch((error: unknown) => error)).toBe(reason);
});
