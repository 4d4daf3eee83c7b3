import { lazy } from "@quoll/async/lazy";
import type { Keymap } from "../keymap/keymap.ts";

/** A turn of this duration has a tip. */
const TIP_AFTER_MS = 8_000;

type Turn = {
  readonly isBusy: boolean;
  readonly nowMs: number;
  readonly keymap: Keymap;
  /** Chooses the first tip, so that not every session begins with the same. */
  readonly sessionId: string;
};

/** The tips of a session: one in each long turn, and none twice. */
export class WaitingTips {
  readonly #changed: () => void;
  #busySince: number | undefined;
  #tip: string | undefined;
  readonly #shown = new Set<number>();
  /** The code of the tips, from the first long turn on. */
  readonly #texts = lazy(() => import("./tip-texts.ts"));

  /** `changed` is called when a tip can be drawn. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The tip of the running turn; undefined in a short turn, and when all tips were shown. */
  tipOf({ isBusy, nowMs, keymap, sessionId }: Turn): string | undefined {
    if (!isBusy) {
      this.#busySince = undefined;
      this.#tip = undefined;
      return undefined;
    }
    this.#busySince ??= nowMs;
    if (nowMs - this.#busySince >= TIP_AFTER_MS) this.#tip ??= this.#next(keymap, sessionId);
    return this.#tip;
  }

  #next(keymap: Keymap, sessionId: string): string | undefined {
    if (!this.#texts.begun) this.#load();
    const texts = this.#texts.value;
    if (!texts) return undefined;
    const first = [...sessionId].reduce((sum, char) => sum + char.charCodeAt(0), 0);
    const tip = texts.tipsFrom(keymap, first).find(({ at }) => !this.#shown.has(at));
    if (tip) this.#shown.add(tip.at);
    return tip?.text;
  }

  #load(): void {
    this.#texts().then(
      () => this.#changed(),
      // A turn without a tip is no fault.
      () => undefined,
    );
  }
}
