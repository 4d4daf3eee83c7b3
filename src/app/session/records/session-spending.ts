import { lazy } from "@quoll/async/lazy";
import type { QuestionDesk } from "../../../contracts/question.ts";
import type { SpendSettings } from "../../../contracts/settings.ts";
import type {
  AgentBudget,
  Charge,
  PlannedSpend,
  SpendGuard,
  SpendingAgent,
  SpendReservation,
  SpendStatus,
} from "../../../contracts/spend.ts";
import type { Directories } from "../../../platform/directories.ts";
import type { SessionSpendGuard } from "../../../services/spend/spend-guard.ts";
import type { PersonNotices } from "../notices/person-notices.ts";
import type { OpenedConversation } from "../open-conversation.ts";
import type { SessionModel } from "../session-model.ts";
import type { SpendWiring } from "./wire-spend.ts";

type Listener = (charge: Charge) => void;

/** The spending of an agent and of the agents below it. */
export interface Spending extends SpendGuard {
  /** The charges of earlier processes of the session; none for a child agent. */
  readonly earlierCharges: readonly Charge[];
  watch(listener: Listener): () => void;
  /**
   * The spending of a child agent.
   * @param budget The child's own caps, which end with `close`.
   */
  openAgent(agent: SpendingAgent, budget?: AgentBudget): Spending;
}

/** An open child agent. `forget` is set once the guard is loaded. */
type OpenAgent = { readonly agent: SpendingAgent; readonly budget: AgentBudget; forget: (() => void) | undefined };

/**
 * The spending of a session: its caps, its ledger and its charges. Every model request passes `reserve`. The code of
 * the guard is loaded at the first request.
 */
export class SessionSpending implements Spending {
  readonly #wiring: SpendWiring;
  readonly #guard = lazy(() => this.#open());
  /** Set as soon as the guard exists. */
  #loaded: { readonly guard: SessionSpendGuard; setCaps(settings: SpendSettings | undefined): void } | undefined;
  readonly #watchers = new Set<Listener>();
  readonly #agents = new Set<OpenAgent>();
  #changed: { readonly settings: SpendSettings | undefined } | undefined;

  constructor(
    { data }: Directories,
    { config, environment, catalog, conversation }: SessionModel,
    readonly earlierCharges: readonly Charge[],
    questions: Pick<QuestionDesk, "asker">,
    { notify }: Pick<PersonNotices, "notify">,
  ) {
    this.#wiring = {
      data,
      projectRoot: environment.project.root,
      settings: environment.settings,
      maxBudgetUsd: config.maxBudgetUsd,
      catalog,
      sessionId: conversation.log.sessionId,
      isResumed: conversation.restored !== undefined,
      startedAt: conversation.restored?.startedAt,
      asker: (agent) => questions.asker(agent),
      notice: notify,
    };
  }

  startTurn(): void {
    // If the guard could not be loaded, the request that needs it reports the error.
    void this.#guard.begun?.then((guard) => guard.startTurn()).catch(() => undefined);
  }

  async reserve(plan: PlannedSpend, signal: AbortSignal): Promise<SpendReservation> {
    return (await this.#guard()).reserve(plan, signal);
  }

  watch(listener: Listener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async status(): Promise<SpendStatus> {
    return (await import("./wire-spend.ts")).spendStatus(await this.#guard());
  }

  /** Applies changed caps of the settings. */
  setCaps(settings: SpendSettings | undefined): void {
    this.#changed = { settings };
    this.#loaded?.setCaps(settings);
  }

  openAgent(agent: SpendingAgent, budget: AgentBudget = {}): Spending {
    const open: OpenAgent = { agent, budget, forget: this.#loaded?.guard.openAgent(agent, budget) };
    this.#agents.add(open);
    return new AgentSpending(this, agent, () => {
      this.#agents.delete(open);
      open.forget?.();
    });
  }

  async close(): Promise<void> {
    await (await this.#guard.begun)?.close();
  }

  async #open(): Promise<SessionSpendGuard> {
    const { wireSpend, changeCaps } = await import("./wire-spend.ts");
    const guard = wireSpend(this.#wiring);
    const setCaps = (settings: SpendSettings | undefined) => changeCaps(guard, this.#wiring, settings);
    if (this.#changed) setCaps(this.#changed.settings);
    guard.watch((charge) => {
      for (const listener of this.#watchers) listener(charge);
    });
    for (const open of this.#agents) open.forget = guard.openAgent(open.agent, open.budget);
    this.#loaded = { guard, setCaps };
    return guard;
  }
}

/**
 * The session's spending as a child agent uses it: every request names the child, and the child is notified only of
 * charges of itself and of the agents below it. Turns are counted by the session's own agent.
 */
class AgentSpending implements Spending {
  readonly earlierCharges = [];
  readonly #session: SessionSpending;
  readonly #agent: SpendingAgent;
  readonly #forget: () => void;

  constructor(session: SessionSpending, agent: SpendingAgent, forget: () => void) {
    this.#session = session;
    this.#agent = agent;
    this.#forget = forget;
  }

  startTurn(): void {
    return;
  }

  reserve(plan: PlannedSpend, signal: AbortSignal): Promise<SpendReservation> {
    return this.#session.reserve({ agent: this.#agent, ...plan }, signal);
  }

  watch(listener: Listener): () => void {
    const { agentId } = this.#agent;
    return this.#session.watch((charge) => {
      if (charge.agentIds?.includes(agentId)) listener(charge);
    });
  }

  openAgent(agent: SpendingAgent, budget?: AgentBudget): Spending {
    return this.#session.openAgent(agent, budget);
  }

  async close(): Promise<void> {
    this.#forget();
  }
}

/** The session's spending in earlier processes. A new session loads no code for these sums. */
export async function chargesBefore(
  { log, restored }: Pick<OpenedConversation, "log" | "restored">,
  data: string,
  notify: (line: string) => void,
): Promise<readonly Charge[]> {
  if (!restored) return [];
  const { readEarlierCharges } = await import("./wire-spend.ts");
  return readEarlierCharges({ data, sessionId: log.sessionId, startedAt: restored.startedAt, notice: notify });
}
