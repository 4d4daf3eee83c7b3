import { atMost } from "@quoll/async/at-most";
import { SpendLimitError, UserFacingError } from "../../contracts/errors.ts";
import { NO_USAGE, type Usage } from "../../contracts/message.ts";
import type { Clock, Ids, ModelCatalog } from "../../contracts/ports.ts";
import type { Asker } from "../../contracts/question.ts";
import type {
  AgentBudget,
  Charge,
  PlannedSpend,
  SpendGuard,
  SpendingAgent,
  SpendReservation,
} from "../../contracts/spend.ts";
import { CapTracker, earlierSums } from "./cap-tracker.ts";
import type { Cap, CapStatus } from "./caps.ts";
import { type DayState, localDay, type OpenRequest } from "./day-state.ts";
import { limitLine, type OverCap, spendQuestion, unpricedLine } from "./describe-cap.ts";
import type { LedgerLine, SettledLine } from "./ledger-line.ts";
import { openLine, settledLine } from "./request-lines.ts";
import type { DayBook, SpendLedger } from "./spend-ledger.ts";
import { type SessionRequest, SessionSpend } from "./spend-of-session.ts";
import { fitOutputToCaps, leastOf, needOf, type WorstCase, worstCase, worstUsd } from "./worst-case.ts";

export type SpendGuardDeps = {
  readonly caps: readonly Cap[];
  readonly ledger: SpendLedger;
  readonly catalog: Pick<ModelCatalog, "cost">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly ids: Ids;
  readonly session: string;
  /** True if another process began the session, so that its earlier spending counts. */
  readonly isResumed: boolean;
  /** The start of the session, if it is known; ISO 8601. */
  readonly startedAt?: string | undefined;
  /** The project root; absolute. */
  readonly project: string;
  /** Asks on behalf of an agent; by default the session's own agent. */
  asker(agent: SpendingAgent | undefined): Asker;
  /** Shows one line to the person. */
  notice(line: string): void;
};

/** Delay before requests and costs are written to the ledger, if no day cap needs them at once. */
const FLUSH_MS = 50;
/** How long the end of a session waits for requests that are being cancelled. */
const CLOSE_WAIT_MS = 500;

/** The result of checking the caps. */
type Look =
  | { readonly kind: "taken"; readonly request: SessionRequest }
  | { readonly kind: "over"; readonly over: readonly OverCap[] }
  /** Other processes have open requests whose price is not yet looked up. */
  | { readonly kind: "unpriced"; readonly requests: readonly OpenRequest[] };

/**
 * Enforces the caps of one session: its own, those of its turns, and those of the day, which it shares with other processes through the ledger.
 * A request belongs to the day on which it was sent, whenever its answer arrives.
 */
export class SessionSpendGuard implements SpendGuard {
  readonly #deps: SpendGuardDeps;
  readonly #caps: CapTracker;
  readonly #own = new SessionSpend();
  #hasMoneyCap: boolean;
  #ofSettings: readonly Cap[];
  readonly #notified = new Set<string>();
  readonly #listeners = new Set<(charge: Charge) => void>();
  /** Callbacks that settle the open requests. */
  readonly #ends = new Map<SessionRequest, PromiseWithResolvers<void>>();
  /** The day of the newest request, as last read. */
  #lastDay: DayState | undefined;
  #lastDayName = "";
  #hasReadEarlier = false;
  #asking: Promise<boolean> | undefined;
  #flushing: AbortController | undefined;

  constructor(deps: SpendGuardDeps) {
    this.#deps = deps;
    this.#caps = new CapTracker(deps.caps, this.#own);
    this.#ofSettings = deps.caps;
    this.#hasMoneyCap = deps.caps.some(({ unit }) => unit === "usd");
  }

  startTurn(): void {
    this.#own.startTurn();
    this.#caps.forgetWarnings("turn");
  }

