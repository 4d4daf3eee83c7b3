import type { Draft } from "../layers/ui-state.ts";

/** How many sent drafts with folded pastes are kept, for inputs that wait or whose prompt is cancelled. */
const MAX_SENT = 100;

/** Sent inputs as they were typed, because a session knows only their texts. */
export class SentDrafts {
  /** Drafts with placeholders, by their text. */
  readonly #sent = new Map<string, Draft>();

  /** Keeps the draft of a sent text. */
  keep(text: string, { shown, pastes }: Draft): void {
    const used = new Map([...pastes].filter(([name]) => shown.includes(name)));
    if (used.size === 0) return;
    this.#sent.delete(text);
    this.#sent.set(text, { shown, pastes: used });
    for (const oldest of [...this.#sent.keys()].slice(0, -MAX_SENT)) this.#sent.delete(oldest);
  }

  /** The draft of a sent text. */
  of(text: string): Draft {
    return this.#sent.get(text) ?? { shown: text, pastes: new Map() };
  }
}
