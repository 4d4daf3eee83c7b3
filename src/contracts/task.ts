import type { AgentSource } from "./agent.ts";

/** A task is `queued` or `running` until all its work has ended; all other states are final. */
export type TaskStatus = "queued" | "running" | "completed" | "failed" | "cancelled";

/** A name for lists and wires; what can be done with a task follows from its capabilities. */
export type TaskKind = "shell" | "agent";

/**
 * The actions that a task allows. `message`: it takes messages. `resume`: it continues after its end, also in a later
 * process. `answer`: its end brings an answer, for which its owner gets a turn. `keep`: it ends with its owner unless
 * the person keeps it.
 */
export type TaskCapability = "message" | "resume" | "answer" | "keep";

/** The progress of an agent. */
export type AgentProgress = {
  /** The agent that works on the task; undefined while the task is queued. */
  readonly agentId?: string;
  /** The name of the agent's definition: `Explore`. */
  readonly type: string;
  /** The name that the caller gave the agent. */
  readonly name?: string;
  readonly model?: string;
  /** The worktree in which the agent works. */
  readonly worktree?: string;
  /** The only tools, and further deny rules, that the call gave the agent. */
  readonly narrowed?: { readonly tools?: readonly string[]; readonly deny?: readonly string[] };
  /** The agent's last activity, in one line. */
  readonly activity: string;
  /** True while the agent waits for an answer of the person. */
  readonly isAsking?: boolean;
  /** The tokens that its requests took so far, in and out. */
  readonly tokens: number;
  /** US dollars spent in this task; null if a price is unknown, absent before the first answer. */
  readonly costUsd?: number | null;
  /** The number of the agent's tool calls, and the tool of the last call. */
  readonly calls: number;
  readonly lastTool?: string;
};

/** Work that runs in parallel with a conversation, or that a call waits for (`isBackground: false`). */
export type TaskInfo = {
  /** The id: `b1`, `b2` … for a background shell, `a1` … for an agent. */
  readonly id: string;
  readonly kind: TaskKind;
  readonly can: readonly TaskCapability[];
  /** The agent that owns the task. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /** The command of a shell, or the task of an agent. */
  readonly title: string;
  readonly description: string;
  /** The line that tells the task from others: the command, or what the agent does. */
  readonly summary: string;
  readonly status: TaskStatus;
  /** The state as a phrase after the id: "is running", "completed with exit code 0". */
  readonly state: string;
  /** The state without the figures behind it; absent if it has none. */
  readonly phrase?: string;
  /** True if the state of a running task says more than that it runs. */
  readonly hasRemark?: boolean;
  /** The exit code of a command that ended by itself. */
  readonly exitCode?: number;
  /** The first line of the complete answer of an ended agent. */
  readonly result?: string;
  /** False while a call or a batch waits for the task. */
  readonly isBackground: boolean;
  /** True if the work continues when Quoll ends. */
  readonly isKept?: true;
  /** The call that started the task; absent if no call did. */
  readonly toolUseId?: string;
  /** Present for an agent. */
  readonly agent?: AgentProgress;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** The absolute path of the output file. */
  readonly outputFile: string;
  /** The process of a shell task. The start time distinguishes the process from a later process with the same pid. */
  readonly process?: { readonly pid: number; readonly startTime: string | undefined } | undefined;
};

export type TaskEnd = {
  readonly status: Exclude<TaskStatus, "queued" | "running">;
  readonly state: string;
  /** The state without figures; absent if it has none. */
  readonly phrase?: string;
  /** The answer of an agent, for the announcement of its end. */
  readonly answer?: string;
  /** The first line of a complete answer. */
  readonly result?: string;
  readonly exitCode?: number;
  /** True if nobody is told about the end. */
  readonly isUntold?: true;
};

/** True until the task has its final state. */
export function isOpenTask({ status }: Pick<TaskInfo, "status">): boolean {
  return status === "queued" || status === "running";
}

/** True for an open task whose end brings an answer. */
export function isOpenAnswer(task: TaskInfo): boolean {
  return task.can.includes("answer") && isOpenTask(task);
}

/** True for open work that ends with its owner. */
export function endsWithOwner(task: TaskInfo): boolean {
  return task.can.includes("keep") && isOpenTask(task) && !task.isKept;
}

/** True for an agent that works in the background, or for one in the background: no turn of the person waits for it. */
export function isInBackground(agentId: string, tasks: readonly TaskInfo[]): boolean {
  const taskOf = (id: string) => tasks.findLast(({ agent }) => agent?.agentId === id);
  for (let task = taskOf(agentId); task; task = taskOf(task.agentId)) if (task.isBackground) return true;
  return false;
}

/** A task for the model: `b1`, `a1`, or `a1 "auth"` for an agent that its caller gave a name. */
export function taskName({ id, agent }: Pick<TaskInfo, "id" | "agent">): string {
  return agent?.name === undefined ? id : `${id} "${agent.name}"`;
}

/**
 * The line after a message to an agent. `taker`: the task that gets the message, a different task if an ended agent
 * continues.
 */
export function sentLine(id: string, taker: string): string {
  return taker === id ? `${id} gets your message.` : `${id} goes on as ${taker} with your message.`;
}

