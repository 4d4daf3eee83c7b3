import type { Usage } from "../../contracts/message.ts";
import type { PlannedSpend, SpendingAgent, SpendSource } from "../../contracts/spend.ts";
import { type Amount, addAmounts, SpendBySource, tokensOf, ZERO_AMOUNT } from "./spend-by-source.ts";

/** An open request of this process. */
export type SessionRequest = {
  readonly id: string;
  /** The day on which it was sent, as `2026-11-21`. */
  readonly day: string;
  readonly plan: PlannedSpend;
  /** Worst case in US dollars; undefined if no cap needs it. */
  readonly usd: number | undefined;
};

/** The spending of this process for its session and its current turn. */
export class SessionSpend {
  #session = new SpendBySource();
  #turn = new SpendBySource();
  #turnNumber = 0;
  #earlier = new SpendBySource();
  readonly #byAgent = new Map<string, Amount>();
  /** The agent above each agent. */
  readonly #parents = new Map<string, string | null>();
  readonly #open = new Map<SessionRequest, number>();

  startTurn(): void {
    this.#turnNumber += 1;
    this.#turn = new SpendBySource();
  }

  /** The session's spending in earlier processes. */
  addEarlier(sums: SpendBySource): void {
    this.#earlier = sums;
  }

  take(request: SessionRequest): SessionRequest {
    this.#open.set(request, this.#turnNumber);
    return request;
  }

  /** Removes a request that was not sent. */
  drop(request: SessionRequest): void {
    this.#open.delete(request);
  }

  /** @returns false if the request was already settled. */
  settle(request: SessionRequest, usage: Usage, usd: number): boolean {
    const turn = this.#open.get(request);
    if (turn === undefined) return false;
    this.#open.delete(request);
    const amount = { usd, tokens: tokensOf(usage) };
    this.#session.add(request.plan.source, amount);
    for (const agentId of this.lineage(request.plan))
      this.#byAgent.set(agentId, addAmounts(this.#byAgent.get(agentId) ?? ZERO_AMOUNT, amount));
    if (turn === this.#turnNumber) this.#turn.add(request.plan.source, amount);
    return true;
  }

  /** Knows from now on which agent is above this one. */
  noteAgent({ agentId, parentAgentId }: SpendingAgent): void {
    this.#parents.set(agentId, parentAgentId);
  }

  /** The agent that makes a request, and the agents above it. */
  lineage({ agent }: Pick<PlannedSpend, "agent">): readonly string[] {
    const ids: string[] = [];
    for (let at = agent?.agentId ?? null; at !== null; at = this.#parents.get(at) ?? null) ids.push(at);
    return ids;
  }

  /** What an agent, with the agents below it, has spent and holds. */
  ofAgent(agentId: string): { readonly settled: Amount; readonly held: Amount } {
    let held = ZERO_AMOUNT;
    for (const { plan, usd = 0 } of this.#open.keys()) {
      if (!this.lineage(plan).includes(agentId)) continue;
      held = addAmounts(held, { usd, tokens: plan.inputTokens + plan.maxOutputTokens });
    }
    return { settled: this.#byAgent.get(agentId) ?? ZERO_AMOUNT, held };
  }

  get open(): readonly SessionRequest[] {
    return [...this.#open.keys()];
  }

  settled(scope: "session" | "turn", source: SpendSource | undefined): Amount {
    if (scope === "turn") return this.#turn.of(source);
    return addAmounts(this.#session.of(source), this.#earlier.of(source));
  }

  held(scope: "session" | "turn", source: SpendSource | undefined): Amount {
    let sum = ZERO_AMOUNT;
    for (const [{ plan, usd = 0 }, turn] of this.#open) {
      if (scope === "turn" && turn !== this.#turnNumber) continue;
      if (source !== undefined && plan.source !== source) continue;
      sum = addAmounts(sum, { usd, tokens: plan.inputTokens + plan.maxOutputTokens });
    }
    return sum;
  }
}
