import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import type { TaskList } from "../../../contracts/task-list.ts";
import { entryExists } from "../../../platform/paths.ts";

/** The tools of the shared list. */
export const LIST_TOOLS: readonly string[] = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];
const VERIFYING_AGENT = "Verification";
/** The number of completed tasks after which the model is told that none was verified. */
const UNVERIFIED_TASKS = 3;

type TaskListOptions = {
  readonly config: Pick<SessionConfig, "tools">;
  /** Our data folder. */
  readonly data: string;
  readonly projectId: string;
  /** The name of a list that sessions of the project share; undefined for a list of only this session. */
  readonly name: string | undefined;
  /** The session's folder. */
  readonly folder: string;
};

/**
 * The task list that the agents of a session share. The list's tools cost tokens in each request, so they join with the
 * first agent that can do work, unless a list already exists.
 */
export class SessionTaskList {
  readonly file: string;
  readonly open: () => Promise<TaskList>;
  readonly #listeners = new Set<() => void>();
  #isOffered: boolean;
  #unverified = 0;

  constructor({ config, data, projectId, name, folder }: TaskListOptions) {
    this.file = name === undefined ? join(folder, "tasks.json") : join(data, "task-lists", projectId, `${name}.json`);
    this.open = lazy(async () =>
      (await import("../../../services/task-list/task-list-file.ts")).taskListFile(this.file),
    );
    const isNamed = config.tools?.some((tool) => LIST_TOOLS.includes(tool)) ?? false;
    this.#isOffered = isNamed || name !== undefined || entryExists(this.file);
  }

  get isOffered(): boolean {
    return this.#isOffered;
  }

  /** @returns the function that removes the listener. */
  onOffered(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called before an agent starts. @param canWork False for an agent that only reads. */
  agentStarts(type: string, canWork: boolean): void {
    if (type === VERIFYING_AGENT) this.#unverified = 0;
    if (!canWork || this.#isOffered) return;
    this.#isOffered = true;
    for (const listener of this.#listeners) listener();
  }

  /** Notes a completed task. @returns a line for the model, or an empty text. */
  completed(hasTool: (name: string) => boolean): string {
    this.#unverified += 1;
    if (this.#unverified !== UNVERIFIED_TASKS || !hasTool("Agent")) return "";
    return `${UNVERIFIED_TASKS} tasks were completed and none was checked by another agent: consider one of type ${VERIFYING_AGENT}.`;
  }
}
