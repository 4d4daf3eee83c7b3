import type { EventEnvelope } from "../../contracts/event.ts";

/** Counts of a session's work since this process opened it. */
export type SessionTally = {
  readonly addedLines: number;
  readonly removedLines: number;
  /** Milliseconds in which the main conversation waited for the model. */
  readonly apiMs: number;
  /** Requests that read less from the prompt cache than expected. */
  readonly cacheMisses: number;
};

export const NO_TALLY: SessionTally = { addedLines: 0, removedLines: 0, apiMs: 0, cacheMisses: 0 };

/** Updates the tally after an event of any agent of the session. */
export function tallied(tally: SessionTally, { event, parentAgentId }: EventEnvelope): SessionTally {
  switch (event.type) {
    case "tool_finished": {
      const { display, result } = event;
      if (display?.kind !== "diff" || result.isError) return tally;
      const { addedLines, removedLines } = tally;
      return { ...tally, addedLines: addedLines + display.added, removedLines: removedLines + display.removed };
    }
    case "turn_finished":
      return parentAgentId === null ? { ...tally, apiMs: tally.apiMs + event.report.apiMs } : tally;
    case "cache_missed":
      return parentAgentId === null ? { ...tally, cacheMisses: tally.cacheMisses + 1 } : tally;
    default:
      return tally;
  }
}