/** The work of a task, in the form that the registry controls. */
export interface TaskWork {
  /** Checks whether the work has ended, and if so calls `RunningTask.end`. */
  refresh(): Promise<void>;
  /** True if `read` cuts the output to a limit of its own. */
  readonly isLimited?: true;
  /** The output since the last request. @throws {ToolFailedError} the output no longer exists. */
  read(isOver: boolean): Promise<string>;
  /** True if lines that the model is notified of came after the output that was read last. */
  readonly hasMatch?: boolean;
  /** Ends all processes of the work. Called once, after the final state was set, or before it if `endsInSteps`. */
  stop(): Promise<unknown>;
  /** True if processes can outlive a stop by seconds. Until they have ended, the task is open and says that it is being stopped. */
  readonly endsInSteps?: true;
  /**
   * Lets the work continue when Quoll ends. Absent for work that Quoll itself does.
   * @throws {ToolFailedError} the work can't outlive Quoll.
   */
  keep?(): void;
  /** Lets the call that waits for the work continue. Absent if no call can. */
  release?(): void;
  /** Absent for work that takes no messages. */
  readonly mailbox?: Mailbox;
}

/** `description`: what an agent that has ended does now; its earlier description if absent. */
export type AgentMessage = { readonly message: string; readonly description?: string };

/** Takes the messages to one agent, in whichever task it works. */
export interface Mailbox {
  /**
   * Gives the agent a message, which it reads after its current call. An agent that has ended continues as a new task in
   * the background, with its context.
   * @returns the task that gets the message.
   * @throws {ToolFailedError} the agent can't continue.
   */
  send(message: AgentMessage): TaskInfo;
}

export type NewTask = {
  readonly kind: TaskKind;
  readonly can: readonly TaskCapability[];
  readonly owner: AgentSource;
  readonly title: string;
  readonly description: string;
  /** By default the title. */
  readonly summary?: string;
  /** The absolute path, or a function that makes the path from the id of the task. */
  readonly outputFile: string | ((id: string) => string);
  readonly process?: TaskInfo["process"];
  readonly toolUseId?: string;
  readonly agent?: AgentProgress;
  /** Milliseconds since the epoch, if the work began before it became a task; by default now. */
  readonly startedAt?: number;
  /** `queued` unless the work already runs. */
  readonly status?: "queued";
  /** True if a call waits for the task and gets its result. */
  readonly isAwaited?: boolean;
};

export interface RunningTask {
  readonly info: TaskInfo;
  /** The work of a queued task begins. */
  begin(): void;
  /** Changes the progress of an agent. The call has no effect after the task's end. */
  note(progress: Partial<AgentProgress>): void;
  /** Makes a remark the state of the running task; undefined removes it. The call has no effect after the task's end. */
  remark(state: string | undefined): void;
  /**
   * The output has new lines that match the pattern for which the model asked to be notified. The call has no effect
   * after the task's end.
   */
  matched(lines: readonly string[]): void;
  /** Sets the final state; only the first call has an effect. @returns true if this call set the state. */
  end(end: TaskEnd): boolean;
}

export type TaskOutput = {
  readonly task: TaskInfo;
  /** The output since the last request; empty if there was none. */
  readonly text: string;
  /** True if the text was cut to a limit of its own. */
  readonly isLimited: boolean;
};

/** Who stops a task: the model by a call, the person, a time limit, or the end of the session. */
export type TaskStopper = "model" | "person" | "limit" | "session";

export type TaskWait = { readonly block: boolean; readonly timeoutMs: number; readonly signal: AbortSignal };

/**
 * The background work of a session as one agent sees it: a child agent sees its own work, the session's own agent
 * sees all work.
 */
export interface Tasks {
  /** Called before a task starts. @throws {ToolFailedError} too many tasks already run: nothing may be started. */
  assertRoom(kind: TaskKind): void;
  /**
   * Registers work that already runs.
   * @param work Makes the task's work; called before the task is visible.
   * @throws {ToolFailedError} too many tasks already run, or the session ends: the caller must end the work.
   */
  add(task: NewTask, work: (running: RunningTask) => TaskWork): TaskInfo;
  /** Oldest first. */
  list(): readonly TaskInfo[];
  /**
   * Returns a task's output since the last call, and its state. With `block`, waits first for the task's end, at most
   * `timeoutMs`, and until `signal` aborts.
   * @throws {ToolFailedError} if there is no such task, or its output is gone.
   */
  output(id: string, wait: TaskWait): Promise<TaskOutput>;
  /**
   * Ends a task and waits for its end, at most until `signal` aborts. The model is notified unless it ended the task
   * itself.
   * @throws {ToolFailedError} if there is no such task.
   */
  stop(id: string, signal: AbortSignal, by?: TaskStopper): Promise<TaskInfo>;
  /**
   * Offers to let a call continue without the command that it runs. `release` is called at most once, by `releaseCall`.
   * @returns the function that withdraws the offer.
   */
  offerRelease(toolUseId: string, release: () => void): () => void;
  /** Lets a call continue without its command. @returns false if the call no longer offers this. */
  releaseCall(toolUseId: string): boolean;
  /**
   * Lets the call that waits for a task continue: the end of the task is announced like that of other background work.
   * @throws {ToolFailedError} if there is no such task, or no call waits for it.
   */
  moveToBackground(id: string): TaskInfo;
  /**
   * Lets a background command continue when Quoll ends.
   * @throws {ToolFailedError} if there is no such task, it has ended, or it can't outlive Quoll.
   */
  keep(id: string): TaskInfo;
  /** As `Mailbox.send`, to an agent by its id or name. @throws {ToolFailedError} if there is no such agent. */
  send(id: string, message: AgentMessage): TaskInfo;
}
