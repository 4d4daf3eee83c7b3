import { type AssistantBlock, type Message, totalInputTokens, type UserBlock } from "./message.ts";

/** Starting point where no exact count is at hand; a real usage report replaces it. */
export const CHARS_PER_TOKEN = 4;
export const JSON_CHARS_PER_TOKEN = 2;
/** The largest picture that Read gives (1,568 px square, w·h/750). */
const IMAGE_TOKENS = 3_300;
/** A PDF is read page by page, as text and as a picture: about this much of its base64 text a token. */
const DOCUMENT_CHARS_PER_TOKEN = 16;

/**
 * Input tokens of the next request: the exact count of the newest answer's request and of that answer, plus an
 * estimate of what came since. `staticChars` is the length of prompt and tool schemas, needed only before the first answer.
 */
export function estimateInputTokens(messages: readonly Message[], staticChars: number): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0);
  const exact = messages[last];
  const base =
    exact?.role === "assistant"
      ? totalInputTokens(exact.usage) + exact.usage.outputTokens
      : Math.ceil(staticChars / CHARS_PER_TOKEN);
  return messages.slice(last + 1).reduce((sum, { content }) => sum + content.reduce(addBlock, 0), base);
}

/** Estimated tokens of one block. */
export function blockTokens(block: UserBlock | AssistantBlock): number {
  return addBlock(0, block);
}

function addBlock(sum: number, block: UserBlock | AssistantBlock): number {
  switch (block.type) {
    case "text":
      return sum + Math.ceil(block.text.length / CHARS_PER_TOKEN);
    case "image":
      return sum + IMAGE_TOKENS;
    case "document":
      return sum + Math.ceil(block.data.length / DOCUMENT_CHARS_PER_TOKEN);
    case "opaque":
      return sum + Math.ceil(JSON.stringify(block.data).length / JSON_CHARS_PER_TOKEN);
    case "thinking":
      return sum + Math.ceil(block.thinking.length / CHARS_PER_TOKEN);
    case "redacted_thinking":
      return sum + Math.ceil(block.data.length / CHARS_PER_TOKEN);
    case "tool_use":
      return sum + Math.ceil(JSON.stringify(block.input).length / JSON_CHARS_PER_TOKEN);
    case "tool_result":
      return typeof block.content === "string"
        ? sum + Math.ceil(block.content.length / CHARS_PER_TOKEN)
        : block.content.reduce(addBlock, sum);
  }
}
