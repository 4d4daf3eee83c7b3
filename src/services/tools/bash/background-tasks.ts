import { ToolFailedError } from "../../../contracts/errors.ts";
import { nearestNames } from "../../../contracts/nearest.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import { familyOf, type Spawn } from "../../../platform/processes/process-table.ts";
import type { Exit } from "../../../platform/processes/spawn-to-file.ts";
import { type Stopped, stopSpawn } from "../../../platform/processes/stop-ladder.ts";
import { collectOutput, completeEnd } from "./collect-output.ts";
import type { BashLimits } from "./limits.ts";
import { untilAborted } from "./until-aborted.ts";

/** `running` until nothing of it lives; the others are final. */
export type TaskStatus = "running" | "completed" | "failed" | "stopped";

export type TaskInfo = {
  /** `b1`, `b2` … */
  readonly id: string;
  readonly command: string;
  readonly description: string;
  readonly pid: number;
  /** With the pid: who it is, though the pid be given out again. */
  readonly startTime: string | undefined;
  readonly status: TaskStatus;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it was ended by us. */
  readonly note: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly logPath: string;
};

export type NewTask = {
  readonly spawn: Spawn;
  readonly command: string;
  readonly description: string;
  readonly logPath: string;
  /** Settles when the shell itself ends; what it leaves running is still the task. */
  readonly exited: Promise<Exit>;
};

export type TaskOutput = {
  readonly task: TaskInfo;
  /** What was printed since the last time it was asked, fitted to the limit; empty when nothing was. */
  readonly text: string;
};

export type WaitOptions = { readonly block: boolean; readonly timeoutMs: number; readonly signal: AbortSignal };

export type BackgroundTasksDeps = {
  readonly clock: Clock;
  readonly limits: Pick<BashLimits, "ladder" | "maxOutputBytes" | "maxResultChars">;
  /** Ends what runs outside of a sandbox when we are killed. */
  readonly orphans?: CommandWatch;
};

export type CommandWatch = {
  watch(spawn: Spawn, command: string): void;
  /** Nothing of it runs any more. */
  drop(spawn: Spawn): void;
  close(): void;
};

type Task = {
  info: TaskInfo;
  readonly spawn: Spawn;
  /** How much of the log was handed out. */
  seenBytes: number;
  hasExited: boolean;
  readonly ended: Promise<void>;
  readonly markEnded: () => void;
};

const isRunning = ({ info }: Task): boolean => info.status === "running";

const MAX_RUNNING = 64;
const MAX_FINISHED = 50;
/** While a task runs: how often its log's size, and whether what it left lives, is looked at. */
const WATCH_MS = 1_000;

/**
 * What runs beside the conversation: commands started in the background, and what foreground commands left running.
 * A final state never changes; it is set before the slow ending of processes, so that nobody who waits hangs.
 */
export class BackgroundTasks {
  readonly #deps: BackgroundTasksDeps;
  readonly #tasks = new Map<string, Task>();
  readonly #stops = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  #watch: AbortController | undefined;
  #count = 0;
  #isClosed = false;

