import type { Clock } from "../../../contracts/ports.ts";
import type { Ui } from "../layers/ui-state.ts";

/** Longer than the time between two keys of a fast typist, shorter than a pause to think. */
const PAUSE_MS = 250;

type Deps = {
  readonly clock: Clock;
  readonly ended: AbortSignal;
  /** Called once. */
  readonly paused: () => void;
};

/** Waits for the first pause after a draft was begun: a moment for work that would delay keys. */
export class TypingPause {
  readonly #deps: Deps;
  #typedAt = 0;
  #state: "unbegun" | "waiting" | "over" = "unbegun";

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Called after each key. */
  look({ editor, typedAt }: Pick<Ui, "editor" | "typedAt">): void {
    this.#typedAt = typedAt;
    if (this.#state !== "unbegun" || editor.text === "") return;
    this.#state = "waiting";
    this.#wait(PAUSE_MS);
  }

  #wait(ms: number): void {
    const { clock, ended, paused } = this.#deps;
    clock.sleep(ms, ended).then(
      () => {
        const restMs = this.#typedAt + PAUSE_MS - clock.monotonicMs();
        if (restMs > 0) return this.#wait(restMs);
        this.#state = "over";
        paused();
      },
      () => undefined,
    );
  }
}
