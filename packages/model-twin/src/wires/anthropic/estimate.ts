import { jsonTokens, MEDIA_TOKENS, MESSAGE_TOKENS, textTokens } from "../tokens.ts";
import type { Block, MessagesRequest, ResultContent, Tool } from "./request.ts";

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

/** A part of a request as the prompt cache sees it. `identity` is the same for equal parts with different marks. */
export type Segment = { readonly identity: string; readonly tokens: number; readonly isMarked: boolean };

const identityOf = (kind: string, value: unknown) =>
  kind + JSON.stringify(value, (key, item: unknown) => (key === "cache_control" ? undefined : item));

function contentSegments(kind: string, content: string | readonly Block[]): readonly Segment[] {
  if (typeof content === "string") {
    return [
      { identity: identityOf(kind, { type: "text", text: content }), tokens: textTokens(content), isMarked: false },
    ];
  }
  return content.map((block) => ({
    identity: identityOf(kind, block),
    tokens: blockTokens(block),
    isMarked: "cache_control" in block && Boolean(block.cache_control),
  }));
}

function toolSegment(tool: Tool): Segment {
  const tokens = textTokens(tool.name + (tool.description ?? "")) + jsonTokens(tool.input_schema ?? {});
  return { identity: identityOf("tool", tool), tokens, isMarked: Boolean(tool.cache_control) };
}

/** A request in the order in which the API reads it: tools, system, messages. */
export function segmentsOf({ tools, system, messages }: MessagesRequest): readonly Segment[] {
  return [
    ...(tools ?? []).map(toolSegment),
    ...contentSegments("system", system ?? []),
    ...messages.flatMap(({ role, content }) =>
      contentSegments(role, content).map((segment, index) =>
        index === 0 ? { ...segment, tokens: segment.tokens + MESSAGE_TOKENS } : segment,
      ),
    ),
  ];
}

/** Tokens of a whole request: chars/4 for text, chars/2 for JSON, a flat number for an image or a document. Always at least 1. */
export function requestTokens(request: MessagesRequest): number {
  return Math.max(1, sum(segmentsOf(request).map(({ tokens }) => tokens)));
}
