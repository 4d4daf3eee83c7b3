import { atMost } from "@quoll/async/at-most";
import { orAborted } from "@quoll/async/or-aborted";
import type { AgentSource } from "../../contracts/agent.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import {
  isOpenAnswer,
  isOpenTask,
  type NewTask,
  type RunningTask,
  type TaskEnd,
  type TaskInfo,
  type TaskKind,
  type TaskOutput,
  type TaskStopper,
  type Tasks,
  type TaskWait,
  type TaskWork,
} from "../../contracts/task.ts";

const MAX_SHELLS = 64;
/** The maximum number of agents, including queued agents, which cost little. */
const MAX_AGENTS = 200;
const MAX_OPEN: Readonly<Record<TaskKind, number>> = { shell: MAX_SHELLS, agent: MAX_AGENTS };
const MAX_FINISHED = 50;
const RUNNING = "is running";
const STOPPING = "is being stopped";
const PREFIX: Readonly<Record<TaskKind, string>> = { shell: "b", agent: "a" };

export type TaskRegistryDeps = {
  readonly clock: Clock;
  /** Called once when a task starts, when it changes, and once when it has ended. */
  changed?(what: "started" | "changed" | "ended", task: TaskInfo): void;
  /** Called when the output of a task has new lines that match the model's pattern. */
  matched?(task: TaskInfo, lines: readonly string[]): void;
  /**
   * Called once when a background task has ended, unless a call of the model ended it or the model already knows.
   */
  announce?(task: TaskInfo, answer: string | undefined): void;
  /** Withdraws the announcement of a task whose end the model has learned otherwise. */
  withdraw?(task: TaskInfo): void;
};

type Task = {
  info: TaskInfo;
  readonly work: TaskWork;
  /** The number of running calls that read the output: a call that sees the task's end tells the model. */
  readers: number;
  /** True if the end was announced, or a call told the model about it. */
  isTold: boolean;
  answer?: string | undefined;
  /** The final state of work that was told to end, whatever its processes report. */
  stopping?: TaskEnd;
  readonly ended: PromiseWithResolvers<void>;
  /** Resolves when a caller that waits for the end can go on: at the end, or when the work was told to end. */
  readonly woken: PromiseWithResolvers<void>;
  /** Resolves when the output has lines that the model watches for, which no call has read yet. */
  watchedLines: PromiseWithResolvers<void>;
  hasWatchedLines: boolean;
};

const isOpen = ({ info }: Task): boolean => isOpenTask(info);

/**
 * The background work of a session. A final state never changes. For work that ends in steps it is set when the
 * processes have ended, otherwise before, so that waiting callers don't hang.
 */
export class TaskRegistry {
  readonly #deps: TaskRegistryDeps;
  readonly #tasks = new Map<string, Task>();
  readonly #counts = new Map<TaskKind, number>();
  /** By the id of the call. */
  readonly #releases = new Map<string, () => void>();

  constructor(deps: TaskRegistryDeps) {
    this.#deps = deps;
  }

  /** Continues the numbers of an earlier process: no id is used twice in a session. */
  startAfter(kind: TaskKind, number: number): void {
    this.#counts.set(kind, Math.max(number, this.#counts.get(kind) ?? 0));
  }

  /** True if an owner waits for the answer of a background task. */
  awaitsAnswer(agentId: string): boolean {
    return this.#list().some((info) => info.agentId === agentId && isOpenAnswer(info) && info.isBackground);
  }

  /** The tasks as an agent sees them: its own and its children's; the session's own agent sees all. */
  seenBy({ agentId, parentAgentId }: AgentSource): Tasks {
    const seen = (info: TaskInfo) =>
      parentAgentId === null || info.agentId === agentId || info.parentAgentId === agentId;
    return {
      add: (task, work) => this.#add(task, work),
      assertRoom: (kind) => this.#assertRoom(kind, "so nothing was started"),
      list: () => this.#list().filter(seen),
      output: (id, wait) => this.#output(this.#get(id, seen), wait),
      stop: (id, signal, by) => this.#stop(this.#get(id, seen), signal, by),
      send: (id, message) => {
        const { mailbox } = this.#get(id, seen).work;
        if (!mailbox) throw new ToolFailedError(`${id} is not an agent: it accepts no messages.`);
        return mailbox.send(message);
      },
      moveToBackground: (id) => this.#moveToBackground(this.#get(id, seen)),
      keep: (id) => this.#keep(this.#get(id, seen)),
      offerRelease: (toolUseId, release) => {
        this.#releases.set(toolUseId, release);
        return () => void this.#releases.delete(toolUseId);
      },
      releaseCall: (toolUseId) => {
        const release = this.#releases.get(toolUseId);
        release?.();
        return this.#releases.delete(toolUseId);
      },
    };
  }

