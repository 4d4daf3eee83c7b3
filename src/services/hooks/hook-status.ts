import type { Clock } from "../../contracts/ports.ts";

/** The time after which the text of a running hook is shown. */
const SHOWN_AFTER_MS = 300;

/** The texts of running hooks (`statusMessage`), of which the person sees the oldest. */
export class HookStatus {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #show: (text: string | undefined) => void;
  #running: readonly { readonly text: string }[] = [];

  /** @param show Receives the text to show; undefined to show no text. */
  constructor(clock: Pick<Clock, "sleep">, show: (text: string | undefined) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  /** A hook has started. @returns the function to call at its end. */
  start(text: string): () => void {
    const entry = { text };
    const over = new AbortController();
    this.#clock.sleep(SHOWN_AFTER_MS, over.signal).then(
      () => this.#change([...this.#running, entry]),
      () => undefined,
    );
    return () => {
      over.abort(new Error("The hook has ended."));
      if (this.#running.includes(entry)) this.#change(this.#running.filter((one) => one !== entry));
    };
  }

  #change(running: readonly { readonly text: string }[]): void {
    const before = this.#running[0]?.text;
    this.#running = running;
    if (running[0]?.text !== before) this.#show(running[0]?.text);
  }
}
