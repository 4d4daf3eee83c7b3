import { formatDuration } from "@quoll/terminal-text/format-amount";

/** The limit of an agent's working time. */
export class TimeLimit {
  /** Names the limit, for the agent's result. */
  readonly words: string;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** @param limitMs Undefined for no limit. @param reached Called when the time is over. */
  constructor(limitMs: number | undefined, reached: () => void) {
    this.words = `its time limit of ${formatDuration(limitMs ?? 0)}`;
    if (limitMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      reached();
    }, limitMs);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
