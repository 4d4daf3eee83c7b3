import type { CompactOptions } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import { type ContextChange, editContext } from "./apply-context-edit.ts";
import type { CacheWarmth } from "./cache-warmth.ts";
import { compact, isWorthSummarising } from "./compact.ts";
import type { CompactDeps, CompactRequest } from "./compact-request.ts";
import type { Conversation } from "./conversation.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { EventHub } from "./event-hub.ts";
import { whyNeverRoom } from "./no-room.ts";
import type { TurnSlot } from "./turn-slot.ts";

type Parts = {
  readonly conversation: Conversation;
  readonly cache: CacheWarmth;
  readonly slot: TurnSlot;
  /** The system prompt of the next request. */
  system(): string;
  loopDeps(signal: AbortSignal): CompactDeps;
  readonly events: EventHub;
  /** Runs the events past all readers. */
  publish<Value>(events: AsyncGenerator<EngineEvent, Value>): Promise<Value>;
};

/** The compactions of a resting conversation: those that the person starts, and the one before the cache expires. */
export class Compactions {
  readonly #deps: EngineDeps;
  readonly #parts: Parts;
  readonly #idle: IdleCompaction;

  constructor(deps: EngineDeps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#idle = new IdleCompaction({
      clock: deps.clock,
      cache: parts.cache,
      isDue: () => this.#isDue(),
      compact: () => this.#compactIdle(),
    });
    if (!deps.windowSettings?.idle || deps.agent.parentAgentId !== null) return;
    parts.events.subscribe(({ event }) => {
      if (event.type !== "busy_changed") return;
      if (event.busy) this.#idle.stop();
      else this.#idle.rest();
    });
  }

  close(): void {
    this.#idle.stop();
  }

  /**
   * Compacts the conversation because the person asked for it.
   * @throws {UserFacingError} no compaction can make the next request fit.
   */
  start(options: CompactOptions): Promise<number | undefined> {
    return this.#run({ why: "manual", ...options });
  }

  /** Removes parts from the model's view, or pins them, as the person chose. */
  edit(change: ContextChange): void {
    const { conversation, system, events } = this.#parts;
    const { tools, forgetResults } = this.#deps;
    editContext(change, { conversation, tools, forgetResults, system: system() }, events.emit);
  }

  #run(options: Pick<CompactRequest, "why"> & CompactOptions): Promise<number | undefined> {
    const { conversation, slot, system, loopDeps, publish } = this.#parts;
    return slot.operate(async (signal) => {
      const { model, effort, thinking } = this.#deps.state;
      const request = { ...model, system: system(), effort, thinking, ...options };
      const deps = loopDeps(signal);
      const freed = await publish(compact(request, deps, signal));
      await conversation.sync();
      const never = whyNeverRoom(request, deps);
      if (never !== undefined) throw new UserFacingError(never);
      return freed;
    });
  }

  #isDue(): boolean {
    const { conversation, cache, slot, system } = this.#parts;
    const { model } = this.#deps.state.model;
    const { tools, catalog, windowSettings } = this.#deps;
    const deps = { conversation, tools, catalog, windowSettings };
    return !slot.isBusy && !cache.isCold(model) && isWorthSummarising({ model, system: system() }, deps);
  }

  /** A failure was told as a notice; the conversation stays as it was. What only the person can change comes up with the next prompt. */
  async #compactIdle(): Promise<void> {
    await this.#run({ why: "idle" }).catch((error: unknown) => {
      if (!(error instanceof UserFacingError)) this.#deps.noteFault?.(error);
    });
  }
}

/** The compaction starts this long before the cache expires, or a tenth of the cache's lifetime if that is shorter. */
const LEAD_MS = 30_000;
const MOST_LEAD_SHARE = 0.1;

type IdleCompactionDeps = {
  readonly clock: Clock;
  readonly cache: Pick<CacheWarmth, "expiresAt">;
  /** True if the conversation is large enough, and the cache still warm. */
  isDue(): boolean;
  /** Never rejects. */
  compact(): Promise<void>;
};

/**
 * Compacts a resting conversation shortly before the provider's cache expires, at most once a rest: the request for the
 * summary then still reads the conversation from the cache. It costs a request that nobody typed, so it is on only if
 * the person set `compaction.idle`.
 */
export class IdleCompaction {
  readonly #deps: IdleCompactionDeps;
  #waiting: AbortController | undefined;
  /** The end of the cache before which a compaction was tried. A rest follows each compaction, also a failed one. */
  #triedBefore: number | undefined;

  constructor(deps: IdleCompactionDeps) {
    this.#deps = deps;
  }

  /** Call this when the conversation comes to rest. */
  rest(): void {
    const { clock, cache } = this.#deps;
    const expiresAt = cache.expiresAt();
    this.stop();
    if (expiresAt === undefined || expiresAt === this.#triedBefore) return;
    const leftMs = expiresAt - clock.now();
    const waitMs = leftMs - Math.min(LEAD_MS, leftMs * MOST_LEAD_SHARE);
    if (waitMs <= 0) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    // An aborted wait is no fault.
    void this.#compactAfter(waitMs, waiting.signal).catch(() => undefined);
  }

  /** Call this when work begins, or the conversation is closed. */
  stop(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }

  async #compactAfter(waitMs: number, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(waitMs, signal);
    // The compaction itself begins work, which must not end it.
    this.#waiting = undefined;
    if (signal.aborted || !this.#deps.isDue()) return;
    this.#triedBefore = this.#deps.cache.expiresAt();
    await this.#deps.compact();
  }
}
