import type { ContinueReason } from "../contracts/event.ts";

/**
 * The event that resets a count, besides each new turn. `accepted`: an answer had room in the window; `results`: calls
 * gave results.
 */
export type ResetsOn = "turn" | "accepted" | "results";

/** A continuation and its bound. */
export type Bounded = {
  readonly reason: ContinueReason;
  /** The maximum number of uses until the count is reset; a text if another mechanism sets the bound. */
  readonly max: number | string;
  readonly resetsOn: ResetsOn;
};

/** Counts how often each continuation was taken since its last reset. */
export class ContinuationCounts {
  readonly #taken = new Map<ContinueReason, { readonly resetsOn: ResetsOn; readonly count: number }>();

  of(reason: ContinueReason): number {
    return this.#taken.get(reason)?.count ?? 0;
  }

  isSpent({ reason, max }: Bounded): boolean {
    return typeof max === "number" && this.of(reason) >= max;
  }

  add({ reason, resetsOn }: Bounded): void {
    this.#taken.set(reason, { resetsOn, count: this.of(reason) + 1 });
  }

  /** Resets the counts that this event ends. */
  reset(on: ResetsOn): void {
    for (const [reason, { resetsOn }] of this.#taken) if (resetsOn === on) this.#taken.delete(reason);
  }
}
