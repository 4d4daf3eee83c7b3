import type { AgentSource } from "./agent.ts";

/** `running` until all processes of the task have ended; all other states are final. */
export type TaskStatus = "running" | "completed" | "failed" | "stopped";

/** The kind of work; the first letter of the kind begins its id. */
export type TaskKind = "shell" | "agent";

/** Work that runs beside a conversation. */
export type TaskInfo = {
  /** `b1`, `b2` … for a shell in the background, `a1` … for an agent. */
  readonly id: string;
  readonly kind: TaskKind;
  /** The agent that owns the task. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /** The command of a shell, or the assignment of an agent. */
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** The end of the task, as a phrase after its id: "completed with exit code 0"; `is running` until then. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** The absolute path of the output file. */
  readonly outputFile: string;
  /** The process of a shell task. The start time distinguishes it from a later process with the same pid. */
  readonly process?: { readonly pid: number; readonly startTime: string | undefined } | undefined;
};

export type TaskEnd = { readonly status: Exclude<TaskStatus, "running">; readonly state: string };

/** The work of a task, in the form that the registry controls. */
export interface TaskWork {
  /** Checks whether the work has ended, and if so calls `RunningTask.end`. */
  refresh(): Promise<void>;
  /** The output since the last request, cut to a limit. @throws {ToolFailedError} the output is gone. */
  read(isOver: boolean): Promise<string>;
  /** Ends all processes of the work. Called once, after the final state was set. */
  stop(): Promise<unknown>;
}

export type NewTask = {
  readonly kind: TaskKind;
  readonly owner: AgentSource;
  readonly title: string;
  readonly description: string;
  readonly outputFile: string;
  readonly process?: TaskInfo["process"];
};

export interface RunningTask {
  readonly info: TaskInfo;
  /** Sets the final state; the first call counts. @returns true if this call set the state. */
  end(end: TaskEnd): boolean;
}

export type TaskOutput = {
  readonly task: TaskInfo;
  /** The output since the last request; empty if there was none. */
  readonly text: string;
};

export type TaskWait = { readonly block: boolean; readonly timeoutMs: number; readonly signal: AbortSignal };

/**
 * The background work of a session as one agent sees it: a child agent sees its own work, the session's own agent
 * sees all work.
 */
export interface Tasks {
  /**
   * Registers work that already runs.
   * @param work Makes the task's work; called before the task is visible.
   * @throws {ToolFailedError} too many tasks already run, or the session ends: the caller must end the work.
   */
  add(task: NewTask, work: (running: RunningTask) => TaskWork): TaskInfo;
  /** Oldest first. */
  list(): readonly TaskInfo[];
  /**
   * A task's output since the last call, and its state. With `block`, waits for the task's end first, at most
   * `timeoutMs`, and until `signal` aborts.
   * @throws {ToolFailedError} there is no such task, or its output is gone.
   */
  output(id: string, wait: TaskWait): Promise<TaskOutput>;
  /**
   * Ends a task and waits for that, no longer than until `signal` aborts.
   * @throws {ToolFailedError} there is no such task.
   */
  stop(id: string, signal: AbortSignal): Promise<TaskInfo>;
}
