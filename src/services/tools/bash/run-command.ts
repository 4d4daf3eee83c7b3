import { basename, join } from "node:path";
import type { Progress } from "../../../contracts/display.ts";
import type { Clock, ConfinedStart, ProgramStart, UnconfinedStart } from "../../../contracts/ports.ts";
import { newOutputName, OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import type { ProcessRow } from "../../../platform/processes/process-row.ts";
import { familyOf } from "../../../platform/processes/process-table.ts";
import { BASH_ARGUMENTS } from "../../../platform/processes/shell-program.ts";
import { type Exit, type Running, spawnToFile } from "../../../platform/processes/spawn-to-file.ts";
import type { BackgroundShells } from "./background-shells.ts";
import { OutputFollower } from "./follow-output.ts";
import type { BashLimits } from "./limits.ts";
import { mayLeaveProcesses, prepareShell, type ShellStart } from "./shell-start.ts";

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

export type CommandRequest = {
  readonly command: string;
  readonly bash: string;
  readonly cwd: string;
  /** The environment, tag included. */
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
  /** The session's folder for artefacts. */
  readonly directory: string;
  readonly timeoutMs: number;
  /** Confines the start; undefined if the command runs unconfined. */
  readonly confine: Confine | undefined;
  /** True if the shell may end in another folder, which it then reports. */
  readonly mayMove: boolean;
  /** Await this before an unconfined start. */
  readonly beginUnconfined?: ((signal: AbortSignal) => Promise<UnconfinedStart>) | undefined;
};

/** @throws {ToolFailedError} the command can't be confined. */
export type Confine = (start: ProgramStart, signal: AbortSignal) => Promise<ConfinedStart>;

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
  /** Resolves when no process of the command writes any more. */
  readonly stopped: Promise<unknown>;
  /** The changes that the sandbox reports to the person, one line each. Resolves when every process has ended; never rejects. */
  readonly changes: Promise<readonly string[]>;
  /** The files of the workspace that were hidden because the command has a network. */
  readonly hiddenSecrets: readonly string[];
};

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
  const { running, output, start } = await startShell(request, deps.shells, signal);
  const follower = new OutputFollower(output);
  const elapsedMs = () => deps.clock.monotonicMs() - startedAt;
  const { changes, hiddenSecrets } = running;
  const base = { running, output, follower, changes, hiddenSecrets, endedWithSandbox: [] };
  try {
    const waiting = { running, follower, startedAt, timeoutMs: request.timeoutMs };
    const { endedBy, exit } = await waitForEnd(waiting, deps, signal, report);
    if (endedBy === "released") {
      running.movedToBackground?.();
      deps.shells.settle(running.exited.then(() => removeFiles(start?.files ?? [])));
      const stopped = Promise.resolve();
      return { ...base, endedBy, exit, durationMs: elapsedMs(), leftBehind: [], endFolder: undefined, stopped };
    }
    if (endedBy !== "itself") {
      const ended = await endEarly(endedBy, running, start, deps, signal);
      return { ...base, ...ended, durationMs: elapsedMs(), leftBehind: [], endFolder: undefined };
    }
    const durationMs = elapsedMs();
    const isGone = await running.isGone;
    const leftBehind = isGone ? [] : await findRemnants(running, durationMs < RECENT_MS, deps.clock);
    const endFolder = request.mayMove ? start?.endFolder() : undefined;
    const endedWithSandbox = isGone ? (start?.leftBehind() ?? []) : [];
    if (leftBehind.length === 0) deps.shells.gone(running);
    await removeFiles(start?.files ?? []);
    const left = { leftBehind, endedWithSandbox };
    return { ...base, ...left, endedBy, exit, durationMs, endFolder, stopped: Promise.resolve() };
  } catch (error) {
    void deps.shells.end(running, start?.files);
    await output.close();
    throw error;
  }
}

type EarlyEnd = Pick<CommandRun, "endedBy" | "exit" | "stopped">;

