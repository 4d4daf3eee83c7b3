import { type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { inputFile } from "./child-stdin.ts";

/** How long to wait for pipes that another process still holds. */
const CLOSE_WAIT_MS = 500;
const ENDING_SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

export type CapturedRun = {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The content of stdin; empty by default. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Limit for stdout and for stderr, each. */
  readonly maxBytes: number;
  /** True if output beyond the limit is dropped; otherwise the program is killed. */
  readonly dropsExcess?: true;
  /** Called at once with the pid of the program. */
  started?(pid: number): void;
  /** Called with each piece of stdout within the limit. */
  printed?(piece: Buffer): void;
};

export type Captured =
  | {
      readonly kind: "ended";
      /** Undefined when a signal ended the program. */
      readonly exitCode: number | undefined;
      readonly stdout: string;
      readonly stderr: string;
      /** A part of stdout was dropped. */
      readonly isCut?: true;
    }
  | { readonly kind: "timeout" }
  /** The program exceeded the output limit and was killed. */
  | { readonly kind: "too-large" }
  | { readonly kind: "not-started"; readonly reason: string };

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs a small program to its end in its own process group; all processes of the group are gone when this returns.
 * @throws the abort reason when `signal` aborts.
 */
export async function runCaptured(run: CapturedRun, signal?: AbortSignal): Promise<Captured> {
  signal?.throwIfAborted();
  const { file, args, cwd, env, input = "", timeoutMs, maxBytes, dropsExcess } = run;
  let child: Child;
  let stdin: number | undefined;
  try {
    listen();
    stdin = inputFile(input);
    const stdio: StdioOptions = [stdin, "pipe", "pipe"];
    child = spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio }) as Child;
    running.add(child);
    if (child.pid !== undefined) run.started?.(child.pid);
  } catch (error) {
    stopListening();
    return { kind: "not-started", reason: errorCode(error) ?? errorMessage(error) };
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
  const { promise, resolve, reject } = Promise.withResolvers<Captured>();
  const onExcess = dropsExcess ? () => undefined : () => resolve({ kind: "too-large" });
  const stdout = collect(child.stdout, { maxBytes, onExcess, ...(run.printed && { printed: run.printed }) });
  const stderr = collect(child.stderr, { maxBytes, onExcess });
  const onAbort = () => reject(signal?.reason);
  const timer = setTimeout(() => resolve({ kind: "timeout" }), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  child.on("error", (error) => resolve({ kind: "not-started", reason: errorCode(error) ?? errorMessage(error) }));
  child.once("exit", (code) => {
    void closed(child).then(() =>
      resolve({
        kind: "ended",
        exitCode: code ?? undefined,
        stdout: stdout.text(),
        stderr: stderr.text(),
        ...(stdout.isCut() && { isCut: true }),
      }),
    );
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    endGroup(child);
    running.delete(child);
    stopListening();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

type Collected = { text(): string; isCut(): boolean };

type Collecting = Pick<CapturedRun, "maxBytes" | "printed"> & { onExcess(): void };

function collect(stream: Readable, { maxBytes, onExcess, printed }: Collecting): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) {
      chunks.push(chunk);
      printed?.(chunk);
    } else onExcess();
  });
  return { text: () => Buffer.concat(chunks).toString("utf8"), isCut: () => bytes > maxBytes };
}

/** Waits for the end of the program's output; first it ends the program's children, which may hold the pipes. */
function closed(child: Child): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_WAIT_MS);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    endGroup(child);
  });
}

/** The running children. They are killed when this process exits or a signal ends it. */
const running = new Set<Child>();

/** The listeners are added before the first child starts, because a signal may come at once. */
function listen(): void {
  if (running.size > 0) return;
  process.on("exit", endAll);
  for (const signal of ENDING_SIGNALS) process.on(signal, endWith);
}

/** Removes the listeners when the last child has ended. */
function stopListening(): void {
  if (running.size > 0) return;
  process.off("exit", endAll);
  for (const signal of ENDING_SIGNALS) process.off(signal, endWith);
}

/** Without another listener, the signal has its usual effect after the children have been killed. */
function endWith(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  running.clear();
  stopListening();
  process.kill(process.pid, signal);
}

function endAll(): void {
  for (const child of running) endGroup(child);
}

function endGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Every process of the group has ended already.
  }
}
