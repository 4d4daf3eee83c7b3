import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { runCaptured } from "../../../platform/processes/run-captured.ts";

/** A program that runs until its stdin is closed, which the system does even when this process is killed. */
export type HelperProgram = {
  /** The first line that the program printed. */
  readonly firstLine: string;
  readonly isRunning: boolean;
  /** Closes the program's stdin and waits for its end. */
  close(): Promise<void>;
};

const MAX_COMPLAINT_CHARS = 2_000;

/**
 * Starts a program and waits for its first line on stdout. The program does not keep this process alive.
 * @throws {Error} the program could not be started, or ended or timed out before its first line; the message is the
 * first line of its stderr.
 */
export async function startHelper(
  [file, ...args]: readonly [string, ...string[]],
  { env, timeoutMs }: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<HelperProgram> {
  const child = spawn(file, args, { cwd: "/", env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
  let isRunning = true;
  let complaint = "";
  child.once("exit", () => {
    isRunning = false;
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", (error) => {
      isRunning = false;
      complaint ||= error.message;
      resolve();
    });
  });
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString("utf8")}`.slice(0, MAX_COMPLAINT_CHARS);
  });
  const close = async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    await ended;
    clearTimeout(late);
  };
  const firstLine = await lineWithin(child.stdout, ended, timeoutMs);
  if (firstLine === undefined) {
    child.kill("SIGKILL");
    await close();
    throw new Error(complaint.split("\n")[0] || "it gave no answer");
  }
  for (const stream of [child, child.stdin, child.stdout, child.stderr] as { unref?(): void }[]) stream.unref?.();
  return {
    firstLine,
    get isRunning() {
      return isRunning;
    },
    close,
  };
}

async function lineWithin(output: Readable, ended: Promise<void>, timeoutMs: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let text = "";
  output.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (text.includes("\n")) resolve(text.split("\n")[0]);
  });
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  void ended.then(() => resolve(undefined));
  const line = await promise;
  clearTimeout(timer);
  output.removeAllListeners("data");
  output.resume();
  return line;
}

export type ProbeResult = {
  /** Undefined when the program could not be started or a signal ended it. */
  readonly exitCode: number | undefined;
  /** The trimmed stderr; the system's error code when the program could not be started. */
  readonly complaint: string;
};

const MAX_COMPLAINT_BYTES = 16 * 1024;

/** Runs a small program to its end, without stdin and with the given environment. Never throws. */
export async function runProbe(
  [file, ...args]: readonly [string, ...string[]],
  options: { readonly timeoutMs: number; readonly env?: Readonly<Record<string, string>> },
): Promise<ProbeResult> {
  const result = await runCaptured({
    file,
    args,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", ...options.env },
    timeoutMs: options.timeoutMs,
    maxBytes: MAX_COMPLAINT_BYTES,
    dropsExcess: true,
  });
  switch (result.kind) {
    case "ended":
      return { exitCode: result.exitCode, complaint: result.stderr.trim() };
    case "not-started":
      return { exitCode: undefined, complaint: result.reason };
    case "timeout":
    case "too-large":
      return { exitCode: undefined, complaint: `no answer within ${options.timeoutMs} ms` };
  }
}
