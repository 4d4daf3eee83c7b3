import type { Usage } from "../contracts/message.ts";

/** Matches a word such as `+500k` or `+1.5m`. */
const AMOUNT = /^\+(\d+(?:\.\d+)?)([km])[.,;!?]?$/i;
const UNITS = { k: 1_000, m: 1_000_000 } as const;
/** The spent share of the budget at which the model is told to finish. */
const WARNED_SHARE = 0.8;
/** The number of answers in a row without a call after which the turn ends. */
const MAX_IDLE_ANSWERS = 2;

/** The token budget in the first or last word of a prompt; undefined if the prompt names none. */
export function budgetIn(prompt: string): number | undefined {
  const words = prompt.trim().split(/\s+/);
  const [, amount, unit] = AMOUNT.exec(words[0] ?? "") ?? AMOUNT.exec(words.at(-1) ?? "") ?? [];
  const tokens = Number(amount) * UNITS[unit?.toLowerCase() === "m" ? "m" : "k"];
  return amount !== undefined && tokens > 0 ? Math.round(tokens) : undefined;
}

/**
 * The token budget of a turn: it counts new input that was not in the prompt cache, and output. The turn ends earlier
 * if two answers in a row make no call.
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

  /** True if the turn continues after an answer that would otherwise end it. */
  get goesOn(): boolean {
    return this.leftTokens > 0 && this.#idleAnswers < MAX_IDLE_ANSWERS;
  }

  /** Counts an answer. @param hasCalls True if the answer makes calls. */
  note({ inputTokens, cacheWriteTokens, outputTokens }: Usage, hasCalls: boolean): void {
    this.#spentTokens += inputTokens + cacheWriteTokens + outputTokens;
    this.#idleAnswers = hasCalls ? 0 : this.#idleAnswers + 1;
  }

  /** Returns true once, when the model must be told that little of the budget is left. */
  takeWarning(): boolean {
    if (this.#isWarned || this.#spentTokens < this.totalTokens * WARNED_SHARE) return false;
    this.#isWarned = true;
    return this.leftTokens > 0;
  }
}
