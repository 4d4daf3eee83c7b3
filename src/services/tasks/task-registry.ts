import type { AgentSource } from "../../contracts/agent.ts";
import { nearestNames } from "../../contracts/did-you-mean.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type {
  NewTask,
  RunningTask,
  TaskEnd,
  TaskInfo,
  TaskKind,
  TaskOutput,
  Tasks,
  TaskWait,
  TaskWork,
} from "../../contracts/task.ts";

const MAX_RUNNING = 64;
const MAX_FINISHED = 50;
const PREFIX: Readonly<Record<TaskKind, string>> = { shell: "b", agent: "a" };

export type TaskRegistryDeps = {
  readonly clock: Clock;
  /** Called once when a task starts and once when it has ended. */
  changed?(what: "started" | "ended", task: TaskInfo): void;
  /** Called once when a task has ended by itself and its agent's model has not been told. */
  announce?(task: TaskInfo): void;
  /** Called when the model has learned the end of an announced task: the announcement can be dropped. */
  told?(task: TaskInfo): void;
};

type Task = {
  info: TaskInfo;
  readonly work: TaskWork;
  /** The number of running calls that read the output: a call that sees the task's end tells the model. */
  readers: number;
  /** The end was announced, or a call told the model of it. */
  isTold: boolean;
  readonly ended: Promise<void>;
  readonly markEnded: () => void;
};

const isRunning = ({ info }: Task): boolean => info.status === "running";

/**
 * The background work of a session. A final state never changes; it is set before the slow end of the processes, so
 * that waiting callers don't hang.
 */
export class TaskRegistry {
  readonly #deps: TaskRegistryDeps;
  readonly #tasks = new Map<string, Task>();
  readonly #counts = new Map<TaskKind, number>();

  constructor(deps: TaskRegistryDeps) {
    this.#deps = deps;
  }

  /** The tasks as an agent sees them: its own and its children's; the session's own agent sees all. */
  seenBy({ agentId, parentAgentId }: AgentSource): Tasks {
    const seen = (info: TaskInfo) =>
      parentAgentId === null || info.agentId === agentId || info.parentAgentId === agentId;
    return {
      add: (task, work) => this.#add(task, work),
      list: () => this.#list().filter(seen),
      output: (id, wait) => this.#output(this.#get(id, seen), wait),
      stop: (id, signal) => this.#stop(this.#get(id, seen), signal),
    };
  }

  #list(): readonly TaskInfo[] {
    return [...this.#tasks.values()].map(({ info }) => info);
  }

  #add({ kind, owner, ...about }: NewTask, make: (running: RunningTask) => TaskWork): TaskInfo {
    if ([...this.#tasks.values()].filter(isRunning).length >= MAX_RUNNING) {
      throw new ToolFailedError(
        `${MAX_RUNNING} background tasks run already, so this one was ended. Stop some with TaskStop.`,
      );
    }
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const { agentId, parentAgentId } = owner;
    const { promise: ended, resolve: markEnded } = Promise.withResolvers<void>();
    const info: TaskInfo = {
      id: `${PREFIX[kind]}${count}`,
      kind,
      agentId,
      parentAgentId,
      ...about,
      status: "running",
      state: "is running",
      startedAt: this.#deps.clock.now(),
      endedAt: undefined,
    };
    const running: RunningTask = {
      get info() {
        return task.info;
      },
      end: (end) => this.#end(task, end),
    };
    const task: Task = { info, work: make(running), readers: 0, isTold: false, ended, markEnded };
    this.#tasks.set(info.id, task);
    this.#deps.changed?.("started", info);
    return info;
  }

  async #output(task: Task, { block, timeoutMs, signal }: TaskWait): Promise<TaskOutput> {
    task.readers += 1;
    try {
      if (isRunning(task)) await task.work.refresh();
      if (block && isRunning(task)) await this.#waitFor(task, timeoutMs, signal);
      const { info } = task;
      const text = await task.work.read(info.status !== "running");
      if (info.status !== "running") this.#noteTold(task);
      return { task: info, text };
    } finally {
      task.readers -= 1;
      // The task may have ended during the read.
      this.#announceEnd(task);
    }
  }

  async #stop(task: Task, signal: AbortSignal): Promise<TaskInfo> {
    if (isRunning(task)) await task.work.refresh();
    if (isRunning(task)) {
      this.#end(task, STOPPED);
      await settled(task.work.stop(), signal);
    }
    this.#noteTold(task);
    return task.info;
  }

  #get(id: string, seen: (info: TaskInfo) => boolean): Task {
    const task = this.#tasks.get(id);
    if (task && seen(task.info)) return task;
    const known = this.#list()
      .filter(seen)
      .map((info) => info.id);
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

  #end(task: Task, { status, state }: TaskEnd): boolean {
    if (!isRunning(task)) return false;
    task.info = { ...task.info, status, state, endedAt: this.#deps.clock.now() };
    task.markEnded();
    this.#forgetOldest();
    this.#deps.changed?.("ended", task.info);
    this.#announceEnd(task);
    return true;
  }

  /** A caller that stops the task or waits for it learns of the end from its own call. */
  #announceEnd(task: Task): void {
    if (isRunning(task) || task.isTold || task.readers > 0 || task.info.state === STOPPED.state) return;
    task.isTold = true;
    this.#deps.announce?.(task.info);
  }

  #noteTold(task: Task): void {
    task.isTold = true;
    this.#deps.told?.(task.info);
  }

  #forgetOldest(): void {
    const finished = this.#list().filter(({ status }) => status !== "running");
    for (const { id } of finished.slice(0, -MAX_FINISHED)) this.#tasks.delete(id);
  }
}

const STOPPED: TaskEnd = { status: "stopped", state: "was stopped" };

/** Resolves with the work, or when `signal` aborts: the work then continues without the caller. */
async function settled(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopWaiting = () => resolve();
  signal.addEventListener("abort", stopWaiting, { once: true });
  if (signal.aborted) resolve();
  work.then(stopWaiting, stopWaiting);
  await promise;
  signal.removeEventListener("abort", stopWaiting);
}
