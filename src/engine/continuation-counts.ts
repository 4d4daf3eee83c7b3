import type { ContinueReason } from "../contracts/event.ts";

/** When a count begins anew, beside each turn. `accepted`: with the next answer that had room; `results`: with results of calls. */
export type ResetsOn = "turn" | "accepted" | "results";

/** A way to go on, and its bound. */
export type Bounded = {
  readonly reason: ContinueReason;
  /** How often at most until the count begins anew; words where something else bounds it. */
  readonly max: number | string;
  readonly resetsOn: ResetsOn;
};

/** How often each continuation was taken since its count began. */
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

  /** Begins anew what ends here. */
  reset(on: ResetsOn): void {
    for (const [reason, { resetsOn }] of this.#taken) if (resetsOn === on) this.#taken.delete(reason);
  }
}
