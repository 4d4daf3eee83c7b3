import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { runCaptured } from "./run-captured.ts";

export type LimitedRun = {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Limit for stdout. */
  readonly outputBytes: number;
};

export type Limited =
  | { readonly kind: "ended"; readonly stdout: Buffer }
  /** The program met a limit and was killed. */
  | { readonly kind: "over"; readonly limit: "time" | "memory" | "output" }
  | { readonly kind: "not-started" | "failed"; readonly reason: string };

/**
 * Runs a program that turns untrusted bytes into others, with limits of time, memory and output: it gets no variables
 * but a search path, and none of its processes is left when this returns.
 * @throws the abort reason of `signal`.
 */
export async function runLimited(
  { command, input, timeoutMs, memoryBytes, outputBytes }: LimitedRun,
  signal: AbortSignal,
): Promise<Limited> {
  const [file = "", ...args] = command;
  const full = new AbortController();
  const pieces: Buffer[] = [];
  let unwatch: (() => void) | undefined;
  try {
    const run = await runCaptured(
      {
        file,
        args,
        input,
        timeoutMs,
        maxBytes: outputBytes,
        cwd: "/",
        env: { PATH: "/usr/bin:/bin" },
        printed: (piece) => pieces.push(piece),
        started: (pid) => {
          unwatch = watchMemory(pid, memoryBytes, () => full.abort());
        },
      },
      AbortSignal.any([signal, full.signal]),
    );
    if (run.kind === "timeout") return { kind: "over", limit: "time" };
    if (run.kind === "too-large") return { kind: "over", limit: "output" };
    if (run.kind === "not-started") return run;
    if (run.exitCode === 0) return { kind: "ended", stdout: Buffer.concat(pieces) };
    return { kind: "failed", reason: run.stderr.trim().split("\n").at(-1) || `exit code ${run.exitCode ?? "none"}` };
  } catch (error) {
    signal.throwIfAborted();
    if (full.signal.aborted) return { kind: "over", limit: "memory" };
    throw error;
  } finally {
    unwatch?.();
  }
}

/** Times between two looks: a look at /proc takes microseconds, and `ps` is a process. */
const PROC_MS = 25;
const PS_MS = 250;

/**
 * Watches the memory of a process while it runs, because no runtime limits its own memory alike on all systems.
 * @param exceeded Called once, when the process holds more than `maxBytes` of memory.
 * @returns a function that ends the watch.
 */
export function watchMemory(pid: number, maxBytes: number, exceeded: () => void): () => void {
  const isLinux = process.platform === "linux";
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const judge = (kib: number | undefined) => {
    if (isOver || kib === undefined || kib * 1024 <= maxBytes) return;
    end();
    exceeded();
  };
  const look = () => (isLinux ? judge(residentKib(pid)) : residentByPs(pid, judge));
  const timer = setInterval(look, isLinux ? PROC_MS : PS_MS);
  return end;
}

/** VmRSS of proc_pid_status(5); undefined for a process that has ended. */
function residentKib(pid: number): number | undefined {
  const status = orUndefined(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "";
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return found === undefined ? undefined : Number(found);
}

function residentByPs(pid: number, answer: (kib: number | undefined) => void): void {
  execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], (error, stdout) => {
    const kib = Number(stdout.trim() || Number.NaN);
    answer(error || Number.isNaN(kib) ? undefined : kib);
  });
}
