import type { CompactionReason } from "../contracts/compaction.ts";
import type { CountLimit } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { CacheWarmth } from "./cache-warmth.ts";
import { compact, isNearlyFull, isWorthClearing } from "./compact.ts";
import type { CompactDeps, CompactRequest } from "./compact-request.ts";
import type { ChosenModel } from "./model-fallback.ts";
import { NoRoomError, whyNeverRoom, whyNoRoom } from "./no-room.ts";
import { inputSize, limitsOf } from "./request-size.ts";
import { notCompacted } from "./system-reminders.ts";
import { askingAnswer } from "./window-notes.ts";

/**
 * A compaction that frees a smaller share of the used tokens counts as useless. The last of these compactions in a row
 * uses the last resort, and the turn ends if that does not help either.
 */
const MAX_POOR_COMPACTIONS = 3;
const POOR_SHARE = 0.05;

type Telling<Value> = AsyncGenerator<EngineEvent, Value>;

/** The turn for which room is made. */
export type RoomTurn = {
  readonly asked: Pick<CompactRequest, "effort" | "thinking">;
  /** The model of the next request, and its system prompt. */
  chosen(): ChosenModel & { readonly system: string };
  /** Adds a text for the model. */
  say(text: string): Telling<unknown>;
  /** Adds the notes for the next request anew. */
  takeNotes(): Telling<void>;
};

export type RoomDeps = CompactDeps & { readonly cache: CacheWarmth };

/** Makes room in the window before the requests of a turn. */
export class TurnRoom {
  readonly #turn: RoomTurn;
  readonly #deps: RoomDeps;
  readonly #signal: AbortSignal;
  #poorCompactions = 0;
  /** The answer whose wish for a compaction was fulfilled, or answered with a note. */
  #answeredAsking: string | undefined;

  constructor(turn: RoomTurn, deps: RoomDeps, signal: AbortSignal) {
    this.#turn = turn;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** @throws {NoRoomError} the next request does not fit, and nothing can be removed from it. */
  async *make(): Telling<void> {
    const chosen = this.#turn.chosen();
    const { windowSettings, conversation } = this.#deps;
    // No compaction is paid for where none can help.
    const never = whyNeverRoom(chosen, this.#deps);
    if (never !== undefined) throw new NoRoomError(never);
    if (windowSettings?.auto !== false) {
      const asking = askingAnswer(conversation.messages);
      const isAsking = asking !== undefined && asking !== this.#answeredAsking;
      this.#answeredAsking = asking;
      const isAsked = isAsking && (conversation.isWindowNoted || isWorthClearing(chosen, this.#deps));
      if ((isAsked || isNearlyFull(chosen, this.#deps)) && (yield* this.compact("full"))) yield* this.#turn.takeNotes();
      else if (this.#deps.cache.isCold(chosen.model) && isWorthClearing(chosen, this.#deps))
        yield* this.compact("cold");
      else if (isAsking) yield* this.#sayNotCompacted();
    }
    this.#deps.cache.note(chosen.model);
    const why = whyNoRoom(chosen, this.#deps);
    if (why === undefined) return;
    this.#deps.breaker.noteFull();
    throw new NoRoomError(why);
  }

  async *#sayNotCompacted(): Telling<void> {
    const { model, system } = this.#turn.chosen();
    const usedTokens = inputSize(system, this.#deps);
    const { usable, compact: atTokens } = limitsOf(model, this.#deps);
    const leftTokens = Math.max(0, usable - usedTokens);
    yield* this.#turn.say(notCompacted({ usedTokens, leftTokens, atTokens }));
  }

  /**
   * Compacts the conversation.
   * @returns true if anything was removed.
   * @throws {NoRoomError} several compactions in a row freed almost nothing.
   */
  async *compact(why: CompactionReason, countLimit?: CountLimit): Telling<boolean> {
    const { effort, thinking } = this.#turn.asked;
    const chosen = this.#turn.chosen();
    const usedTokens = inputSize(chosen.system, this.#deps);
    const isLastResort = this.#poorCompactions >= MAX_POOR_COMPACTIONS - 1;
    const request = { ...chosen, why, countLimit, effort, thinking, isLastResort };
    const freed = yield* compact(request, this.#deps, this.#signal);
    if (freed === undefined) return false;
    if (why === "image_too_large" || why === "cold") return true;
    // A compaction ahead of need may free little: the turn continues as long as there is room.
    if (why === "full" && usedTokens < limitsOf(chosen.model, this.#deps).compact) return true;
    this.#poorCompactions = freed < usedTokens * POOR_SHARE ? this.#poorCompactions + 1 : 0;
    if (this.#poorCompactions < MAX_POOR_COMPACTIONS) return true;
    throw new NoRoomError(
      "The window is full, and compaction freed almost nothing: start a new conversation with /clear, or choose a model with a larger window.",
    );
  }
}
