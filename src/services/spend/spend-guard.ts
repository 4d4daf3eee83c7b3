import { SpendLimitError, UserFacingError } from "../../contracts/errors.ts";
import type { Usage } from "../../contracts/message.ts";
import type { Asker } from "../../contracts/permission.ts";
import type { Clock, Ids, ModelCatalog } from "../../contracts/ports.ts";
import {
  type PlannedSpend,
  type SourceSpend,
  SPEND_SOURCES,
  type SpendGuard,
  type SpendReservation,
  type SpendSource,
} from "../../contracts/spend.ts";
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
  /** The project root; absolute. */
  readonly project: string;
  readonly asker: Asker;
  /** Tells the person one line. */
  notice(line: string): void;
};

/** What was spent is written down after so long, where no cap on a day waits for it. */
const FLUSH_MS = 100;

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
  /** Sources that made requests of unknown price. */
  readonly #unpriced = new Set<SpendSource>();
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

  /** What each source has spent in this session. */
  bySource(): readonly SourceSpend[] {
    return SPEND_SOURCES.map((source) => ({
      source,
      ...this.#own.settled("session", source),
      ...(this.#unpriced.has(source) && { isUnpriced: true as const }),
    })).filter(({ tokens }) => tokens > 0);
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

  /** Settles what is still open, as requests of which nothing is known, and writes down what was not. */
  async close(): Promise<void> {
    for (const request of this.#own.open) await this.#settle(request, undefined);
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
    const { caps, isResumed, ledger, session } = this.#deps;
    if (!isResumed || !caps.some(({ scope }) => scope === "session")) return;
    try {
      this.#own.addEarlier(ledger.spentBy(session));
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
    let isSettled = false;
    return {
      maxOutputTokens: request.plan.maxOutputTokens,
      settle: async (usage) => {
        if (isSettled) return;
        isSettled = true;
        await this.#settle(request, usage);
      },
    };
  }

  async #settle(request: OwnRequest, usage: Usage | undefined): Promise<void> {
    const { catalog, ledger } = this.#deps;
    const { plan, day } = request;
    const used = usage ?? { inputTokens: plan.inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const found = await catalog.cost(plan.model, used).catch(() => undefined);
    // Under a cap on money what can't be priced any more counts at its worst.
    const usd = found ?? (this.#hasMoneyCap ? request.usd : undefined);
    if (!this.#own.settle(request, used, usd ?? 0)) return;
    if (usd === undefined) this.#unpriced.add(plan.source);
    const line = this.#settledLine(request, used, usd, usage === undefined);
    ledger.note(day, line);
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

  #settledLine(request: OwnRequest, usage: Usage, usd: number | undefined, isEstimate: boolean): SettledLine {
    const estimated = isEstimate ? ({ estimated: true } as const) : {};
    return {
      ...this.#base(request),
      state: "settled",
      usage,
      usd: usd ?? null,
      reserved: reservedOf(request),
      ...estimated,
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
