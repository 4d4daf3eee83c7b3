import type { Clock } from "../../contracts/ports.ts";
import type { OpenDeps } from "./session/open-client-session.ts";

const MAX_OPEN = 5;
const MAX_IN_WINDOW = 20;
const WINDOW_MS = 10 * 60_000;

/** Limits how many questions one server may ask a person at the same time, and within ten minutes. */
export class QuestionLimit {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #open = new Set<AbortController>();
  #asked: readonly number[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** @returns undefined if there are too many questions; the new question is then not asked. */
  async within<Reply>(ask: (signal: AbortSignal) => Promise<Reply>, signal: AbortSignal): Promise<Reply | undefined> {
    const now = this.#clock.monotonicMs();
    this.#asked = this.#asked.filter((at) => now - at < WINDOW_MS);
    if (this.#open.size >= MAX_OPEN || this.#asked.length >= MAX_IN_WINDOW) return undefined;
    this.#asked = [...this.#asked, now];
    const withdrawal = new AbortController();
    this.#open.add(withdrawal);
    try {
      return await ask(AbortSignal.any([signal, withdrawal.signal]));
    } finally {
      this.#open.delete(withdrawal);
    }
  }

  /** Ends the open questions: the person has interrupted the work that they belong to. */
  withdraw(): undefined {
    for (const withdrawal of this.#open) withdrawal.abort(new Error("The person interrupted the work."));
  }
}

type Elicit = NonNullable<OpenDeps["elicit"]>;

/** Passes a limited number of a server's questions to the person; further questions are declined. */
export function limitedElicit(elicit: Elicit, questions: QuestionLimit, onDeclined: () => void): Elicit {
  return async (request, signal) => {
    const reply = await questions.within((limited) => elicit(request, limited), signal);
    if (reply) return reply;
    onDeclined();
    return { action: "decline" };
  };
}
