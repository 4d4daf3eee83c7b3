import type { PlannedSpend } from "../../contracts/spend.ts";
import { type OverCap, warningLine } from "./cap-words.ts";
import { appliesTo, type Cap } from "./caps.ts";
import type { DayState } from "./day-state.ts";
import type { OwnSpend } from "./own-spend.ts";
import { type Amount, NOTHING } from "./sums.ts";

/** The share of a cap at which the person is warned. */
const WARNED_PERCENT = 80;
/** Sums of many small numbers are off by less. */
const ROUNDING_USD = 1e-9;

/** A cap and what is taken of it, in its unit. */
export type CapStatus = {
  readonly cap: Cap;
  /** As it is in force: it may have been raised. */
  readonly limit: number;
  readonly spent: number;
  readonly held: number;
};

/** The caps of a session, what is spent of each, how far each was raised, and who was warned of what. */
export class CapBook {
  readonly #caps: readonly Cap[];
  readonly #own: OwnSpend;
  readonly #raised = new Map<Cap, number>();
  readonly #warned = new Set<Cap>();
  #day = "";

  constructor(caps: readonly Cap[], own: OwnSpend) {
    this.#caps = caps;
    this.#own = own;
  }

  /** The caps that a request does not fit under. */
  over(plan: PlannedSpend, need: Amount, day: DayState | undefined, allowed: ReadonlySet<Cap>): readonly OverCap[] {
    return this.#caps.flatMap((cap) => {
      if (!appliesTo(cap, plan.source) || allowed.has(cap)) return [];
      const status = this.#statusOf(cap, day);
      const isOver = status.spent + status.held + need[cap.unit] > status.limit + ROUNDING_USD;
      return isOver ? [{ ...status, need: need[cap.unit] }] : [];
    });
  }

  /** Lifts a cap by its own amount, for this session. */
  raise(cap: Cap): void {
    this.#raised.set(cap, (this.#raised.get(cap) ?? 0) + cap.limit);
    this.#warned.delete(cap);
  }

  /** On another day its caps are new. */
  enterDay(day: string): void {
    if (day === this.#day) return;
    this.#day = day;
    this.forgetWarnings("day");
  }

  forgetWarnings(scope: Cap["scope"]): void {
    for (const cap of this.#warned) if (cap.scope === scope) this.#warned.delete(cap);
  }

  /** One line for each cap that has come near its end since the last look. */
  dueWarnings(day: DayState | undefined): readonly string[] {
    return this.status(day).flatMap(({ cap, limit, spent }) => {
      const isNear = spent > 0 && spent * 100 >= limit * WARNED_PERCENT;
      if (!isNear || this.#warned.has(cap)) return [];
      this.#warned.add(cap);
      return [warningLine(cap, limit, spent)];
    });
  }

  status(day: DayState | undefined): readonly CapStatus[] {
    return this.#caps.map((cap) => this.#statusOf(cap, day));
  }

  #statusOf(cap: Cap, day: DayState | undefined): CapStatus {
    const { scope, source, unit } = cap;
    const limit = cap.limit + (this.#raised.get(cap) ?? 0);
    const settled = scope === "day" ? (day?.settled(source) ?? NOTHING) : this.#own.settled(scope, source);
    const held = scope === "day" ? (day?.held(source) ?? NOTHING) : this.#own.held(scope, source);
    return { cap, limit, spent: settled[unit], held: held[unit] };
  }
}
