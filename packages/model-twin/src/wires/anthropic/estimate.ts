import type { Block, MessagesRequest, ResultContent } from "./request.ts";

/** A rough, deterministic stand-in for the tokenizer. */
const TEXT_CHARS_PER_TOKEN = 4;
const JSON_CHARS_PER_TOKEN = 2;
const MEDIA_TOKENS = 1_600;
const MESSAGE_TOKENS = 4;

export const textTokens = (text: string): number => Math.ceil(text.length / TEXT_CHARS_PER_TOKEN);
export const jsonTokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / JSON_CHARS_PER_TOKEN);

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function resultTokens(content: string | readonly ResultContent[] | undefined): number {
  if (content === undefined) return 0;
  return typeof content === "string" ? textTokens(content) : sum(content.map(blockTokens));
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case "text":
      return textTokens(block.text);
    case "thinking":
      return textTokens(block.thinking);
    case "redacted_thinking":
      return textTokens(block.data);
    case "tool_use":
      return textTokens(block.name) + jsonTokens(block.input);
    case "tool_result":
      return resultTokens(block.content);
    case "search_result":
      return sum(block.content.map(blockTokens));
    default:
      return MEDIA_TOKENS;
  }
}

function contentTokens(content: string | readonly Block[]): number {
  return typeof content === "string" ? textTokens(content) : sum(content.map(blockTokens));
}

/** Tokens of a whole request: chars/4 for text, chars/2 for JSON, a flat number for an image or a document. Always at least 1. */
export function requestTokens({ system, messages, tools }: MessagesRequest): number {
  const told = sum(messages.map(({ content }) => MESSAGE_TOKENS + contentTokens(content)));
  const declared = sum(
    (tools ?? []).map((tool) => textTokens(tool.name + (tool.description ?? "")) + jsonTokens(tool.input_schema)),
  );
  return Math.max(1, contentTokens(system ?? "") + told + declared);
}
