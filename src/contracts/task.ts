import type { AgentSource } from "./agent.ts";

/** `running` until nothing of it lives; the others are final. */
export type TaskStatus = "running" | "completed" | "failed" | "stopped";

/** The kind of work; the first letter of the kind begins its id. */
export type TaskKind = "shell" | "agent";

/** Work that runs beside a conversation. */
export type TaskInfo = {
  /** `b1`, `b2` … for a shell in the background, `a1` … for an agent. */
  readonly id: string;
  readonly kind: TaskKind;
  /** The agent that it belongs to. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  /** A command, or what an agent is to do. */
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** How it ended, as a phrase after its id: "completed with exit code 0"; `is running` until then. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Where its output goes; absolute. */
  readonly outputFile: string;
  /** The process of a shell task. The start time tells it from a later process with the same pid. */
  readonly process?: { readonly pid: number; readonly startTime: string | undefined } | undefined;
};

export type TaskEnd = { readonly status: Exclude<TaskStatus, "running">; readonly state: string };

/** The work itself, as the registry drives it. */
export interface TaskWork {
  /** Looks whether it has ended, and says so by `RunningTask.end`. */
  refresh(): Promise<void>;
  /** The output since the last request, fitted to a limit. @throws {ToolFailedError} the output is gone. */
  read(isOver: boolean): Promise<string>;
  /** Ends all of it. Called once, when the final state is set already. */
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
  /** Sets the final state. The first one counts. @returns true if it was this one. */
  end(end: TaskEnd): boolean;
}

export type TaskOutput = {
  readonly task: TaskInfo;
  /** The output since the last request; empty if there was none. */
  readonly text: string;
};

export type TaskWait = { readonly block: boolean; readonly timeoutMs: number; readonly signal: AbortSignal };

/** All work that runs beside the conversations of a session, as one agent sees it: its own, and the session's own agent all. */
export interface Tasks {
  /**
   * Takes over work that runs already.
   * @param work made for the task, before anybody can see it.
   * @throws {ToolFailedError} too many run already, or the session ends: the work is the caller's to end.
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
