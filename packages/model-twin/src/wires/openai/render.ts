import type { Reply, ReplyBlock, ReplySearch, ReplyUsage, StopReason } from "../../scenario.ts";
import { jsonTokens, textTokens } from "../tokens.ts";

/** A reply's block with its missing parts added. `arguments` is the JSON text of a call's input, broken or not. */
export type RenderedBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly arguments: string };

export type RenderedReply = {
  readonly model: string;
  /** The end of the answer's ids, unique in this twin. */
  readonly serial: string;
  readonly blocks: readonly RenderedBlock[];
  readonly stopReason: StopReason;
  readonly usage: Required<ReplyUsage>;
  readonly search?: ReplySearch | undefined;
};

type RenderContext = {
  readonly model: string;
  readonly serial: string;
  readonly promptTokens: number;
  /** Makes a call's id. */
  readonly freshId: () => string;
};

/**
 * The creation time of every answer in seconds of Unix time: always the same, so that answers can be compared
 * completely.
 */
export const CREATED_S = 1_767_225_600;

function renderBlock(block: ReplyBlock, freshId: () => string): RenderedBlock {
  if (block.type !== "tool_use") return block;
  const input = "inputText" in block ? block.inputText : JSON.stringify(block.input);
  return { type: "call", id: block.id ?? freshId(), name: block.name, arguments: input };
}

function tokensOf(block: RenderedBlock): number {
  switch (block.type) {
    case "text":
      return textTokens(block.text);
    case "thinking":
      return textTokens(block.thinking);
    case "redacted_thinking":
      return textTokens(block.data);
    case "call":
      return textTokens(block.name) + jsonTokens(block.arguments);
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const isThinking = ({ type }: RenderedBlock) => type === "thinking" || type === "redacted_thinking";

function usageOf(blocks: readonly RenderedBlock[], usage: ReplyUsage, promptTokens: number): Required<ReplyUsage> {
  const cacheReadTokens = usage.cacheReadTokens ?? 0;
  const cacheCreationTokens = usage.cacheCreationTokens ?? 0;
  const outputTokens = usage.outputTokens ?? Math.max(1, sum(blocks.map(tokensOf)));
  return {
    inputTokens: usage.inputTokens ?? Math.max(0, promptTokens - cacheReadTokens - cacheCreationTokens),
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    reasoningTokens: usage.reasoningTokens ?? Math.min(outputTokens, sum(blocks.filter(isThinking).map(tokensOf))),
  };
}

/** Adds the missing parts of a reply: ids, the stop reason, the usage. */
export function renderReply(reply: Reply, { model, serial, promptTokens, freshId }: RenderContext): RenderedReply {
  const blocks = reply.content.map((block) => renderBlock(block, freshId));
  const callsTool = blocks.some(({ type }) => type === "call");
  return {
    model,
    serial,
    blocks,
    stopReason: reply.stopReason ?? (callsTool ? "tool_use" : "end_turn"),
    usage: usageOf(blocks, reply.usage ?? {}, promptTokens),
    search: reply.search,
  };
}

/** All tokens of the prompt, cached or not: OpenAI counts the cached ones with the others. */
export const allInputTokens = ({ inputTokens, cacheReadTokens, cacheCreationTokens }: Required<ReplyUsage>): number =>
  inputTokens + cacheReadTokens + cacheCreationTokens;

/** The use of the cache, in the form of both wires. Written tokens appear only if there are some. */
export const cacheDetails = ({ cacheReadTokens, cacheCreationTokens }: Required<ReplyUsage>) => ({
  cached_tokens: cacheReadTokens,
  ...(cacheCreationTokens > 0 && { cache_write_tokens: cacheCreationTokens }),
});

/** Makes ids that are always the same in the same place of a scenario and that a history from an earlier twin does not hold. */
export class CallIds {
  #last = 0;

  fresh(bodyText: string, format: (number: string) => string): string {
    for (;;) {
      this.#last += 1;
      const id = format(String(this.#last).padStart(6, "0"));
      if (!bodyText.includes(id)) return id;
    }
  }
}