  #list(): readonly TaskInfo[] {
    return [...this.#tasks.values()].map(({ info }) => info);
  }

  #add({ isAwaited = false, ...given }: NewTask, make: (running: RunningTask) => TaskWork): TaskInfo {
    const { kind, owner, status = "running", outputFile, startedAt = this.#deps.clock.now(), ...about } = given;
    this.#assertRoom(kind, "so this one was ended");
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const { agentId, parentAgentId } = owner;
    const [ended, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const id = `${PREFIX[kind]}${count}`;
    const info: TaskInfo = {
      id,
      kind,
      agentId,
      parentAgentId,
      ...about,
      outputFile: typeof outputFile === "string" ? outputFile : outputFile(id),
      status,
      state: status === "queued" ? "waits for its turn" : RUNNING,
      summary: about.summary ?? about.title,
      isBackground: !isAwaited,
      startedAt,
      endedAt: undefined,
    };
    const running: RunningTask = {
      get info() {
        return task.info;
      },
      begin: () => this.#change(task, { status: "running", state: RUNNING }),
      note: (progress) => {
        const { agent } = task.info;
        if (agent) this.#change(task, { agent: { ...agent, ...progress } });
      },
      remark: (state) => {
        if (!task.stopping) this.#change(task, { state: state ?? RUNNING, hasRemark: state !== undefined });
      },
      matched: (lines) => {
        if (!isOpen(task)) return;
        task.hasWatchedLines = true;
        task.watchedLines.resolve();
        this.#deps.matched?.(task.info, lines);
      },
      end: (end) => this.#end(task, end),
    };
    const watchedLines = Promise.withResolvers<void>();
    const task: Task = {
      info,
      work: make(running),
      readers: 0,
      isTold: false,
      ended,
      woken,
      watchedLines,
      hasWatchedLines: false,
    };
    this.#tasks.set(info.id, task);
    this.#deps.changed?.("started", info);
    return info;
  }

  #assertRoom(kind: TaskKind, consequence: string): void {
    const taken = [...this.#tasks.values()].filter((task) => isOpen(task) && task.info.kind === kind).length;
    if (taken < MAX_OPEN[kind]) return;
    throw new ToolFailedError(`${taken} background tasks run already, ${consequence}. Stop some with TaskStop.`);
  }

  async #output(task: Task, { block, timeoutMs, signal }: TaskWait): Promise<TaskOutput> {
    task.readers += 1;
    try {
      if (isOpen(task)) await task.work.refresh();
      const news = Promise.race([task.woken.promise, task.watchedLines.promise]);
      if (block && isOpen(task)) await atMost(news, timeoutMs, { clock: this.#deps.clock, signal });
      const { info } = task;
      const text = await task.work.read(!isOpenTask(info));
      // Otherwise another call may still wait for these lines.
      if (task.hasWatchedLines && !task.work.hasMatch) {
        task.watchedLines = Promise.withResolvers();
        task.hasWatchedLines = false;
      }
      if (!isOpenTask(info)) this.#noteTold(task);
      return { task: info, text, isLimited: task.work.isLimited === true };
    } finally {
      task.readers -= 1;
      // The task may have ended during the read.
      this.#announceEnd(task);
    }
  }

  async #stop(task: Task, signal: AbortSignal, by: TaskStopper = "model"): Promise<TaskInfo> {
    if (isOpen(task)) await task.work.refresh();
    if (isOpen(task)) {
      // Who stopped it first decides whether the model is notified.
      if (!task.stopping && (by === "model" || by === "session")) task.isTold = true;
      if (task.work.endsInSteps) await this.#stopInSteps(task, STOPPED[by], signal);
      else {
        this.#end(task, STOPPED[by]);
        await settled(task.work.stop(), signal);
      }
    }
    if (by === "model") this.#noteTold(task);
    return task.info;
  }

  /** The task stays open, and says that it is being stopped, until its processes have ended. */
  async #stopInSteps(task: Task, end: TaskEnd, signal: AbortSignal): Promise<void> {
    if (!task.stopping) {
      task.stopping = end;
      this.#change(task, { state: STOPPING, hasRemark: true });
      task.woken.resolve();
      const over = () => void this.#end(task, end);
      task.work.stop().then(over, over);
    }
    await settled(task.ended.promise, signal);
  }

