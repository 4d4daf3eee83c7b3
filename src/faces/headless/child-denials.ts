import type { EventEnvelope, PermissionDenial, TurnReport } from "../../contracts/event.ts";

/** The maximum number of denials in a report; longer lists help no reader. */
const MAX_DENIALS = 1_000;

/** Adds the denied calls of child agents to the report of the turn in which they were denied. */
export class ChildDenials {
  #denials: readonly PermissionDenial[] = [];
  #isReported = false;

  note({ event, parentAgentId }: Pick<EventEnvelope, "event" | "parentAgentId">): void {
    if (event.type === "permission_denied" && parentAgentId !== null)
      this.#denials = [...this.#denials, event.denial].slice(-MAX_DENIALS);
    if (event.type !== "turn_started" || parentAgentId !== null || !this.#isReported) return;
    this.#denials = [];
    this.#isReported = false;
  }

  /** @returns the report with all denials since the last reported turn. */
  with(report: TurnReport): TurnReport {
    this.#isReported = true;
    return this.#denials.length === 0 ? report : { ...report, denials: [...report.denials, ...this.#denials] };
  }
}
