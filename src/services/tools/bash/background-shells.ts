import type { AgentSource } from "../../../contracts/agent.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { RunningTask, TaskEnd, TaskInfo, Tasks, TaskWork } from "../../../contracts/task.ts";
import { OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import { familyOf, type Spawn } from "../../../platform/processes/process-table.ts";
import type { Exit } from "../../../platform/processes/spawn-to-file.ts";
import { type Stopped, stopSpawn } from "../../../platform/processes/stop-ladder.ts";
import { collectOutput, completeEnd } from "./collect-output.ts";
import type { BashLimits } from "./limits.ts";
import type { WatchedLines } from "./watched-lines.ts";

/** The lines of which the model is notified, and the pattern for which it asked. */
export type Watched = { readonly pattern: string; readonly lines: Pick<WatchedLines, "look"> };

export type NewShell = {
  /** The agent whose call started the shell. */
  readonly owner: AgentSource;
  readonly spawn: Spawn;
  readonly command: string;
  readonly description: string;
  readonly logPath: string;
  /** Resolves when the shell itself ends; its remaining processes still belong to the task. */
  readonly exited: Promise<Exit>;
  /** How long the command has run already, in milliseconds; 0 by default. */
  readonly ranMs?: number;
  /** The command is ended after this time. */
  readonly timeoutMs?: number | undefined;
  readonly watched?: Watched;
};

export type BackgroundShellsDeps = {
  readonly clock: Clock;
  readonly limits: Pick<BashLimits, "ladder" | "maxOutputBytes" | "maxResultChars">;
  /** The registry that lists the tasks. */
  readonly tasks: Pick<Tasks, "add" | "assertRoom">;
  /** Ends unsandboxed processes if Quoll is killed. */
  readonly orphans?: CommandWatch;
};

export type CommandWatch = {
  watch(spawn: Spawn, command: string): void;
  /** Called when all processes of the spawn have ended. */
  drop(spawn: Spawn): void;
};

type Shell = {
  /** Undefined for no limit. */
  readonly limit: { readonly timeoutMs: number; readonly endsAtMs: number } | undefined;
  readonly running: RunningTask;
  readonly work: ShellWork;
  readonly spawn: Spawn;
  readonly logPath: string;
};

/** How often a task's log size and its remaining processes are checked. */
const WATCH_MS = 1_000;
/** The longest word that is held back while its task may add to it. */
const MAX_OPEN_WORD_BYTES = 4_096;
const OPEN_WORD = /[\w+/=.~-]{8,}$/;
const STOPPED: TaskEnd = { status: "cancelled", state: "was stopped", isUntold: true };

const isRunning = ({ running }: Shell): boolean => running.info.status === "running";

/**
 * The processes of an agent's background tasks: background commands, and processes that foreground commands left
 * running.
 */
export class BackgroundShells {
  readonly #deps: BackgroundShellsDeps;
  readonly #shells = new Set<Shell>();
  readonly #stops = new Set<Promise<unknown>>();
  /** The tags of spawns without a sandbox, which would end with Quoll. */
  readonly #unconfined = new Set<string>();
  /** Tags of the spawns that keep running when Quoll ends. */
  readonly #kept = new Set<string>();
  #watch: AbortController | undefined;
  #isClosed = false;

  constructor(deps: BackgroundShellsDeps) {
    this.#deps = deps;
  }

  /** Called before a command starts in the background. @throws {ToolFailedError} too many commands run already. */
  assertRoom(): void {
    this.#deps.tasks.assertRoom("shell");
  }

  /**
   * Takes over a spawn, which ends at the latest with `closeAll`.
   * @throws {ToolFailedError} too many tasks run already, or the session ends: the spawn is then ended at once.
   */
  add({ owner, spawn, command, description, logPath, exited, ranMs = 0, timeoutMs, watched }: NewShell): TaskInfo {
    try {
      if (this.#isClosed) throw new ToolFailedError("The session ends: nothing can be left running.");
      const { pid, startTime } = spawn;
      const about = { title: command, description, outputFile: logPath, process: { pid, startTime } };
      const task = {
        kind: "shell",
        can: ["keep"],
        owner,
        ...about,
        startedAt: this.#deps.clock.now() - ranMs,
      } as const;
      const { clock, limits } = this.#deps;
      let shell: Shell | undefined;
      this.#deps.tasks.add(task, (running) => {
        const started = { spawn, logPath, exited, ...(watched && { watched }) };
        const work = new ShellWork(running, started, { clock, limits, shells: this });
        const limit =
          timeoutMs === undefined ? undefined : { timeoutMs, endsAtMs: this.#deps.clock.monotonicMs() + timeoutMs };
        shell = { running, work, spawn, logPath, limit };
        this.#shells.add(shell);
        return work;
      });
      if (!shell) throw new Error("The registry did not make the work of a task.");
      if (watched) shell.running.remark(`is running, watched for \`${watched.pattern}\``);
      this.#startWatch();
      return shell.running.info;
    } catch (error) {
      void this.end(spawn);
      throw error;
    }
  }

  /** Records a command that runs without a sandbox, which would end it with Quoll. */
  started(spawn: Spawn, command: string): void {
    this.#unconfined.add(spawn.tag);
    this.#deps.orphans?.watch(spawn, command);
  }

  /** All processes have ended. */
  gone(spawn: Spawn): void {
    this.#unconfined.delete(spawn.tag);
    this.#kept.delete(spawn.tag);
    this.#deps.orphans?.drop(spawn);
  }

  /**
   * Lets a spawn keep running after `closeAll`, and when Quoll is killed.
   * @throws {ToolFailedError} its sandbox ends with Quoll.
   */
  keep(spawn: Spawn): void {
    if (!this.#unconfined.has(spawn.tag))
      throw new ToolFailedError("It runs in the sandbox, which ends with Quoll, so it can't be kept.");
    this.#kept.add(spawn.tag);
    this.#deps.orphans?.drop(spawn);
  }

  /** Ends a spawn without making the caller wait; `closeAll` waits for it. The spawn's files are removed afterwards. */
  end(spawn: Spawn, files: readonly string[] = []): Promise<Stopped> {
    const stop = stopSpawn(spawn, this.#deps.clock, this.#deps.limits.ladder).finally(() => {
      this.gone(spawn);
      return removeFiles(files);
    });
    this.settle(stop);
    return stop;
  }

  /** Makes `closeAll` wait for work that the caller does not await. */
  settle(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).finally(() => this.#stops.delete(settled));
    this.#stops.add(settled);
  }

  /** Ends everything that is not kept, and accepts no further tasks. @returns the tasks that were ended. */
  async closeAll(): Promise<readonly TaskInfo[]> {
    this.#isClosed = true;
    await Promise.all([...this.#shells].map(({ work }) => work.refresh()));
    const running = [...this.#shells].filter((shell) => isRunning(shell) && !this.#kept.has(shell.spawn.tag));
    for (const { work } of running) this.settle(work.close());
    this.#watch?.abort(new Error("The session ends."));
    while (this.#stops.size > 0) await Promise.allSettled(this.#stops);
    return running.map((shell) => shell.running.info);
  }

  #stop({ running, spawn }: Shell, end: TaskEnd): void {
    if (running.end(end)) void this.end(spawn);
  }

  #startWatch(): void {
    if (this.#watch && !this.#watch.signal.aborted) return;
    this.#watch = new AbortController();
    void this.#watchWhile(this.#watch);
  }

  async #watchWhile(watch: AbortController): Promise<void> {
    while (!watch.signal.aborted) {
      try {
        await this.#deps.clock.sleep(this.#nextLookMs(), watch.signal);
      } catch {
        return;
      }
      for (const shell of this.#shells) {
        await shell.work.look();
        await shell.work.refresh();
        if (isRunning(shell)) this.#endWhenLate(shell);
        if (isRunning(shell)) await this.#endWhenTooLarge(shell);
        else this.#shells.delete(shell);
      }
      if (this.#shells.size === 0) watch.abort(new Error("Nothing runs."));
    }
  }

  #nextLookMs(): number {
    const now = this.#deps.clock.monotonicMs();
    const limits = [...this.#shells].flatMap(({ limit }) => (limit ? [limit.endsAtMs - now] : []));
    return Math.max(1, Math.min(WATCH_MS, ...limits));
  }

  #endWhenLate(shell: Shell): void {
    const { limit } = shell;
    if (!limit || this.#deps.clock.monotonicMs() < limit.endsAtMs) return;
    this.#stop(shell, { status: "cancelled", state: `was stopped at its timeout of ${limit.timeoutMs} ms` });
  }

  async #endWhenTooLarge(shell: Shell): Promise<void> {
    const { maxOutputBytes } = this.#deps.limits;
    const file = await OutputFile.open(shell.logPath).catch(() => undefined);
    const size = (await file?.size()) ?? 0;
    await file?.close();
    if (size <= maxOutputBytes) return;
    this.#stop(shell, { status: "cancelled", state: `was stopped: it printed more than ${maxOutputBytes} bytes` });
  }
}

type Started = Pick<NewShell, "spawn" | "logPath" | "exited" | "watched">;
type ShellWorkDeps = Pick<BackgroundShellsDeps, "clock" | "limits"> & {
  readonly shells: Pick<BackgroundShells, "end" | "gone" | "keep">;
};

/** One shell as a task. The task runs as long as any of its processes. */
class ShellWork implements TaskWork {
  readonly isLimited = true;
  readonly endsInSteps = true;
  readonly #running: RunningTask;
  readonly #started: Started;
  readonly #deps: ShellWorkDeps;
  #exit: Exit | undefined;
  #isClosing = false;
  /** The last look or read of the log: each begins when the one before it has ended. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The number of bytes of the log that were handed out. */
  #seenBytes = 0;
  /** The size of the log at the last read, and at the last look that found a line. */
  #readSize = 0;
  #matchedSize = 0;

  constructor(running: RunningTask, started: Started, deps: ShellWorkDeps) {
    this.#running = running;
    this.#started = started;
    this.#deps = deps;
    void started.exited.then((exit) => {
      this.#exit = exit;
      return this.refresh();
    });
  }

  async refresh(): Promise<void> {
    const { spawn } = this.#started;
    const isOver = () => this.#running.info.status !== "running";
    if (!this.#exit || this.#isClosing || isOver()) return;
    const family = await familyOf(spawn, this.#deps.clock);
    if (family.length > 0 || isOver()) return;
    this.#deps.shells.gone(spawn);
    await this.look(true);
    this.#running.end(endOf(this.#exit));
  }

  get hasMatch(): boolean {
    return this.#matchedSize > this.#readSize;
  }

  /** Reports new lines that are watched for. A log that no longer exists has no size. */
  look(isOver = false): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#started.watched) return;
      await using file = await OutputFile.open(this.#started.logPath).catch(() => undefined);
      if (file) await this.#lookTo(file, await file.size(), isOver);
    });
  }

  async #lookTo(file: OutputFile, size: number, isOver: boolean): Promise<void> {
    const lines = (await this.#started.watched?.lines.look(file, size, isOver)) ?? [];
    if (lines.length === 0) return;
    this.#matchedSize = size;
    this.#running.matched(lines);
  }

  read(isOver: boolean): Promise<string> {
    return this.#inTurn(() => this.#read(isOver));
  }

  async #read(isOver: boolean): Promise<string> {
    const { id, status } = this.#running.info;
    const { logPath } = this.#started;
    await using file = await OutputFile.open(logPath).catch((cause: unknown) => {
      throw new ToolFailedError(`The log of ${id} is gone (${logPath}); its status is: ${status}.`, { cause });
    });
    const size = await file.size();
    // Lines that are about to be read must not end the wait of a later call, and later lines must.
    await this.#lookTo(file, size, false);
    const edge = await file.read(Math.max(this.#seenBytes, size - MAX_OPEN_WORD_BYTES), size);
    const end = isOver ? size : size - (edge.length - settledEnd(edge));
    const start = Math.min(this.#seenBytes, end);
    const { maxResultChars: maxChars } = this.#deps.limits;
    const { text } = await collectOutput(file, { start, end }, { maxChars, fold: true });
    this.#seenBytes = end;
    this.#readSize = size;
    return text;
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  keep(): void {
    this.#deps.shells.keep(this.#started.spawn);
  }

  stop(): Promise<unknown> {
    return this.#deps.shells.end(this.#started.spawn);
  }

  /** Ends the shell with the session: until its processes have ended, the task is open. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#running.remark("is being stopped");
    await this.#deps.shells.end(this.#started.spawn);
    this.#running.end(STOPPED);
  }
}

/**
 * The end of the output that will not change any more: an incomplete character is left for the next time, and so is a
 * long word that may go on, because half a secret is not recognised.
 */
function settledEnd(edge: Uint8Array): number {
  const end = completeEnd(edge);
  const [open = ""] = OPEN_WORD.exec(Buffer.from(edge.subarray(0, end)).toString("latin1")) ?? [];
  return open.length === MAX_OPEN_WORD_BYTES ? end : end - open.length;
}

function endOf({ exitCode, signal }: Exit): TaskEnd {
  if (signal !== undefined) return { status: "failed", state: `was ended by signal ${signal}` };
  if (exitCode === undefined) return { status: "failed", state: "failed with exit code unknown" };
  const status = exitCode === 0 ? "completed" : "failed";
  return { status, state: `${status} with exit code ${exitCode}`, exitCode };
}
