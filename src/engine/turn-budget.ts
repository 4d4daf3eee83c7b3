import type { Usage } from "../contracts/message.ts";

/** `+500k` or `+1.5m`, as a word of its own. */
const TYPED = /(?:^|\s)\+(\d+(?:\.\d+)?)([km])(?=$|[\s.,;!?])/i;
const UNITS = { k: 1_000, m: 1_000_000 } as const;
/** From this share on the model is told to come to an end. */
const WARNED_SHARE = 0.8;
/** Answers in a row without a call after which there is nothing new. */
const MAX_IDLE_ANSWERS = 2;

/** The tokens that a prompt asks the turn to spend; undefined where it names none. */
export function budgetIn(prompt: string): number | undefined {
  const [, amount, unit] = TYPED.exec(prompt) ?? [];
  const tokens = Number(amount) * UNITS[unit?.toLowerCase() === "m" ? "m" : "k"];
  return amount !== undefined && tokens > 0 ? Math.round(tokens) : undefined;
}

/**
 * The tokens that a turn is to spend before it ends: its new input, which no prompt cache held, and its output. The turn ends
 * earlier when two answers in a row bring nothing new.
 */
export class TurnBudget {
  readonly totalTokens: number;
  #spentTokens = 0;
  #idleAnswers = 0;
  #isWarned = false;

  constructor(totalTokens: number) {
    this.totalTokens = totalTokens;
  }

  get spentTokens(): number {
    return this.#spentTokens;
  }

  get leftTokens(): number {
    return Math.max(0, this.totalTokens - this.#spentTokens);
  }

  /** True if the turn goes on after an answer that would end it. */
  get goesOn(): boolean {
    return this.leftTokens > 0 && this.#idleAnswers < MAX_IDLE_ANSWERS;
  }

  /** Takes in an answer. @param hasCalls True if it asked for calls. */
  note({ inputTokens, cacheWriteTokens, outputTokens }: Usage, hasCalls: boolean): void {
    this.#spentTokens += inputTokens + cacheWriteTokens + outputTokens;
    this.#idleAnswers = hasCalls ? 0 : this.#idleAnswers + 1;
  }

  /** True once: when the model has to be told that little is left. */
  takeWarning(): boolean {
    if (this.#isWarned || this.#spentTokens < this.totalTokens * WARNED_SHARE) return false;
    this.#isWarned = true;
    return this.leftTokens > 0;
  }
}