/** Ends a command that did not end by itself. After an interrupt, there is no wait. */
async function endEarly(
  endedBy: EndedBy,
  running: Running,
  start: ShellStart | undefined,
  { shells, clock }: RunDeps,
  signal: AbortSignal,
): Promise<EarlyEnd> {
  const stopped = shells.end(running, start?.files);
  if (endedBy === "interrupt") return { endedBy, exit: undefined, stopped };
  await untilAborted(stopped, signal);
  if (signal.aborted) return { endedBy: "interrupt", exit: undefined, stopped };
  const done = new AbortController();
  // A process that even SIGKILL can't end (stuck in the kernel) must not block Quoll.
  const late = clock.sleep(EXIT_NEWS_MS, done.signal).then(
    () => undefined,
    () => undefined,
  );
  const exit = await Promise.race([running.exited, late]);
  done.abort(new Error("The exit is known."));
  return { endedBy, exit, stopped };
}

async function startShell(
  request: CommandRequest,
  shells: BackgroundShells,
  signal: AbortSignal,
): Promise<{ running: StartedBash; output: OutputFile; start: ShellStart | undefined }> {
  const { directory, command } = request;
  const mayLeave = request.confine !== undefined && mayLeaveProcesses(command);
  const reports = request.mayMove || mayLeave;
  // The file is made before the command runs, because the command may remove the folder at once.
  const output = await OutputFile.create(join(directory, newOutputName()));
  let start: ShellStart | undefined;
  try {
    if (reports) start = await prepareShell(directory, basename(output.path, ".log"), mayLeave);
    const { path: outputPath, descriptor } = output;
    const running = await startBash(
      request,
      { outputPath, output: descriptor, shells, ...(start && { start }) },
      signal,
    );
    return { running, output, start };
  } catch (error) {
    await output.close();
    await removeFiles([...(start?.files ?? []), output.path]);
    throw error;
  }
}

export type BashStart = {
  readonly outputPath: string;
  /** The descriptor of the output file, if it exists. */
  readonly output?: number;
  readonly shells: BackgroundShells;
  /** Absent if no report about the shell's end is needed. */
  readonly start?: ShellStart;
  /** True for a background command. */
  readonly isBackground?: boolean;
};

export type StartedBash = Running & {
  readonly outputPath: string;
  /** Resolves after the end of bash, to true if certainly none of its processes is left. Never rejects. */
  readonly isGone: Promise<boolean>;
} & Pick<CommandRun, "changes" | "hiddenSecrets"> &
  Pick<ConfinedStart, "movedToBackground">;

/** Starts bash on exactly the given bytes. @throws {ToolFailedError} bash can't be started or confined. */
export async function startBash(
  {
    command,
    bash,
    cwd,
    env,
    tag,
    confine,
    beginUnconfined,
  }: Omit<CommandRequest, "directory" | "timeoutMs" | "mayMove">,
  { outputPath, output: descriptor, isBackground = false, shells, start }: BashStart,
  signal: AbortSignal,
): Promise<StartedBash> {
  const plain: ProgramStart = {
    ...{ file: bash, args: [...BASH_ARGUMENTS, command], cwd, env: { ...env, ...start?.env }, isBackground },
    ...(start && { writableFiles: [start.folderFile] }),
  };
  const output = { outputPath, output: descriptor };
  if (!confine) {
    const running = startUnconfined({ ...plain, ...output, tag }, await beginUnconfined?.(signal));
    shells.started(running, command);
    return running;
  }
  const confined = await confine(plain, signal);
  try {
    const running = spawnToFile({ ...confined, ...output, isWrapper: confined.isWrapped, tag });
    const disposed = running.exited.then(() => confined.dispose());
    shells.settle(disposed);
    const changes = disposed.then(
      () => confined.changes?.() ?? [],
      () => [],
    );
    const movedToBackground = () => confined.movedToBackground?.();
    const { hiddenSecrets = [] } = confined;
    return { ...running, outputPath, isGone: disposed, changes, hiddenSecrets, movedToBackground };
  } catch (error) {
    await confined.dispose();
    throw error;
  }
}

function startUnconfined(start: Parameters<typeof spawnToFile>[0], outside: UnconfinedStart | undefined): StartedBash {
  try {
    const running = spawnToFile(start);
    void running.exited.then(() => outside?.end());
    const { outputPath } = start;
    const changes = Promise.resolve(outside?.lines ?? []);
    return { ...running, outputPath, isGone: Promise.resolve(false), changes, hiddenSecrets: [] };
  } catch (error) {
    outside?.end();
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
