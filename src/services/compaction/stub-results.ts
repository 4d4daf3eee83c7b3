import type { Compactor, FitRequest, Fitted } from "../../contracts/compactor.ts";
import {
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
  type UserBlock,
  type UserMessage,
} from "../../contracts/message.ts";

/** Of the usable window: results of the newest messages up to this much are never touched. */
const KEPT_SHARE = 0.15;
/** Results are taken out until no more than this is used, so that the next time is far off and the prompt cache holds till then. */
const TARGET_SHARE = 0.6;
/** Where the provider refused what was thought to fit, the window is not what it was taken for: shares of what was sent. */
const TARGET_OF_REFUSED = 0.5;
const KEPT_OF_REFUSED = 0.25;
/** A shorter result is not worth a line in its place. */
const MIN_STUBBED_CHARS = 600;
const CHARS_PER_TOKEN = 4;
/** As elsewhere: a picture of the largest size that tools give. */
const MEDIA_TOKENS = 3_300;
const MAX_ABOUT_CHARS = 80;

/**
 * The first and cheapest stage: old results of tools become one line each, oldest first. Calls stay, and so do all words; what
 * was taken out stands in the session's file.
 */
export function resultStubs(): Compactor {
  return { fit: async (request) => fit(request) };
}

function fit({ messages, usedTokens, windowTokens, reservedTokens, isTooLong }: FitRequest): Fitted {
  const usable = windowTokens - reservedTokens;
  const target = Math.min(usable * TARGET_SHARE, isTooLong ? usedTokens * TARGET_OF_REFUSED : Number.POSITIVE_INFINITY);
  const kept = Math.min(usable * KEPT_SHARE, isTooLong ? usedTokens * KEPT_OF_REFUSED : Number.POSITIVE_INFINITY);
  const calls = new Map(
    messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])).map((use) => [use.id, use]),
  );
  const keptFrom = firstKept(messages, kept);
  let freed = 0;
  let count = 0;
  const shortened = messages.map((message, at): Message => {
    if (message.role !== "user" || at >= keptFrom || usedTokens - freed <= target) return message;
    const content = message.content.map((block) => {
      if (block.type !== "tool_result" || usedTokens - freed <= target) return block;
      const stub = stubOf(block, calls.get(block.toolUseId));
      if (stub === undefined) return block;
      freed += tokensOf(block) - tokensOf(stub);
      count += 1;
      return stub;
    });
    return content.some((block, index) => block !== message.content[index])
      ? ({ ...message, content } satisfies UserMessage)
      : message;
  });
  if (count === 0) return { messages, freedTokens: 0 };
  const note = `Took ${count} old tool result${count === 1 ? "" : "s"} out of the model's view (about ${freed} tokens); the session's file keeps them.`;
  return { messages: shortened, freedTokens: freed, note };
}

/** Where the newest messages begin that together take no more than so many tokens; the last one always counts among them. */
function firstKept(messages: readonly Message[], tokens: number): number {
  let used = 0;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    used += messages[at]?.content.reduce((sum, block) => sum + tokensOf(block), 0) ?? 0;
    if (used > tokens) return Math.min(at + 1, messages.length - 1);
  }
  return 0;
}

function stubOf(block: ToolResultBlock, use: ToolUseBlock | undefined): ToolResultBlock | undefined {
  const tokens = tokensOf(block);
  if (tokens * CHARS_PER_TOKEN < MIN_STUBBED_CHARS) return undefined;
  const about = use === undefined ? "a call" : `${use.name} ${JSON.stringify(use.input)}`;
  const shown = about.length > MAX_ABOUT_CHARS ? `${about.slice(0, MAX_ABOUT_CHARS).toWellFormed()}…` : about;
  const content = `[Taken out to make room: the result of ${shown}, about ${tokens} tokens. Call it again if it is needed.]`;
  return { ...block, content };
}

type AnyBlock = UserBlock | Message["content"][number];

function tokensOf(block: AnyBlock): number {
  switch (block.type) {
    case "text":
      return Math.ceil(block.text.length / CHARS_PER_TOKEN);
    case "tool_result":
      return typeof block.content === "string"
        ? Math.ceil(block.content.length / CHARS_PER_TOKEN)
        : block.content.reduce((sum, part) => sum + tokensOf(part), 0);
    case "tool_use":
      return Math.ceil(JSON.stringify(block.input).length / CHARS_PER_TOKEN);
    case "thinking":
      return Math.ceil(block.thinking.length / CHARS_PER_TOKEN);
    default:
      return MEDIA_TOKENS;
  }
}
