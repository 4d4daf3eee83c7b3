import type { ReplySearch, ReplyUsage, StopReason } from "../../scenario.ts";
import type { ChatQuirks } from "../openai/options.ts";
import { allInputTokens, CREATED_S, cacheDetails, type RenderedBlock, type RenderedReply } from "../openai/render.ts";

/**
 * The nearest finish reason. OpenAI has no reason for a pause in a turn, so `pause_turn` is reported as `stop`. A
 * full window is reported as `length`, like any other cut.
 */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  stop_sequence: "stop",
  pause_turn: "stop",
  refusal: "content_filter",
  model_context_window_exceeded: "length",
};

/** True if the text of this answer is sent as a refusal, in a separate field. */
export const isRefusalText = ({ stopReason }: RenderedReply, { refusals }: ChatQuirks): boolean =>
  stopReason === "refusal" && refusals === "refusal_field";

export function finishReason(reply: RenderedReply, quirks: ChatQuirks): string {
  if (isRefusalText(reply, quirks)) return "stop";
  if (reply.stopReason === "tool_use") return quirks.finishReasonOfCalls ?? "tool_calls";
  return FINISH_REASONS[reply.stopReason];
}

/** The usage in the API's form. */
export function wireUsage(usage: Required<ReplyUsage>, search?: ReplySearch) {
  const prompt = allInputTokens(usage);
  return {
    // Source: OpenRouter's API reference, `usage` with server tools.
    ...(search && { cost: 0.0125, server_tool_use: { web_search_requests: 1 } }),
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: cacheDetails(usage),
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** The fields that every object of an answer shares. */
export const envelope = ({ model, serial }: RenderedReply, object: string) => ({
  id: `chatcmpl-${serial}`,
  object,
  created: CREATED_S,
  model,
  service_tier: "default",
  system_fingerprint: "fp_twin",
});

/** The text of all blocks of a kind in a row; Chat Completions does not separate neighbouring blocks. */
export function joined(blocks: readonly RenderedBlock[], kind: "text" | "thinking"): string {
  return blocks
    .map((block) => {
      if (block.type === "text" && kind === "text") return block.text;
      return block.type === "thinking" && kind === "thinking" ? block.thinking : "";
    })
    .join("");
}

/** The pages that a search found, for the parts of the text that they support and for the rest. Source: OpenRouter's "Web Search". */
export function annotationsOf(search: ReplySearch | undefined, text: string) {
  return (search?.results ?? []).map(({ url, title, text: content = "" }, index) => {
    const words = search?.cites?.find(({ results }) => results.includes(index))?.text;
    const at = words === undefined ? -1 : text.indexOf(words);
    const place = at < 0 || words === undefined ? [0, 0] : [at, at + words.length];
    return {
      type: "url_citation",
      url_citation: { url, title, content, start_index: place[0], end_index: place[1] },
    };
  });
}

function wireMessage(reply: RenderedReply, quirks: ChatQuirks) {
  const { blocks } = reply;
  const { reasoningField = "reasoning_content", callIds } = quirks;
  const text = joined(blocks, "text");
  const reasoning = reasoningField === "none" ? "" : joined(blocks, "thinking");
  const calls = blocks.flatMap((block) => (block.type === "call" ? [block] : []));
  const isRefusal = isRefusalText(reply, quirks);
  return {
    role: "assistant",
    content: isRefusal || (text === "" && calls.length > 0) ? null : text,
    refusal: isRefusal ? text : null,
    annotations: annotationsOf(reply.search, text),
    ...(reasoning !== "" && { [reasoningField]: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: json }) => ({
        ...(callIds !== "missing" && { id }),
        type: "function",
        function: { name, arguments: json },
      })),
    }),
  };
}

/** The answer as JSON holds it. */
export function wireCompletion(reply: RenderedReply, quirks: ChatQuirks) {
  return {
    ...envelope(reply, "chat.completion"),
    choices: [
      { index: 0, message: wireMessage(reply, quirks), logprobs: null, finish_reason: finishReason(reply, quirks) },
    ],
    ...(quirks.usage !== "never" && { usage: wireUsage(reply.usage, reply.search) }),
  };
}
