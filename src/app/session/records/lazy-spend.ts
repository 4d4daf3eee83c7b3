import { lazy } from "@quoll/async/lazy";
import type { SpendSettings } from "../../../contracts/settings.ts";
import type { AgentBudget, Charge, SpendGuard, SpendingAgent, SpendStatus } from "../../../contracts/spend.ts";
import type { OpenedConversation } from "../open-conversation.ts";
import type { SpendWiring } from "./wire-spend.ts";

export type LazySpend = SpendGuard & {
  status(): Promise<SpendStatus>;
  /** Applies changed caps of the settings. */
  setCaps(settings: SpendSettings | undefined): void;
  /** Does the same as `SessionSpendGuard.openAgent`. */
  openAgent(agent: SpendingAgent, budget?: AgentBudget): () => void;
};

/** An open child agent. `forget` is set once the guard is loaded. */
type OpenAgent = { readonly agent: SpendingAgent; readonly budget: AgentBudget; forget: (() => void) | undefined };

type Listener = (charge: Charge) => void;

/** The readers of charges, indexed by agent: with many agents, a charge concerns few of the readers. */
class ChargeWatchers {
  /** The listeners of each agent; the key undefined holds readers of all charges. */
  readonly #listeners = new Map<string | undefined, Set<Listener>>();

  /** @returns the function that removes the listener. */
  add(listener: Listener, agentId: string | undefined): () => void {
    const same = this.#listeners.get(agentId) ?? new Set();
    this.#listeners.set(agentId, same.add(listener));
    return () => {
      same.delete(listener);
      if (same.size === 0 && this.#listeners.get(agentId) === same) this.#listeners.delete(agentId);
    };
  }

  tell(charge: Charge): void {
    for (const agentId of [undefined, ...(charge.agentIds ?? [])])
      for (const listener of this.#listeners.get(agentId) ?? []) listener(charge);
  }
}

/** The guard of caps and ledger, loaded at the first request. */
export function lazySpend(wiring: SpendWiring): LazySpend {
  const watchers = new ChargeWatchers();
  const agents = new Set<OpenAgent>();
  /** Set once the guard is loaded. */
  let apply: ((settings: SpendSettings | undefined) => void) | undefined;
  let changed: { readonly settings: SpendSettings | undefined } | undefined;
  const guard = lazy(async () => {
    const { wireSpend, changeCaps } = await import("./wire-spend.ts");
    const made = wireSpend(wiring);
    apply = (settings) => changeCaps(made, wiring, settings);
    if (changed) apply(changed.settings);
    made.watch((charge) => watchers.tell(charge));
    for (const open of agents) open.forget = made.openAgent(open.agent, open.budget);
    return made;
  });
  return {
    // If the guard could not be loaded, the request that needs it reports the error.
    startTurn: () => void guard.begun?.then((loaded) => loaded.startTurn()).catch(() => undefined),
    reserve: async (plan, signal) => (await guard()).reserve(plan, signal),
    status: async () => (await import("./wire-spend.ts")).spendStatus(await guard()),
    watch: (listener, agentId) => watchers.add(listener, agentId),
    setCaps(settings) {
      changed = { settings };
      apply?.(settings);
    },
    openAgent(agent, budget = {}) {
      const open: OpenAgent = { agent, budget, forget: guard.value?.openAgent(agent, budget) };
      agents.add(open);
      return () => {
        agents.delete(open);
        open.forget?.();
      };
    },
    close: async () => (await guard.begun)?.close(),
  };
}

/** The session's spending in earlier processes. A new session loads no code for these sums. */
export async function chargesBefore(
  { log, restored }: OpenedConversation,
  data: string,
  warn: (line: string) => void,
): Promise<readonly Charge[]> {
  if (!restored) return [];
  const { readEarlierCharges } = await import("./wire-spend.ts");
  return readEarlierCharges({ data, sessionId: log.sessionId, startedAt: restored.startedAt, notice: warn });
}
