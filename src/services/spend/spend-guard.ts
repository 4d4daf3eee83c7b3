import { SpendLimitError, UserFacingError } from "../../contracts/errors.ts";
import { NO_USAGE, type Usage } from "../../contracts/message.ts";
import type { Asker } from "../../contracts/permission.ts";
import type { Clock, Ids, ModelCatalog } from "../../contracts/ports.ts";
import type { Charge, PlannedSpend, SpendGuard, SpendReservation } from "../../contracts/spend.ts";
import { CapBook, type CapStatus } from "./cap-book.ts";
import { limitLine, type OverCap, unpricedLine } from "./cap-words.ts";
import { appliesTo, type Cap } from "./caps.ts";
import type { DayState, OpenRequest } from "./day-state.ts";
import { LEDGER_FORMAT, type OpenLine, type SettledLine } from "./ledger-line.ts";
import { localDay } from "./local-day.ts";
import { type OwnRequest, OwnSpend } from "./own-spend.ts";
import { shorterAnswer } from "./shorter-answer.ts";
import type { DayBook, SpendLedger } from "./spend-ledger.ts";
import { spendQuestion } from "./spend-question.ts";
import { Sums, tokensOf } from "./sums.ts";
import { type WorstCase, worstCase, worstUsd } from "./worst-case.ts";

export type SpendGuardDeps = {
  readonly caps: readonly Cap[];
  readonly ledger: SpendLedger;
  readonly catalog: Pick<ModelCatalog, "cost">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly ids: Ids;
  readonly session: string;
  /** Whether the session was begun by another process: what it has spent before counts. */
  readonly isResumed: boolean;
  /** When the session was begun, where that is known; ISO 8601. */
  readonly startedAt?: string | undefined;
  /** The project root; absolute. */
  readonly project: string;
  readonly asker: Asker;
  /** Tells the person one line. */
  notice(line: string): void;
};

/** What was spent is written down after so long, where no cap on a day waits for it. */
const FLUSH_MS = 100;
/** How long the end of a session waits for requests that are being broken off. */
const CLOSE_WAIT_MS = 500;

/** What came of one look at the caps. */
type Look =
  | { readonly kind: "taken"; readonly request: OwnRequest }
  | { readonly kind: "over"; readonly over: readonly OverCap[] }
  /** Others have requests under way whose price nobody has looked up. */
  | { readonly kind: "unpriced"; readonly requests: readonly OpenRequest[] };

/**
 * Keeps the caps of one session: of itself, of its turns, and of the day, which it shares with other processes by the ledger.
 * A request belongs to the day on which it was sent, whenever its answer comes.
 */
export class SessionSpendGuard implements SpendGuard {
  readonly #deps: SpendGuardDeps;
  readonly #caps: CapBook;
  readonly #own = new OwnSpend();
  readonly #hasMoneyCap: boolean;
  readonly #hasDayCap: boolean;
  readonly #told = new Set<string>();
  readonly #listeners = new Set<(charge: Charge) => void>();
  /** Ends of the requests that are under way. */
  readonly #ends = new Map<OwnRequest, PromiseWithResolvers<void>>();
  /** The day of the newest request, as it was last read. */
  #lastDay: DayState | undefined;
  #lastDayName = "";
  #hasReadEarlier = false;
  #asking: Promise<boolean> | undefined;
  #flushing: AbortController | undefined;

  constructor(deps: SpendGuardDeps) {
    this.#deps = deps;
    this.#caps = new CapBook(deps.caps, this.#own);
    this.#hasMoneyCap = deps.caps.some(({ unit }) => unit === "usd");
    this.#hasDayCap = deps.caps.some(({ scope }) => scope === "day");
  }

  startTurn(): void {
    this.#own.startTurn();
    this.#caps.forgetWarnings("turn");
  }

