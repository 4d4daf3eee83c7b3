import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { startTimeOf } from "./process-table.ts";
import { exitOf, type Running, type SpawnRequest } from "./spawn-to-file.ts";

/** A program that waits for its work on stdin. */
export type WaitingProgram = Running & {
  /** Resolves when the program has said, by closing descriptor 3, that it waits, or when it has ended. Never rejects. */
  readonly ready: Promise<void>;
  /** Gives it the work and closes its stdin. */
  give(work: string): void;
  /** Ends the processes of its group at once, if they still run. */
  kill(): void;
};

/**
 * Starts a program like `spawnToFile`, but with stdin open, and with a pipe as descriptor 3.
 * @throws {Error} a system error: the program can't be started.
 */
export function spawnWaiting(request: SpawnRequest & { readonly output: number }): WaitingProgram {
  const { file, args, cwd, env, tag, isWrapper = false, output } = request;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["pipe", output, output, "pipe"] });
  const exited = exitOf(child);
  if (child.pid === undefined) throw new Error(`${file} could not be started in ${cwd}.`);
  const stdin: Writable | null = child.stdin;
  const news = child.stdio[3] as Readable | null | undefined;
  // The end of the program shows in its exit; a broken pipe says nothing more.
  const ignored = () => undefined;
  stdin?.on("error", ignored);
  news?.on("error", ignored);
  const said = new Promise<void>((resolve) => news?.once("data", () => resolve()));
  const ready = Promise.race([said, exited.then(ignored)]).then(() => void news?.destroy());
  const give = (work: string) => void stdin?.end(work);
  const { pid } = child;
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  const kill = () => {
    // The id of a program that has ended may belong to another one.
    if (hasExited) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  };
  return { pid, startTime: startTimeOf(pid), tag, isWrapper, exited, ready, give, kill };
}
