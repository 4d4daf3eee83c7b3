import type { CompactionView } from "../../../contracts/compactor.ts";
import type { Message, UserBlock } from "../../../contracts/message.ts";
import { tokensOf } from "./message-tokens.ts";
import type { SummaryCut } from "./summary-cut.ts";

/** The share of the window that is kept free in case the estimate is too low. */
const MARGIN = 0.04;
const MIN_CLEARED_TOKENS = 100;

/**
 * The messages on which a summary is based: all messages, because they are in the provider's cache; if they don't fit,
 * those that the summary replaces, and finally those without their results.
 * @param room Tokens for the question and its answer.
 * @throws {Error} not even those fit.
 */
export function askedMessages(view: CompactionView, { from, to }: SummaryCut, room: number): readonly Message[] {
  const { messages, usedTokens, windowTokens } = view;
  const sizeOf = (list: readonly Message[]) => list.reduce((sum, message) => sum + tokensOf(view, message), 0);
  const left = windowTokens * (1 - MARGIN) - room - (usedTokens - sizeOf(messages));
  const replaced = from > 0 ? messages : messages.slice(0, to);
  for (const list of [messages, replaced, replaced.map((message) => withoutResults(view, message))])
    if (sizeOf(list) <= left) return list;
  throw new Error("the conversation does not fit the window even without the results of its calls");
}

function withoutResults({ tokensOf: sizeOf }: CompactionView, message: Message): Message {
  if (message.role === "assistant") return message;
  const cleared = (block: UserBlock): UserBlock =>
    block.type === "tool_result" && sizeOf(block) >= MIN_CLEARED_TOKENS ? { ...block, content: "[Cleared]" } : block;
  return { ...message, content: message.content.map(cleared) };
}