  /** Each cap with what is spent of it, the day's as they were last read. */
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
   * Waits a moment for requests that are being broken off, counts the input of what is open even then, since its server may have
   * taken it, and writes down what was not.
   */
  async close(): Promise<void> {
    const waiting = new AbortController();
    const ended = Promise.all([...this.#ends.values()].map(({ promise }) => promise));
    await Promise.race([ended, this.#deps.clock.sleep(CLOSE_WAIT_MS, waiting.signal).catch(() => undefined)]);
    waiting.abort();
    for (const request of this.#own.open) {
      const { inputTokens } = request.plan;
      await this.#settle(request, { ...NO_USAGE, inputTokens, estimated: true });
    }
    this.#flushing?.abort(new Error("The session ends."));
    this.#flushing = undefined;
    await this.#flush();
  }

  /** @throws {UserFacingError} (exit 2) a cap on money applies, and the price is not known. */
  async #priceOf(plan: PlannedSpend): Promise<WorstCase | undefined> {
    // Without such a cap nobody waits for the table of prices.
    if (!this.#hasMoneyCap) return undefined;
    const price = await worstCase(this.#deps.catalog, plan);
    const cap = this.#deps.caps.find((cap) => cap.unit === "usd" && appliesTo(cap, plan.source));
    if (!price && cap) throw new UserFacingError(unpricedLine(plan.model, cap), 2);
    return price;
  }

  #readEarlier(): void {
    if (this.#hasReadEarlier) return;
    this.#hasReadEarlier = true;
    const { caps, isResumed, ledger, session, startedAt } = this.#deps;
    if (!isResumed || !caps.some(({ scope }) => scope === "session")) return;
    try {
      const sums = new Sums();
      for (const line of ledger.settledBy(session, startedAt)) {
        sums.add(line.source, { usd: line.usd ?? 0, tokens: tokensOf(line.usage) });
      }
      this.#own.addEarlier(sums);
    } catch (cause) {
      this.#hasReadEarlier = false;
      throw new UserFacingError(
        `What this session has spent before can't be read from ${ledger.folder}, so its caps can't be kept: make it readable, or take the caps away.`,
        1,
        { cause },
      );
    }
  }

  async #look(plan: PlannedSpend, price: WorstCase | undefined, allowed: ReadonlySet<Cap>): Promise<Look> {
    const { ledger, clock } = this.#deps;
    const day = localDay(clock.now());
    let look: Look | undefined;
    try {
      await ledger.locked(day, (book) => {
        const found = this.#judge(plan, price, allowed, day, book);
        look = found;
        if (found.kind === "taken") book.append(this.#openLine(found.request));
      });
    } catch (error) {
      if (look?.kind === "taken") this.#own.drop(look.request);
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#hasDayCap) throw unkeptDayCap(problem, error);
      this.#tellUnwritten(problem);
      look = this.#judge(plan, price, allowed, day, undefined);
    }
    return look ?? this.#judge(plan, price, allowed, day, undefined);
  }

  /** One step: nothing else of this process, and of a day nothing of another, comes between the look and the taking. */
  #judge(
    plan: PlannedSpend,
    price: WorstCase | undefined,
    allowed: ReadonlySet<Cap>,
    day: string,
    book: DayBook | undefined,
  ): Look {
    if (book) this.#noteBook(book, day);
    const unpriced = this.#hasMoneyCap ? (book?.state.open ?? []).filter(({ usd }) => usd === undefined) : [];
    if (unpriced.length > 0) return { kind: "unpriced", requests: unpriced };
    const over = this.#caps.over(plan, needOf(plan, price), book?.state, allowed);
    const fitting = over.length === 0 ? plan : shorterAnswer(plan, price, over);
    if (!fitting) return { kind: "over", over };
    const { id, usd } = { id: this.#deps.ids.next(), usd: price && worstUsd(price, fitting.maxOutputTokens) };
    return { kind: "taken", request: this.#own.take({ id, day, plan: fitting, usd }) };
  }

  #reservation(request: OwnRequest): SpendReservation {
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

  /** @param usage undefined: no server has taken the request, so it counts nothing. */
  async #settle(request: OwnRequest, usage: Usage | undefined, answeredBy = request.plan.model): Promise<void> {
    const { source, model } = request.plan;
    const usd = usage ? await this.#costOf(request, usage, answeredBy) : 0;
    if (!this.#own.settle(request, usage ?? NO_USAGE, usd ?? 0)) return;
    if (usage) for (const listener of this.#listeners) listener({ source, model, usage, usd });
    await this.#writeDown(request, this.#settledLine(request, usage, usd));
  }

  async #costOf({ plan, usd }: OwnRequest, usage: Usage, answeredBy: string): Promise<number | undefined> {
    const priceOf = (name: string) => this.#deps.catalog.cost(name, usage).catch(() => undefined);
    const found = (await priceOf(plan.model)) ?? (answeredBy === plan.model ? undefined : await priceOf(answeredBy));
    // Under a cap on money what can't be priced any more counts at its worst.
    return found ?? (this.#hasMoneyCap ? usd : undefined);
  }

  async #writeDown({ day }: OwnRequest, line: SettledLine): Promise<void> {
    this.#deps.ledger.note(day, line);
    if (this.#hasDayCap) await this.#flush(day);
    else this.#flushSoon();
    this.#warn();
  }

  async #flush(day?: string): Promise<void> {
    const at = (book: DayBook) => {
      // An answer that comes after midnight changes nothing on the day that is shown.
      if (day !== undefined && day === this.#lastDayName) this.#noteBook(book, day);
    };
    const problem = await this.#deps.ledger.flush(day === undefined ? undefined : { day, at });
    if (problem !== undefined) this.#tellUnwritten(problem);
  }

  /** The next request, which usually follows at once, writes it on its way. */
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

  /** One question at a time: a no holds for all that wait for its answer, after a yes each looks again. */
  async #askForMore(
    { mayAsk }: PlannedSpend,
    over: readonly OverCap[],
    allowed: Set<Cap>,
    signal: AbortSignal,
  ): Promise<void> {
    const line = over.map(limitLine).join(" ");
    if (!this.#deps.asker.canAsk || mayAsk === false) throw new SpendLimitError(line);
    if (this.#asking) {
      if (await this.#asking) return;
      signal.throwIfAborted();
      throw new SpendLimitError(line);
    }
    const answer = this.#deps.asker.ask(spendQuestion(over), signal);
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
    this.#warn();
    if (state.damaged > 0)
      this.#tellOnce(
        `damaged ${path}`,
        `${path}: some of its lines are damaged; what can still be made out in them counts as spent.`,
      );
    if (state.unpriced > 0 && this.#deps.caps.some(({ scope, unit }) => scope === "day" && unit === "usd"))
      this.#tellOnce(
        `unpriced ${path}`,
        "Some of today's requests went to models of unknown price: the day's caps on money don't count them.",
      );
  }

  #warn(): void {
    for (const line of this.#caps.dueWarnings(this.#lastDay)) this.#deps.notice(line);
  }

  #tellUnwritten(problem: string): void {
    this.#tellOnce(
      "unwritten",
      `What is spent could not be written down (${problem}): it is tried again with each request.`,
    );
  }

  #tellOnce(what: string, line: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#deps.notice(line);
  }

  #openLine(request: OwnRequest): OpenLine {
    return {
      ...this.#base(request),
      state: "open",
      usage: null,
      usd: null,
      reserved: reservedOf(request),
      holder: this.#deps.ledger.identity,
    };
  }

  #settledLine(request: OwnRequest, used: Usage | undefined, usd: number | undefined): SettledLine {
    const { estimated, ...usage } = used ?? NO_USAGE;
    return {
      ...this.#base(request),
      state: "settled",
      usage,
      usd: usd ?? null,
      reserved: reservedOf(request),
      ...(estimated && { estimated }),
      ...(used === undefined && { refused: true }),
    };
  }

  #base({ id, plan }: OwnRequest) {
    const { clock, session, project } = this.#deps;
    const { source, model, provider = "" } = plan;
    const time = new Date(clock.now()).toISOString();
    return { v: LEDGER_FORMAT, id, time, session, project, source, model, provider } as const;
  }
}

function needOf(plan: PlannedSpend, price: WorstCase | undefined) {
  return { usd: price ? worstUsd(price, plan.maxOutputTokens) : 0, tokens: plan.inputTokens + plan.maxOutputTokens };
}

function reservedOf({ plan, usd }: OwnRequest) {
  return { inputTokens: plan.inputTokens, outputTokens: plan.maxOutputTokens, usd: usd ?? null };
}

function unkeptDayCap(problem: string, cause: unknown): UserFacingError {
  return new UserFacingError(
    `The day's cap on spend can't be kept, so nothing is sent: ${problem}. Mend that, or take the caps on a day out of the settings (spend).`,
    1,
    { cause },
  );
}
