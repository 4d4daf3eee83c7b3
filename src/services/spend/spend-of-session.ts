import type { Usage } from "../../contracts/message.ts";
import type { PlannedSpend, SpendingAgent, SpendSource } from "../../contracts/spend.ts";
import { type Amount, addAmounts, SpendBySource, tokensOf, ZERO_AMOUNT } from "./spend-by-source.ts";

/** An open request of this process. */
export type SessionRequest = {
  readonly id: string;
  /** Milliseconds since the epoch; the request belongs to the local day of this moment. */
  readonly sentAtMs: number;
  readonly plan: PlannedSpend;
  /** Worst case in US dollars; undefined if no cap needs it. */
  readonly usd: number | undefined;
};

/** @property agentIds The agent that made the request, and the agents above it. */
type Open = { readonly turn: number; readonly agentIds: readonly string[] };

/** The spending of this process for its session, its current turn and its child agents. */
export class SessionSpend {
  #session = new SpendBySource();
  #turn = new SpendBySource();
  #turnNumber = 0;
  #earlier = new SpendBySource();
  /** Child agents that are open, by id. */
  readonly #agents = new Map<string, { readonly parentAgentId: string | null; settled: Amount }>();
  readonly #open = new Map<SessionRequest, Open>();

  startTurn(): void {
    this.#turnNumber += 1;
    this.#turn = new SpendBySource();
  }

  /** The session's spending in earlier processes. */
  addEarlier(sums: SpendBySource): void {
    this.#earlier = sums;
  }

  take(request: SessionRequest): SessionRequest {
    this.#open.set(request, { turn: this.#turnNumber, agentIds: this.lineage(request.plan) });
    return request;
  }

  /** Removes a request that was not sent. */
  drop(request: SessionRequest): void {
    this.#open.delete(request);
  }

  /**
   * Counts a request once.
   * @returns the agent that made it and the agents above it; undefined if the request was already settled.
   */
  settle(request: SessionRequest, usage: Usage, usd: number): readonly string[] | undefined {
    const open = this.#open.get(request);
    if (open === undefined) return undefined;
    this.#open.delete(request);
    const amount = { usd, tokens: tokensOf(usage) };
    this.#session.add(request.plan.source, amount);
    for (const agentId of open.agentIds) {
      const agent = this.#agents.get(agentId);
      if (agent) agent.settled = addAmounts(agent.settled, amount);
    }
    if (open.turn === this.#turnNumber) this.#turn.add(request.plan.source, amount);
    return open.agentIds;
  }

  /** Notes that a child agent is open. @returns a function that forgets the agent; its open requests still count. */
  noteAgent({ agentId, parentAgentId }: SpendingAgent): () => void {
    this.#agents.set(agentId, { parentAgentId, settled: ZERO_AMOUNT });
    return () => this.#agents.delete(agentId);
  }

  /** The agent that makes a request, and the agents above it. */
  lineage({ agent }: Pick<PlannedSpend, "agent">): readonly string[] {
    const ids: string[] = [];
    for (let at = agent?.agentId ?? null; at !== null; at = this.#agents.get(at)?.parentAgentId ?? null) ids.push(at);
    return ids;
  }

  /** The amounts that an agent and its descendants have spent and hold in reserve. */
  ofAgent(agentId: string): { readonly settled: Amount; readonly held: Amount } {
    let held = ZERO_AMOUNT;
    for (const [{ plan, usd = 0 }, { agentIds }] of this.#open) {
      if (!agentIds.includes(agentId)) continue;
      held = addAmounts(held, { usd, tokens: plan.inputTokens + plan.maxOutputTokens });
    }
    return { settled: this.#agents.get(agentId)?.settled ?? ZERO_AMOUNT, held };
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
    for (const [{ plan, usd = 0 }, { turn }] of this.#open) {
      if (scope === "turn" && turn !== this.#turnNumber) continue;
      if (source !== undefined && plan.source !== source) continue;
      sum = addAmounts(sum, { usd, tokens: plan.inputTokens + plan.maxOutputTokens });
    }
    return sum;
  }
}
