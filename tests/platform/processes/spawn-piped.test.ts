import { expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../../src/platform/clock.ts";
import { type PipedProcess, spawnPiped } from "../../../src/platform/processes/spawn-piped.ts";
import { stopSpawn } from "../../../src/platform/processes/stop-ladder.ts";
import { eventually } from "../../support/eventually.ts";

const PATH = "/usr/bin:/bin";
const INPUT = "0123456789".repeat(100_000);

const start = (script: string) => {
  const tag = crypto.randomUUID();
  return spawnPiped({ file: "/bin/sh", args: ["-c", script], cwd: "/", env: { PATH, QUOLL_SPAWN: tag }, tag });
};

const outputOf = ({ stdout }: PipedProcess) => new Response(stdout as unknown as ReadableStream).text();
const written = ({ stdin }: PipedProcess, text: string) =>
  new Promise<unknown>((resolve) => void stdin.write(text, (error) => resolve(error ?? undefined)));

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

test("stdin is a pipe that the program can open by its name, and that loses its name at once", async () => {
  const program = await start("stat -L -c '%F %a' /dev/stdin; cat /dev/stdin");
  const stdin = targetOf(`/proc/${program.pid}/fd/0`);
  expect(stdin).toMatch(/quoll-stdin-.* \(deleted\)$/);
  expect(existsSync(dirname(stdin))).toBe(false);
  let output = "";
  program.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  program.stdin.write("one\n");
  await eventually("it has read a line", () => output.includes("one"));
  program.stdin.end("two\n");
  await program.exited;
  await eventually("all is read", () => output === "fifo 600\none\ntwo\n");
  expect(await program.exited).toMatchObject({ exitCode: 0 });
});

test("an input larger than the pipe arrives whole at a program that is busy first", async () => {
  const program = await start("sleep 0.2; wc -c");
  program.stdin.end(INPUT);
  expect((await outputOf(program)).trim()).toBe(String(INPUT.length));
});

test("a write fails once the program has ended, and a full pipe does not outlive it", async () => {
  const program = await start("read -r line; exit 3");
  program.stdin.on("error", () => undefined);
  expect(await written(program, `one\n${INPUT}`)).toMatchObject({ code: "EPIPE" });
  expect(await program.exited).toMatchObject({ exitCode: 3 });
});

test("a program that reads nothing can be stopped while its pipe is full", async () => {
  const program = await start("exec sleep 60");
  program.stdin.on("error", () => undefined);
  const write = written(program, INPUT);
  await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 100 });
  expect(await write).toMatchObject({ code: "EPIPE" });
});

test("a write that waits for room ends when the pipe is closed", async () => {
  const program = await start("exec sleep 60");
  program.stdin.on("error", () => undefined);
  const write = written(program, INPUT);
  program.stdin.destroy();
  expect(await write).toBeInstanceOf(Error);
  await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 100 });
});

test("a program that can't be started leaves no pipe", async () => {
  const pipes = () => readdirSync("/dev/fd").filter((name) => targetOf(`/dev/fd/${name}`).includes("quoll-stdin-"));
  const before = pipes();
  const tag = crypto.randomUUID();
  const missing = spawnPiped({ file: "/no/such", args: [], cwd: "/", env: { QUOLL_SPAWN: tag }, tag });
  await expect(missing).rejects.toThrow("could not be started");
  expect(pipes()).toEqual(before);
});