  #moveToBackground(task: Task): TaskInfo {
    const { id, isBackground, state } = task.info;
    if (!isOpen(task)) throw new ToolFailedError(`${id} ${state}: it can't be moved to the background.`);
    if (isBackground) throw new ToolFailedError(`${id} runs in the background already.`);
    if (!task.work.release) throw new ToolFailedError(`${id} belongs to a batch or a command, which waits for it.`);
    this.#change(task, { isBackground: true });
    task.work.release();
    return task.info;
  }

  #keep(task: Task): TaskInfo {
    const { id, state } = task.info;
    if (!isOpen(task)) throw new ToolFailedError(`${id} ${state}: there is nothing to keep.`);
    if (!task.work.keep)
      throw new ToolFailedError(`${id} is an agent, which ends with Quoll: only commands can be kept.`);
    task.work.keep();
    this.#change(task, { isKept: true });
    return task.info;
  }

  #change(task: Task, change: Partial<TaskInfo>): void {
    if (!isOpen(task)) return;
    task.info = { ...task.info, ...change };
    // The work notes its first progress while the task is being added.
    if (this.#tasks.has(task.info.id)) this.#deps.changed?.("changed", task.info);
  }

  #get(id: string, seen: (info: TaskInfo) => boolean): Task {
    const task = this.#tasks.get(id);
    if (task && seen(task.info)) return task;
    // Of several agents with the same name, the last is used.
    const named = [...this.#tasks.values()].findLast(({ info }) => info.agent?.name === id && seen(info));
    if (named) return named;
    const known = this.#list()
      .filter(seen)
      .map((info) => info.id);
    const near = nearestName(id, known);
    const listed = known.length === 0 ? "There are none." : `Known are: ${known.slice(-20).join(", ")}.`;
    throw new ToolFailedError(
      `There is no background task "${id}". ${listed}${near === undefined ? "" : ` Did you mean ${near}?`}`,
    );
  }

  #end(task: Task, reported: TaskEnd): boolean {
    if (!isOpen(task)) return false;
    const { answer, isUntold, ...end } = task.stopping ?? reported;
    task.info = { ...task.info, ...end, hasRemark: false, endedAt: this.#deps.clock.now() };
    task.answer = answer;
    // The call that waits tells the model.
    if (isUntold || !task.info.isBackground) task.isTold = true;
    task.woken.resolve();
    task.ended.resolve();
    this.#forgetOldest();
    this.#deps.changed?.("ended", task.info);
    this.#announceEnd(task);
    return true;
  }

  /** A caller that stops the task or waits for it gets the end as the result of its call. */
  #announceEnd(task: Task): void {
    if (isOpen(task) || task.isTold || task.readers > 0) return;
    task.isTold = true;
    this.#deps.announce?.(task.info, task.answer);
    task.answer = undefined;
  }

  #noteTold(task: Task): void {
    task.isTold = true;
    this.#deps.withdraw?.(task.info);
  }

  #forgetOldest(): void {
    const finished = this.#list().filter((info) => !isOpenTask(info));
    for (const { id } of finished.slice(0, -MAX_FINISHED)) this.#tasks.delete(id);
  }
}

const STOPPED: Readonly<Record<TaskStopper, TaskEnd>> = {
  model: { status: "cancelled", state: "was stopped" },
  person: { status: "cancelled", state: "was stopped by the user" },
  limit: { status: "cancelled", state: "was stopped at its time limit" },
  session: { status: "cancelled", state: "was stopped with the session" },
};

/** Resolves with the work, or when `signal` aborts: the work then continues without the caller. */
async function settled(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await orAborted(work, signal).catch(() => undefined);
}