  constructor(deps: BackgroundTasksDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over a spawn, which from now on ends at the latest with `closeAll`.
   * @throws {ToolFailedError} too many run already, or the session ends: then the spawn is ended at once.
   */
  add({ spawn, command, description, logPath, exited }: NewTask): TaskInfo {
    const running = this.list().filter(({ status }) => status === "running").length;
    if (this.#isClosed || running >= MAX_RUNNING) {
      this.end(spawn);
      throw new ToolFailedError(
        this.#isClosed
          ? "The session ends: nothing can be left running."
          : `${MAX_RUNNING} background tasks run already, so this one was ended. Stop some with TaskStop.`,
      );
    }
    this.#count += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const info: TaskInfo = {
      id: `b${this.#count}`,
      command,
      description,
      pid: spawn.pid,
      startTime: spawn.startTime,
      status: "running",
      exitCode: undefined,
      signal: undefined,
      note: undefined,
      startedAt: this.#deps.clock.now(),
      endedAt: undefined,
      logPath,
    };
    const task: Task = { info, spawn, seenBytes: 0, hasExited: false, ended: promise, markEnded: resolve };
    this.#tasks.set(info.id, task);
    void exited.then((exit) => this.#shellExited(task, exit));
    this.#startWatch();
    this.#changed();
    return info;
  }

  /** A command runs that no sandbox would end with us. */
  started(spawn: Spawn, command: string): void {
    this.#deps.orphans?.watch(spawn, command);
  }

  /** Nothing is left of it. */
  gone(spawn: Spawn): void {
    this.#deps.orphans?.drop(spawn);
  }

  /** Every task that is known, oldest first. */
  list(): readonly TaskInfo[] {
    return [...this.#tasks.values()].map(({ info }) => info);
  }

  /**
   * What a task printed since the last call, and how it stands. With `block` it waits for the task's end first, at most
   * `timeoutMs`, and no longer than until `signal` aborts.
   * @throws {ToolFailedError} there is no such task, or its log is gone.
   */
  async output(id: string, { block, timeoutMs, signal }: WaitOptions): Promise<TaskOutput> {
    const task = this.#get(id);
    await this.#refresh(task);
    if (block && task.info.status === "running") await this.#waitFor(task, timeoutMs, signal);
    const { info } = task;
    const file = await OutputFile.open(info.logPath).catch((cause: unknown) => {
      throw new ToolFailedError(`The log of ${id} is gone (${info.logPath}); its status is: ${info.status}.`, {
        cause,
      });
    });
    try {
      const size = await file.size();
      const edge = await file.read(Math.max(task.seenBytes, size - 3), size);
      // Half a character is left for the next time, unless there will be none.
      const end = info.status === "running" ? size - (edge.length - completeEnd(edge)) : size;
      const start = Math.min(task.seenBytes, end);
      const { text } = await collectOutput(
        file,
        { start, end },
        { maxChars: this.#deps.limits.maxResultChars, fold: true },
      );
      task.seenBytes = end;
      return { task: info, text };
    } finally {
      await file.close();
    }
  }

  /**
   * Ends a task by the ladder and waits for that, no longer than until `signal` aborts.
   * @throws {ToolFailedError} there is no such task.
   */
  async stop(id: string, signal: AbortSignal): Promise<TaskInfo> {
    const task = this.#get(id);
    await this.#refresh(task);
    if (task.info.status === "running") {
      this.#finish(task, "stopped");
      await untilAborted(this.end(task.spawn), signal);
    }
    return task.info;
  }

  /** Ends a spawn behind the caller's back; `closeAll` waits for it. The files are removed when that is done. */
  end(spawn: Spawn, files: readonly string[] = []): Promise<Stopped> {
    const stop = stopSpawn(spawn, this.#deps.clock, this.#deps.limits.ladder).finally(() => {
      this.gone(spawn);
      return removeFiles(files);
    });
    this.settle(stop);
    return stop;
  }

  /** Has `closeAll` wait for some work behind the caller's back. */
  settle(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).finally(() => this.#stops.delete(settled));
    this.#stops.add(settled);
  }

  /** Ends everything and takes nothing more. @returns the tasks that were still running. */
  async closeAll(): Promise<readonly TaskInfo[]> {
    this.#isClosed = true;
    await Promise.all([...this.#tasks.values()].map((task) => this.#refresh(task)));
    const running = [...this.#tasks.values()].filter(({ info }) => info.status === "running");
    for (const task of running) {
      this.#finish(task, "stopped");
      void this.end(task.spawn);
    }
    while (this.#stops.size > 0) await Promise.allSettled(this.#stops);
    this.#deps.orphans?.close();
    return running.map(({ info }) => info);
  }

  /** Called when a task comes, ends or is forgotten. @returns the function that ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #get(id: string): Task {
    const task = this.#tasks.get(id);
    if (task) return task;
    const known = [...this.#tasks.keys()];
    const [near] = nearestNames(id, known, 1);
    const listed = known.length === 0 ? "There are none." : `Known are: ${known.slice(-20).join(", ")}.`;
    throw new ToolFailedError(
      `There is no background task "${id}". ${listed}${near === undefined ? "" : ` Did you mean ${near}?`}`,
    );
  }

  async #waitFor(task: Task, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    const late = this.#deps.clock.sleep(timeoutMs, AbortSignal.any([timer.signal, signal])).catch(() => undefined);
    await Promise.race([task.ended, late]);
    timer.abort(new Error("The wait is over."));
  }

  #shellExited(task: Task, { exitCode, signal }: Exit): void {
    task.hasExited = true;
    if (task.info.status !== "running") return;
    task.info = { ...task.info, exitCode, signal };
    void this.#refresh(task);
  }

  /** A task whose shell has ended lives as long as anything that it left. */
  async #refresh(task: Task): Promise<void> {
    if (!isRunning(task) || !task.hasExited) return;
    const family = await familyOf(task.spawn, this.#deps.clock);
    if (family.length > 0 || !isRunning(task)) return;
    this.gone(task.spawn);
    this.#finish(task, task.info.exitCode === 0 ? "completed" : "failed");
  }

  #finish(task: Task, status: Exclude<TaskStatus, "running">, note?: string): void {
    task.info = { ...task.info, status, note, endedAt: this.#deps.clock.now() };
    task.markEnded();
    const finished = [...this.#tasks.values()].filter(({ info }) => info.status !== "running");
    for (const { info } of finished.slice(0, -MAX_FINISHED)) this.#tasks.delete(info.id);
    if (finished.length === this.#tasks.size) this.#watch?.abort(new Error("Nothing runs."));
    this.#changed();
  }

  #startWatch(): void {
    if (this.#watch && !this.#watch.signal.aborted) return;
    this.#watch = new AbortController();
    void this.#watchWhile(this.#watch.signal);
  }

  async #watchWhile(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#deps.clock.sleep(WATCH_MS, signal);
      } catch {
        return;
      }
      for (const task of this.#tasks.values()) {
        await this.#refresh(task);
        if (task.info.status === "running") await this.#endWhenTooLarge(task);
      }
    }
  }

  async #endWhenTooLarge(task: Task): Promise<void> {
    const { maxOutputBytes } = this.#deps.limits;
    const file = await OutputFile.open(task.info.logPath).catch(() => undefined);
    const size = (await file?.size()) ?? 0;
    await file?.close();
    if (size <= maxOutputBytes || task.info.status !== "running") return;
    this.#finish(task, "stopped", `it printed more than ${maxOutputBytes} bytes`);
    void this.end(task.spawn);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
