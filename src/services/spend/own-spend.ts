import type { Usage } from "../../contracts/message.ts";
import type { PlannedSpend, SpendSource } from "../../contracts/spend.ts";
import { type Amount, addAmounts, NOTHING, Sums, tokensOf } from "./sums.ts";

/** A request of this process that is under way. */
export type OwnRequest = {
  readonly id: string;
  /** On which it is sent, as `2026-11-21`. */
  readonly day: string;
  readonly plan: PlannedSpend;
  /** US dollars at worst; undefined where no cap asks for them. */
  readonly usd: number | undefined;
};

/** What this process spends for its session, and in the turn that runs. */
export class OwnSpend {
  #session = new Sums();
  #turn = new Sums();
  #turnNumber = 0;
  #earlier = new Sums();
  readonly #open = new Map<OwnRequest, number>();

  startTurn(): void {
    this.#turnNumber += 1;
    this.#turn = new Sums();
  }

  /** What the session has spent before this process came. */
  addEarlier(sums: Sums): void {
    this.#earlier = sums;
  }

  take(request: OwnRequest): OwnRequest {
    this.#open.set(request, this.#turnNumber);
    return request;
  }

  /** Takes a request back that was not sent. */
  drop(request: OwnRequest): void {
    this.#open.delete(request);
  }

  /** @returns false when it was settled before. */
  settle(request: OwnRequest, usage: Usage, usd: number): boolean {
    const turn = this.#open.get(request);
    if (turn === undefined) return false;
    this.#open.delete(request);
    const amount = { usd, tokens: tokensOf(usage) };
    this.#session.add(request.plan.source, amount);
    if (turn === this.#turnNumber) this.#turn.add(request.plan.source, amount);
    return true;
  }

  get open(): readonly OwnRequest[] {
    return [...this.#open.keys()];
  }

  settled(scope: "session" | "turn", source: SpendSource | undefined): Amount {
    if (scope === "turn") return this.#turn.of(source);
    return addAmounts(this.#session.of(source), this.#earlier.of(source));
  }

  held(scope: "session" | "turn", source: SpendSource | undefined): Amount {
    let sum = NOTHING;
    for (const [{ plan, usd = 0 }, turn] of this.#open) {
      if (scope === "turn" && turn !== this.#turnNumber) continue;
      if (source !== undefined && plan.source !== source) continue;
      sum = addAmounts(sum, { usd, tokens: plan.inputTokens + plan.maxOutputTokens });
    }
    return sum;
  }
}
