import type { CompactOptions } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { CacheWarmth } from "./cache-warmth.ts";
import { compact, isWorthSummarising } from "./compact.ts";
import type { CompactDeps, CompactRequest } from "./compact-request.ts";
import type { Conversation } from "./conversation.ts";
import { type ContextChange, editContext } from "./edit-context.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { EventHub } from "./event-hub.ts";
import { IdleCompaction } from "./idle-compaction.ts";
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
  told<Value>(events: AsyncGenerator<EngineEvent, Value>): Promise<Value>;
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
    editContext(change, { ...this.#deps, conversation, system: system() }, events.emit);
  }

  #run(options: Pick<CompactRequest, "why"> & CompactOptions): Promise<number | undefined> {
    const { conversation, slot, system, loopDeps, told } = this.#parts;
    return slot.operate(async (signal) => {
      const { model, effort, thinking } = this.#deps.state;
      const request = { ...model, system: system(), effort, thinking, ...options };
      const deps = loopDeps(signal);
      const freed = await told(compact(request, deps, signal));
      await conversation.sync();
      const never = whyNeverRoom(request, deps);
      if (never !== undefined) throw new UserFacingError(never);
      return freed;
    });
  }

  #isDue(): boolean {
    const { conversation, cache, slot, system } = this.#parts;
    const { model } = this.#deps.state.model;
    const deps = { ...this.#deps, conversation };
    return !slot.isBusy && !cache.isCold(model) && isWorthSummarising({ model, system: system() }, deps);
  }

  /** A failure was told as a notice; the conversation stays as it was. What only the person can change comes up with the next prompt. */
  async #compactIdle(): Promise<void> {
    await this.#run({ why: "idle" }).catch((error: unknown) => {
      if (!(error instanceof UserFacingError)) this.#deps.noteFault?.(error);
    });
  }
}
