import { formatCount } from "@quoll/terminal-text/format-amount";
import type { McpSampling } from "../../contracts/mcp.ts";
import { textOf } from "../../contracts/message.ts";
import { blocksTokens, textTokens } from "../../contracts/token-estimate.ts";

/** The length above which a server's request is declined without a question. */
const MAX_SAMPLE_CHARS = 200_000;
const MAX_SAMPLE_IMAGES = 20;
/** The maximum length of an answer for a server, regardless of what it requests. */
const MAX_SAMPLE_TOKENS = 4_096;
/** A person's yes for the session covers requests of this size, and this total of tokens of requests and answers. */
const MAX_BUDGETED_INPUT_TOKENS = 20_000;
const SESSION_BUDGET_TOKENS = 100_000;

export const BUDGET_WORDS = `up to ${formatCount(SESSION_BUDGET_TOKENS)} tokens in all, ${formatCount(MAX_BUDGETED_INPUT_TOKENS)} a request`;

/** The tokens of a request: its estimated input, and the maximum length of its answer. */
export type SampleSize = { readonly inputTokens: number; readonly maxTokens: number };

/** The reason why a request is too long, for the server; undefined if it is not too long. */
export function whyTooLong({ systemPrompt = "", messages }: McpSampling): string | undefined {
  const chars = messages.reduce((sum, { content }) => sum + textOf(content).length, systemPrompt.length);
  const images = messages.flatMap(({ content }) => content.filter(({ type }) => type === "image")).length;
  if (chars > MAX_SAMPLE_CHARS)
    return `Quoll declines requests above ${MAX_SAMPLE_CHARS} characters; this one has ${chars}.`;
  if (images > MAX_SAMPLE_IMAGES)
    return `Quoll declines requests with more than ${MAX_SAMPLE_IMAGES} images; this one has ${images}.`;
  return undefined;
}

export function sampleSize({ systemPrompt = "", messages, maxTokens }: McpSampling): SampleSize {
  const inputTokens = messages.reduce((sum, { content }) => sum + blocksTokens(content), textTokens(systemPrompt));
  return { inputTokens, maxTokens: Math.min(maxTokens, MAX_SAMPLE_TOKENS) };
}

/** Tokens that may still be used, and tokens held for requests whose usage is not known yet. */
type Budget = { left: number; held: number };

/** The tokens that a person allowed to servers for the session. */
export class SamplingBudgets {
  readonly #budgets = new Map<string, Budget>();

  has(server: string): boolean {
    return this.#budgets.has(server);
  }

  covers(server: string, { inputTokens, maxTokens }: SampleSize): boolean {
    const left = this.#budgets.get(server)?.left ?? 0;
    return inputTokens <= MAX_BUDGETED_INPUT_TOKENS && inputTokens + maxTokens <= left;
  }

  /**
   * Opens a budget after the person agreed for the session. Requests that are still running count towards the new
   * budget.
   */
  open(server: string): void {
    const held = this.#budgets.get(server)?.held ?? 0;
    this.#budgets.set(server, { left: SESSION_BUDGET_TOKENS - held, held });
  }

  /**
   * Reserves the maximum size of a request before it is sent, so that parallel requests share the budget.
   * @returns the function that settles the reservation with the tokens that were used.
   */
  hold(server: string, { inputTokens, maxTokens }: SampleSize): (usedTokens: number) => void {
    const tokens = inputTokens + maxTokens;
    this.#move(server, tokens, tokens);
    return (usedTokens) => this.#move(server, usedTokens - tokens, -tokens);
  }

  #move(server: string, taken: number, held: number): void {
    const budget = this.#budgets.get(server);
    if (!budget) return;
    budget.left -= taken;
    budget.held += held;
  }
}
