export const LISTED_TASK_STATES = ["pending", "in_progress", "completed"] as const;
export type ListedTaskState = (typeof LISTED_TASK_STATES)[number];

/** A task of the list that the agents of a session share. */
export type ListedTask = {
  /** The id, `1`, `2` …; the id of a deleted task is never reused. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** The subject while the task is in progress: "Fixing the parser". */
  readonly activeForm?: string | undefined;
  readonly status: ListedTaskState;
  /** The agent that has claimed the task. */
  readonly owner?: string | undefined;
  /** Ids of the tasks that wait for this task. */
  readonly blocks: readonly string[];
  /** Ids of the tasks that must be completed first. */
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

export type NewListedTask = Pick<ListedTask, "subject" | "description" | "activeForm" | "metadata">;

/** The fields to change. */
export type ListedTaskChange = { readonly [Field in keyof NewListedTask]?: NewListedTask[Field] | undefined } & {
  /** `deleted` removes the task. */
  readonly status?: ListedTaskState | "deleted" | undefined;
  /** Claims the task; an empty text releases it. */
  readonly owner?: string | undefined;
  /** Ids that are added to the task's `blocks` and `blockedBy`. */
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
};

export type ChangedTask = {
  readonly before: ListedTask;
  /** Undefined if the task was deleted. */
  readonly after: ListedTask | undefined;
};

/**
 * A list of tasks on disk, which other processes may change at the same time. When a change returns, the change is on
 * disk. Each method throws a {ToolFailedError} if the list can't be locked, read or written; nothing is changed then.
 */
export interface TaskList {
  /** Oldest first. */
  list(): Promise<readonly ListedTask[]>;
  get(id: string): Promise<ListedTask | undefined>;
  /** Takes an id for a task that is created later. */
  reserveId(): Promise<string>;
  /** @throws {ToolFailedError} the list is full, or a field is too long. */
  create(task: NewListedTask, reservedId?: string): Promise<ListedTask>;
  /**
   * @throws {ToolFailedError} if there is no such task, another agent owns it, it is blocked, or dependencies would
   * form a cycle.
   */
  update(id: string, change: ListedTaskChange): Promise<ChangedTask>;
}
