import type { TurnReport } from "./event.ts";
import type { StopReason } from "./message.ts";
import type { SourceSpend } from "./spend.ts";
import type { TaskInfo } from "./task.ts";

/**
 * How a run without a person ended. `limit`: at a limit of steps, tokens or money. `refused`: a call was denied because
 * nobody could answer.
 */
export type RunExit = "done" | "failed" | "limit" | "refused";

/** The guide lists the exit codes. */
export const EXIT_CODES = { done: 0, failed: 1, limit: 3, refused: 4 } as const satisfies Record<RunExit, number>;

/** The spending of a whole session. */
export type SessionTotal = Pick<TurnReport, "costUsd" | "usage" | "usageByModel"> & {
  readonly spendBySource: readonly SourceSpend[];
};

/**
 * The result of a run without a person, as a program needs it: the report of the run's turns, with the denials of its
 * child agents. `text`: the last answer in the form that hooks want shown.
 */
export type RunResult = TurnReport & {
  readonly sessionId: string;
  readonly exit: RunExit;
  readonly exitCode: (typeof EXIT_CODES)[RunExit];
  /** Why the model stopped last; absent if no model was asked. */
  readonly stopReason?: StopReason | undefined;
  readonly total: SessionTotal;
  /** The background commands that end with the run. */
  readonly endedTasks: readonly TaskInfo[];
};

/** A failure precedes a limit, and a limit precedes a denial, as in the guide's table of exit codes. */
export function runExit({ outcome, denials }: Pick<TurnReport, "outcome" | "denials">): RunExit {
  const isRefused = denials.some(({ unanswered }) => unanswered);
  switch (outcome.reason) {
    case "failed":
    case "aborted":
      return "failed";
    case "step_limit":
    case "budget":
      return "limit";
    // Work that stopped because of a denial reports the denial.
    case "stopped_short":
      return isRefused ? "refused" : "failed";
    case "completed":
      return isRefused ? "refused" : "done";
  }
}
