import type { EngineEvent } from "./event.ts";
import type { Entry } from "./session.ts";
import type { Tasks } from "./task.ts";

export type TaskEvent = Extract<EngineEvent, { type: "task_started" | "task_changed" | "task_ended" }>;

/** A part of a task's output, for the person who watches it. */
export type TaskReport =
  /** The last lines of an output file; they replace all earlier reports. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  /** The conversation of an agent so far; it replaces all earlier reports. `isOpen`: `event` reports follow. */
  | { readonly kind: "conversation"; readonly entries: readonly Entry[]; readonly isOpen: boolean }
  | { readonly kind: "event"; readonly event: EngineEvent };

/** The tasks of a session as a person controls them. */
export interface TaskControl {
  readonly tasks: Pick<Tasks, "stop" | "moveToBackground" | "send" | "releaseCall">;
  /** Reports tasks of agents, such as background commands. @returns the function that removes the listener. */
  onChildTask(listener: (event: TaskEvent) => void): () => void;
  /** Reports a task's output, including later output, until the task ends or `signal` aborts. */
  follow(id: string, report: (part: TaskReport) => void, signal: AbortSignal): Promise<void>;
}
