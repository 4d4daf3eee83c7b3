import type { CompactionView } from "../../../contracts/compactor.ts";
import type { Message, UserBlock } from "../../../contracts/message.ts";
import { roomIn, sizeOf } from "./room.ts";
import type { SummaryCut } from "./summary-cut.ts";

/** The share of the window that is kept free in case the estimate is too low. */
const MARGIN = 0.04;
/** After the provider refused a request, a request of at most this share of it is sent. */
const SHARE_OF_REFUSED = 0.75;
const MIN_CLEARED_TOKENS = 100;

/**
 * The messages on which a summary is based: all messages, because they are in the provider's cache; if they don't fit,
 * those that the summary replaces, and finally those without their results.
 * @param room Tokens for the question and its answer.
 * @returns undefined if not even those fit.
 */
export function askedMessages(
  view: CompactionView,
  { from, to }: SummaryCut,
  room: number,
): readonly Message[] | undefined {
  const { messages } = view;
  const left = roomIn(view, askableTokens(view) - room);
  const replaced = from > 0 ? messages : messages.slice(0, to);
  const lists = [messages, replaced, replaced.map((message) => withoutResults(view, message))];
  return lists.find((list) => sizeOf(view, list) <= left);
}

/** The largest request that surely fits the window. */
export function askableTokens({ why, windowTokens, usedTokens }: CompactionView): number {
  const window = windowTokens * (1 - MARGIN);
  return why === "too_long" ? Math.min(window, usedTokens * SHARE_OF_REFUSED) : window;
}

function withoutResults({ tokensOf }: CompactionView, message: Message): Message {
  if (message.role === "assistant") return message;
  const cleared = (block: UserBlock): UserBlock =>
    block.type === "tool_result" && tokensOf(block) >= MIN_CLEARED_TOKENS ? { ...block, content: "[Cleared]" } : block;
  return { ...message, content: message.content.map(cleared) };
}
