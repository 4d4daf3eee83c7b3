import { join } from "node:path";
import { atMost } from "@quoll/async/at-most";
import type { Progress } from "../../../contracts/display.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ToolContext } from "../../../contracts/tool.ts";
import { newOutputName, OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import type { ProcessRow } from "../../../platform/processes/process-row.ts";
import { familyOf } from "../../../platform/processes/process-table.ts";
import { BASH_ARGUMENTS } from "../../../platform/processes/shell-program.ts";
import type { Exit, Running } from "../../../platform/processes/spawn-to-file.ts";
import type { BackgroundShells } from "./background-shells.ts";
import { OutputFollower } from "./follow-output.ts";
import type { BashLimits } from "./limits.ts";
import { type BashRequest, type StartedBash, startBash } from "./start-bash.ts";

/** At most 10 updates a second. */
const PROGRESS_MS = 100;
/** Without new output, the elapsed time is reported once a second. */
const QUIET_PROGRESS_MS = 1_000;
/** The time in which a process that outlives the shell may end by itself, such as the last process of a pipeline. */
const REMNANT_MS = 100;
const REMNANT_POLL_MS = 5;
/** The longest delay between the end of a process and its exit event. */
const EXIT_NEWS_MS = 1_000;
/** For younger shells, the kernel can't have assigned every pid again. */
const RECENT_MS = 2_000;

export type CommandRequest = BashRequest & {
  /** The session's folder for artefacts. */
  readonly directory: string;
  readonly timeoutMs: number;
};

export type RunDeps = {
  readonly clock: Clock;
  readonly shells: BackgroundShells;
  readonly limits: BashLimits;
  /** Resolves when the command is to run on without its caller. */
  readonly released: Promise<unknown>;
};

/** The reason why the wait ended. `released`: the command runs on. */
export type EndedBy = "itself" | "timeout" | "interrupt" | "too much output" | "released";

export type CommandRun = {
  readonly endedBy: EndedBy;
  /** Undefined after an interrupt: the command is then ended in the background. */
  readonly exit: Exit | undefined;
  readonly durationMs: number;
  readonly running: Running;
  readonly output: OutputFile;
  readonly follower: OutputFollower;
  /** The processes that still run, each as `pid command`. */
  readonly leftBehind: readonly string[];
  /** The names of processes that ended with the sandbox, although the command left them running. */
  readonly endedWithSandbox: readonly string[];
  readonly endFolder: string | undefined;
  /** The exit codes of the parts of the pipe that the shell ran last; empty if unknown. */
  readonly pipeCodes: readonly number[];
  /** Resolves when no process of the command writes any more. */
  readonly stopped: Promise<unknown>;
} & Pick<StartedBash, "changes" | "hiddenSecrets">;

/**
 * Runs a command until its shell ends, its time limit passes, it prints too much or `signal` aborts. After an abort,
 * the promise settles at once, and the processes are ended in the background. The caller closes `output`.
 * @throws {ToolFailedError} the shell can't be started.
 */
export async function runCommand(
  request: CommandRequest,
  deps: RunDeps,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<CommandRun> {
  const startedAt = deps.clock.monotonicMs();
  const { running, output } = await startShell(request, deps.shells, signal);
  const follower = new OutputFollower(output);
  const elapsedMs = () => deps.clock.monotonicMs() - startedAt;
  const { changes, hiddenSecrets, report: ending } = running;
  const base = { running, output, follower, changes, hiddenSecrets, endedWithSandbox: [], pipeCodes: [] };
  try {
    const waiting = { running, follower, startedAt, timeoutMs: request.timeoutMs };
    const { endedBy, exit } = await waitForEnd(waiting, deps, signal, report);
    if (endedBy === "released") {
      running.movedToBackground?.();
      deps.shells.settle(running.exited.then(() => removeFiles(ending?.files ?? [])));
      const stopped = Promise.resolve();
      return { ...base, endedBy, exit, durationMs: elapsedMs(), leftBehind: [], endFolder: undefined, stopped };
    }
    if (endedBy !== "itself") {
      const ended = await endEarly(endedBy, running, deps, signal);
      return { ...base, ...ended, durationMs: elapsedMs(), leftBehind: [], endFolder: undefined };
    }
    const durationMs = elapsedMs();
    const isGone = await running.isGone;
    const leftBehind = isGone ? [] : await findRemnants(running, durationMs < RECENT_MS, deps.clock);
    const endFolder = request.mayMove ? ending?.endFolder() : undefined;
    const endedWithSandbox = isGone ? (ending?.leftBehind() ?? []) : [];
    const pipeCodes = ending?.pipeCodes() ?? [];
    if (leftBehind.length === 0) deps.shells.gone(running);
    await removeFiles(ending?.files ?? []);
    const left = { leftBehind, endedWithSandbox, pipeCodes };
    return { ...base, ...left, endedBy, exit, durationMs, endFolder, stopped: Promise.resolve() };
  } catch (error) {
    void deps.shells.end(running, ending?.files);
    await output.close();
    throw error;
  }
}

type EarlyEnd = Pick<CommandRun, "endedBy" | "exit" | "stopped">;

/** Ends a command that did not end by itself. After an interrupt, there is no wait. */
async function endEarly(
  endedBy: EndedBy,
  running: StartedBash,
  { shells, clock }: RunDeps,
  signal: AbortSignal,
): Promise<EarlyEnd> {
  const stopped = shells.end(running, running.report?.files);
  if (endedBy === "interrupt") return { endedBy, exit: undefined, stopped };
  await untilAborted(stopped, signal);
  if (signal.aborted) return { endedBy: "interrupt", exit: undefined, stopped };
  // A process that even SIGKILL can't end (stuck in the kernel) must not block Quoll.
  const exit = await atMost(running.exited, EXIT_NEWS_MS, { clock });
  return { endedBy, exit, stopped };
}

async function startShell(
  request: CommandRequest,
  shells: BackgroundShells,
  signal: AbortSignal,
): Promise<{ running: StartedBash; output: OutputFile }> {
  // The file is made before the command runs, because the command may remove the folder at once.
  const output = await OutputFile.create(join(request.directory, newOutputName()));
  try {
    const { path: outputPath, descriptor } = output;
    return { output, running: await startBash(request, { outputPath, output: descriptor, shells }, signal) };
  } catch (error) {
    await output.close();
    await removeFiles([output.path]);
    throw error;
  }
}

type Waiting = {
  readonly running: Running;
  readonly follower: OutputFollower;
  readonly startedAt: number;
  readonly timeoutMs: number;
};

async function waitForEnd(
  { running, follower, startedAt, timeoutMs }: Waiting,
  { clock, limits, released }: RunDeps,
  signal: AbortSignal,
  report: (progress: Progress) => void,
): Promise<{ endedBy: EndedBy; exit: Exit | undefined }> {
  const done = new AbortController();
  const ignored = () => undefined;
  const timer = clock.sleep(timeoutMs, done.signal).then(() => ({ endedBy: "timeout" }) as const, ignored);
  const flood = followUntil({ follower, startedAt, report }, clock, limits.maxOutputBytes, done.signal);
  const aborted = onceAborted(signal, done.signal);
  try {
    const first = await Promise.race([
      running.exited.then((exit) => ({ endedBy: "itself", exit }) as const),
      timer,
      flood.then((isFlood) => (isFlood ? ({ endedBy: "too much output" } as const) : undefined)),
      aborted.then(() => ({ endedBy: "interrupt" }) as const),
      released.then(() => ({ endedBy: "released" }) as const),
    ]);
    return { exit: undefined, ...(first ?? { endedBy: "itself", exit: await running.exited }) };
  } finally {
    done.abort(new Error("The command has ended."));
    // The last step may still be reading, and the next reader must wait for its end.
    if (!signal.aborted) await flood;
  }
}

type Following = {
  readonly follower: OutputFollower;
  readonly startedAt: number;
  readonly report: (progress: Progress) => void;
};

/** Shows new output on the screen. @returns true if there is more than `maxBytes`, false when `signal` aborts. */
async function followUntil(
  { follower, startedAt, report }: Following,
  clock: Clock,
  maxBytes: number,
  signal: AbortSignal,
): Promise<boolean> {
  let reportedAt = startedAt;
  for (;;) {
    try {
      await clock.sleep(PROGRESS_MS, signal);
    } catch {
      return false;
    }
    const isNew = await follower.step();
    if ((await follower.size()) > maxBytes) return true;
    const now = clock.monotonicMs();
    if (signal.aborted || (!isNew && now - reportedAt < QUIET_PROGRESS_MS)) continue;
    reportedAt = now;
    const { tail, totalLines, bytes } = follower;
    report({ tail, totalLines, bytes, elapsedMs: Math.round(now - startedAt) });
  }
}

/**
 * A part of the command that keeps running is a fork of the shell, so its command line looks like the whole command.
 */
function describeRemnant(row: ProcessRow): string {
  const command = row.command();
  return `${row.pid} ${command.includes(BASH_ARGUMENTS.join(" ")) ? "(a part of this command)" : command}`;
}

async function findRemnants(running: Running, recent: boolean, clock: Clock): Promise<readonly string[]> {
  const until = clock.monotonicMs() + REMNANT_MS;
  for (;;) {
    const family = await familyOf(running, clock, { recent });
    if (family.length === 0 || clock.monotonicMs() >= until) return family.map(describeRemnant);
    await clock.sleep(REMNANT_POLL_MS, new AbortController().signal);
  }
}

/** Resolves when `signal` aborts; its listener is removed when `done` aborts. */
function onceAborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: done });
  });
}

/** Waits for some work, at most until `signal` aborts. */
async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, onceAborted(signal, done.signal)]);
  done.abort(new Error("The command has ended."));
}

/** Runs a command that a person may meanwhile move to the background: `released` then resolves. */
export async function releasable<Result>(
  { tasks, toolUseId }: Pick<ToolContext, "tasks" | "toolUseId">,
  run: (released: Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const withdraw = tasks.offerRelease(toolUseId, resolve);
  try {
    return await run(promise);
  } finally {
    withdraw();
  }
}
