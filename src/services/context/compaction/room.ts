import type { CompactionView } from "../../../contracts/compactor.ts";
import type { Message } from "../../../contracts/message.ts";

/** Estimated tokens of messages. */
export function sizeOf(view: CompactionView, messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(view, message), 0);
}

/**
 * The tokens that messages may take in a request of `tokens`, in the units of `view.tokensOf`: if the provider counts
 * more for the messages than their estimate, they may take less.
 */
export function roomIn(view: CompactionView, tokens: number): number {
  const { besideTokens, messages, usedTokens } = view;
  const scale = (usedTokens - besideTokens) / Math.max(1, sizeOf(view, messages));
  return Math.max(0, tokens - besideTokens) / Math.max(1, scale);
}

/**
 * The tokens of which a summary and the newest messages get shares: the usable window, or less if the system prompt and
 * the tools take most of it.
 */
export function sharedTokens({ windowTokens, reservedTokens, besideTokens }: CompactionView): number {
  const usable = windowTokens - reservedTokens;
  return Math.min(usable, 2 * Math.max(0, usable - besideTokens));
}

/** Shortens a text until it fits; empty if hardly any of it would fit. */
export function cutToTokens(text: string, maxTokens: number, measure: (text: string) => number): string {
  const tokens = measure(text);
  if (tokens <= maxTokens) return text;
  if (maxTokens < MIN_CUT_TOKENS) return "";
  for (let share = maxTokens / tokens; share > 0.001; share *= 0.8) {
    const cut = `${text.slice(0, Math.floor(text.length * share)).toWellFormed()}\n${CUT}`;
    if (measure(cut) <= maxTokens) return cut;
  }
  return "";
}

const MIN_CUT_TOKENS = 40;
const CUT = "[The rest was left out to make room.]";

/** Estimated tokens of a message; 0 for none. */
export function tokensOf({ tokensOf: sizeOf }: CompactionView, message: Message | undefined): number {
  return (message?.content ?? []).reduce((sum, block) => sum + sizeOf(block), 0);
}