  /**
   * Registers a child agent, and enforces its budget in addition to all other caps.
   * @returns a function that forgets the agent and its budget.
   */
  openAgent(agent: SpendingAgent, { usd, tokens }: AgentBudget = {}): () => void {
    const forget = this.#own.noteAgent(agent);
    const about = { scope: "agent", agentId: agent.agentId, source: undefined, setting: "the agent's budget" } as const;
    const caps: readonly Cap[] = [
      ...(usd === undefined ? [] : [{ ...about, unit: "usd" as const, limit: usd }]),
      ...(tokens === undefined ? [] : [{ ...about, unit: "tokens" as const, limit: tokens }]),
    ];
    this.#hasMoneyCap ||= usd !== undefined;
    const remove = this.#caps.add(caps);
    return () => {
      remove();
      forget();
    };
  }

  /** Puts changed caps of the settings into force with the next request. */
  setCaps(caps: readonly Cap[]): void {
    this.#caps.replace(caps);
    this.#ofSettings = caps;
    this.#hasMoneyCap ||= caps.some(({ unit }) => unit === "usd");
  }

  get #hasDayCap(): boolean {
    return this.#ofSettings.some(({ scope }) => scope === "day");
  }

  /** Each cap with the amount spent; day caps as last read. */
  status(): readonly CapStatus[] {
    return this.#caps.status(this.#lastDay);
  }

  watch(listener: (charge: Charge) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async reserve(plan: PlannedSpend, signal: AbortSignal): Promise<SpendReservation> {
    const price = await this.#priceOf(plan);
    this.#readEarlier();
    const allowed = new Set<Cap>();
    for (;;) {
      signal.throwIfAborted();
      const look = await this.#look(plan, price, allowed);
      if (look.kind === "taken") return this.#reservation(look.request);
      if (look.kind === "unpriced") await this.#priceOthers(look.requests);
      else await this.#askForMore(plan, look.over, allowed, signal);
    }
  }

  /**
   * Waits briefly for requests that are being cancelled, then counts the input of the open ones, because a server may have
   * accepted them, and writes the remaining entries.
   */
  async close(): Promise<void> {
    const ended = Promise.all([...this.#ends.values()].map(({ promise }) => promise));
    await atMost(ended, CLOSE_WAIT_MS, { clock: this.#deps.clock });
    for (const request of this.#own.open) {
      const { inputTokens } = request.plan;
      await this.#settle(request, { ...NO_USAGE, inputTokens, estimated: true });
    }
    this.#flushing?.abort(new Error("The session ends."));
    this.#flushing = undefined;
    await this.#flush();
  }

  /** @throws {UserFacingError} (exit 2) a cap on money applies, and the price is unknown. */
  async #priceOf(plan: PlannedSpend): Promise<WorstCase | undefined> {
    // Without such a cap, the price table is not loaded.
    if (!this.#hasMoneyCap) return undefined;
    const price = await worstCase(this.#deps.catalog, plan);
    const cap = this.#caps.ofMoney(plan);
    if (!price && cap) throw new UserFacingError(unpricedLine(plan.model, cap), 2);
    return price;
  }

  #readEarlier(): void {
    if (this.#hasReadEarlier) return;
    this.#hasReadEarlier = true;
    const { isResumed, ledger, session, startedAt } = this.#deps;
    if (!isResumed || !this.#ofSettings.some(({ scope }) => scope === "session")) return;
    try {
      this.#own.addEarlier(earlierSums(ledger, session, startedAt));
    } catch (cause) {
      this.#hasReadEarlier = false;
      throw new UserFacingError(
        `The earlier spending of this session cannot be read from ${ledger.folder}, so its caps cannot be enforced: make the folder readable, or remove the caps.`,
        1,
        { cause },
      );
    }
  }

  async #look(plan: PlannedSpend, price: WorstCase | undefined, allowed: ReadonlySet<Cap>): Promise<Look> {
    const { ledger, clock } = this.#deps;
    const sentAtMs = clock.now();
    if (!this.#hasDayCap) {
      // The ledger is written while the answer is awaited.
      const look = this.#judge(plan, price, allowed, sentAtMs, undefined);
      if (look.kind === "taken") this.#note(sentAtMs, openLine(look.request, this.#deps));
      return look;
    }
    const day = localDay(sentAtMs);
    let look: Look | undefined;
    try {
      await ledger.locked(day, (book) => {
        this.#noteBook(book, day);
        const found = this.#judge(plan, price, allowed, sentAtMs, book);
        look = found;
        if (found.kind === "taken") book.append(openLine(found.request, this.#deps));
      });
    } catch (error) {
      if (look?.kind === "taken") this.#own.drop(look.request);
      throw unkeptDayCap(error instanceof Error ? error.message : String(error), error);
    }
    return look ?? this.#judge(plan, price, allowed, sentAtMs, undefined);
  }

  /** One atomic step: no other code of this process, and for a day no other process, runs between the check and the reservation. */
  #judge(
    plan: PlannedSpend,
    price: WorstCase | undefined,
    allowed: ReadonlySet<Cap>,
    sentAtMs: number,
    book: DayBook | undefined,
  ): Look {
    const unpriced = this.#hasMoneyCap ? (book?.state.open ?? []).filter(({ usd }) => usd === undefined) : [];
    if (unpriced.length > 0) return { kind: "unpriced", requests: unpriced };
    const need = { most: needOf(plan, price), least: leastOf(plan, price) };
    const over = this.#caps.over(plan, need, book?.state, allowed);
    const fitting = over.length === 0 ? plan : fitOutputToCaps(plan, price, over);
    if (!fitting) return { kind: "over", over };
    const { id, usd } = { id: this.#deps.ids.next(), usd: price && worstUsd(price, fitting.maxOutputTokens) };
    return { kind: "taken", request: this.#own.take({ id, sentAtMs, plan: fitting, usd }) };
  }

  #reservation(request: SessionRequest): SpendReservation {
    const end = Promise.withResolvers<void>();
    this.#ends.set(request, end);
    let isSettled = false;
    return {
      maxOutputTokens: request.plan.maxOutputTokens,
      settle: async (usage, answeredBy) => {
        if (isSettled) return;
        isSettled = true;
        try {
          await this.#settle(request, usage, answeredBy);
        } finally {
          this.#ends.delete(request);
          end.resolve();
        }
      },
    };
  }

  /** @param usage Undefined if no server accepted the request, which then counts as nothing. */
  async #settle(request: SessionRequest, usage: Usage | undefined, answeredBy = request.plan.model): Promise<void> {
    const { source, server, model } = request.plan;
    const priceUsd = usage ? await this.#priceOfUsage(request, usage, answeredBy) : 0;
    // The amount that the server states is shown; a cap counts the larger amount.
    const usd = usage?.costUsd ?? priceUsd;
    const countedUsd = Math.max(usd ?? 0, priceUsd ?? 0);
    const agentIds = this.#own.settle(request, usage ?? NO_USAGE, countedUsd);
    if (!agentIds) return;
    const charge = { source, ...(server !== undefined && { server }), model, usd, agentIds };
    if (usage) for (const listener of this.#listeners) listener({ ...charge, usage });
    await this.#writeDown(request, settledLine(request, { usage, usd, countedUsd }, this.#deps));
  }

  /** The cost by Quoll's own prices. */
  async #priceOfUsage({ plan, usd }: SessionRequest, usage: Usage, answeredBy: string): Promise<number | undefined> {
    const priceOf = (name: string) => this.#deps.catalog.cost(name, usage).catch(() => undefined);
    const found = (await priceOf(plan.model)) ?? (answeredBy === plan.model ? undefined : await priceOf(answeredBy));
    // Under a cap on money, a request whose cost nobody knows counts with its worst case.
    return found ?? (this.#hasMoneyCap && usage.costUsd === undefined ? usd : undefined);
  }

  async #writeDown({ sentAtMs }: SessionRequest, line: SettledLine): Promise<void> {
    this.#note(sentAtMs, line);
    if (this.#hasDayCap) await this.#flush(localDay(sentAtMs));
    this.#notifyOfCaps();
  }

  #note(sentAtMs: number, line: LedgerLine): void {
    this.#deps.ledger.note(sentAtMs, line);
    if (!this.#hasDayCap) this.#flushSoon();
  }

  async #flush(day?: string): Promise<void> {
    const at = (book: DayBook) => {
      // An answer after midnight does not change the day that is shown.
      if (day !== undefined && day === this.#lastDayName) this.#noteBook(book, day);
    };
    const problem = await this.#deps.ledger.flush(day === undefined ? undefined : { day, at });
    if (problem !== undefined) this.#notifyUnwritten(problem);
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    const flushing = new AbortController();
    this.#flushing = flushing;
    const flush = () => {
      this.#flushing = undefined;
      return this.#flush();
    };
    this.#deps.clock.sleep(FLUSH_MS, flushing.signal).then(flush, () => undefined);
  }

  async #priceOthers(requests: readonly OpenRequest[]): Promise<void> {
    for (const request of requests) {
      const { model, inputTokens, outputTokens } = request;
      const price = await worstCase(this.#deps.catalog, { model, inputTokens, maxOutputTokens: outputTokens });
      request.usd = price ? worstUsd(price, outputTokens) : null;
    }
  }

  /** One question at a time: a no applies to all waiting requests; after a yes, each checks the caps again. */
  async #askForMore(
    { mayAsk, agent }: PlannedSpend,
    over: readonly OverCap[],
    allowed: Set<Cap>,
    signal: AbortSignal,
  ): Promise<void> {
    const line = over.map(limitLine).join(" ");
    const isOwnBudget = over.some(({ cap }) => cap.scope === "agent");
    const asker = this.#deps.asker(agent);
    if (!asker.canAsk || mayAsk === false || isOwnBudget) throw new SpendLimitError(line);
    if (this.#asking) {
      if (await this.#asking) return;
      signal.throwIfAborted();
      throw new SpendLimitError(line);
    }
    const answer = asker.ask(spendQuestion(over), signal);
    this.#asking = answer.then(({ decision }) => decision !== "reject");
    try {
      const { decision } = await answer;
      signal.throwIfAborted();
      if (decision === "reject") throw new SpendLimitError(line);
      for (const { cap } of over) {
        allowed.add(cap);
        if (decision !== "once") this.#caps.raise(cap);
      }
    } finally {
      this.#asking = undefined;
    }
  }

  #noteBook({ state, path }: DayBook, day: string): void {
    this.#lastDay = state;
    this.#lastDayName = day;
    this.#caps.enterDay(day);
    this.#notifyOfCaps();
    if (state.damaged > 0)
      this.#notifyOnce(`damaged ${path}`, `${path}: some lines are damaged; readable amounts in them count as spent.`);
    if (state.unpriced > 0 && this.#ofSettings.some(({ scope, unit }) => scope === "day" && unit === "usd"))
      this.#notifyOnce(
        `unpriced ${path}`,
        "Some of today's requests used models of unknown price, which the day's caps on money do not count.",
      );
  }

  #notifyOfCaps(): void {
    for (const line of this.#caps.dueWarnings(this.#lastDay)) this.#deps.notice(line);
  }

  #notifyUnwritten(problem: string): void {
    this.#notifyOnce("unwritten", `The ledger could not be written (${problem}); Quoll retries with each request.`);
  }

  #notifyOnce(what: string, line: string): void {
    if (this.#notified.has(what)) return;
    this.#notified.add(what);
    this.#deps.notice(line);
  }
}

function unkeptDayCap(problem: string, cause: unknown): UserFacingError {
  return new UserFacingError(
    `The day's spending cap cannot be enforced, so Quoll sends no requests: ${problem}. Fix this, or remove the day caps from the settings (spend).`,
    1,
    { cause },
  );
}
