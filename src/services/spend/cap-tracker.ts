import type { PlannedSpend } from "../../contracts/spend.ts";
import { appliesTo, type Cap, type CapStatus } from "./caps.ts";
import type { DayState } from "./day-state.ts";
import { type OverCap, warningLine } from "./describe-cap.ts";
import { countedUsd } from "./ledger-line.ts";
import { type Amount, SpendBySource, tokensOf, ZERO_AMOUNT } from "./spend-by-source.ts";
import type { SpendLedger } from "./spend-ledger.ts";
import type { SessionSpend } from "./spend-of-session.ts";

/** The share of a cap at which the person gets a warning. */
const WARNED_PERCENT = 80;
/** Larger than the rounding error in a sum of many small numbers. */
const ROUNDING_USD = 1e-9;

/** The caps of a session: the amount spent, how far each cap was raised, and the warnings already given. */
export class CapTracker {
  #caps: readonly Cap[];
  readonly #own: SessionSpend;
  readonly #raised = new Map<Cap, number>();
  readonly #warned = new Set<Cap>();
  #day = "";

  constructor(caps: readonly Cap[], own: SessionSpend) {
    this.#caps = caps;
    this.#own = own;
  }

  /**
   * The caps that a request would exceed.
   * @param need What the request may take, and what its shortest useful answer takes.
   */
  over(
    plan: PlannedSpend,
    { most, least }: { readonly most: Amount; readonly least: Amount },
    day: DayState | undefined,
    allowed: ReadonlySet<Cap>,
  ): readonly OverCap[] {
    return this.#caps.flatMap((cap) => {
      if (!appliesTo(cap, plan.source, this.#own.lineage(plan)) || allowed.has(cap)) return [];
      const status = this.#statusOf(cap, day);
      const isOver = status.spent + status.held + most[cap.unit] > status.limit + ROUNDING_USD;
      return isOver ? [{ ...status, need: most[cap.unit], least: least[cap.unit] }] : [];
    });
  }

  /** A cap on money that a request falls under. */
  ofMoney(plan: PlannedSpend): Cap | undefined {
    return this.#caps.find((cap) => cap.unit === "usd" && appliesTo(cap, plan.source, this.#own.lineage(plan)));
  }

  /** Adds caps, of an agent that is opened. @returns a function that removes the caps again. */
  add(caps: readonly Cap[]): () => void {
    this.#caps = [...this.#caps, ...caps];
    return () => {
      this.#caps = this.#caps.filter((cap) => !caps.includes(cap));
      for (const cap of caps) this.#warned.delete(cap);
    };
  }

  /** Replaces the caps of the settings; an unchanged cap keeps its raises and warnings. */
  replace(caps: readonly Cap[]): void {
    const before = this.#caps.filter(({ scope }) => scope !== "agent");
    const ofAgents = this.#caps.filter(({ scope }) => scope === "agent");
    this.#caps = [...caps.map((cap) => before.find((old) => isSame(old, cap)) ?? cap), ...ofAgents];
    for (const cap of before) if (!this.#caps.includes(cap)) this.#warned.delete(cap);
  }

  /** Raises a cap by its original amount, for this session. */
  raise(cap: Cap): void {
    this.#raised.set(cap, (this.#raised.get(cap) ?? 0) + cap.limit);
    this.#warned.delete(cap);
  }

  /** When the day changes, the day caps start again. */
  enterDay(day: string): void {
    if (day === this.#day) return;
    this.#day = day;
    this.forgetWarnings("day");
  }

  forgetWarnings(scope: Cap["scope"]): void {
    for (const cap of this.#warned) if (cap.scope === scope) this.#warned.delete(cap);
  }

  /** One line for each cap that has newly reached the warning share. */
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
    const { scope, source, unit, agentId } = cap;
    const limit = cap.limit + (this.#raised.get(cap) ?? 0);
    if (scope === "agent") {
      const { settled, held } = this.#own.ofAgent(agentId ?? "");
      return { cap, limit, spent: settled[unit], held: held[unit] };
    }
    const settled = scope === "day" ? (day?.settled(source) ?? ZERO_AMOUNT) : this.#own.settled(scope, source);
    const held = scope === "day" ? (day?.held(source) ?? ZERO_AMOUNT) : this.#own.held(scope, source);
    return { cap, limit, spent: settled[unit], held: held[unit] };
  }
}

function isSame(one: Cap, other: Cap): boolean {
  return one.setting === other.setting && one.limit === other.limit;
}

/**
 * A session's spending in earlier processes, by source.
 * @param startedAt The start of the session, if it is known; ISO 8601.
 * @throws the ledger can't be read.
 */
export function earlierSums(
  ledger: Pick<SpendLedger, "settledBy">,
  session: string,
  startedAt: string | undefined,
): SpendBySource {
  const sums = new SpendBySource();
  for (const line of ledger.settledBy(session, startedAt))
    sums.add(line.source, { usd: countedUsd(line), tokens: tokensOf(line.usage) });
  return sums;
}
