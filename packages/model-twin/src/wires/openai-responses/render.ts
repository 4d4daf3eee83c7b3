import type { ReplySearch, ReplyUsage } from "../../scenario.ts";
import type { ErrorBody } from "../openai/api-error.ts";
import type { ResponsesOptions } from "../openai/options.ts";
import { allInputTokens, CREATED_S, cacheDetails, type RenderedBlock, type RenderedReply } from "../openai/render.ts";
import { asksForEncrypted, asksForSearch, isStored, type ResponsesRequest } from "./request.ts";
import { type Annotation, citedText, type SearchCall, searchCall, searchUsage } from "./search-items.ts";
import { PARAGRAPH_BREAK, sealReasoning } from "./sent-items.ts";

type ItemStatus = "completed" | "incomplete";
type ContentPart =
  | {
      readonly type: "output_text";
      readonly text: string;
      readonly annotations: readonly Annotation[];
      readonly logprobs: readonly [];
    }
  | { readonly type: "refusal"; readonly refusal: string };
type SummaryPart = { readonly type: "summary_text"; readonly text: string };

/** An item as it is sent. */
export type OutputItem =
  | SearchCall
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly SummaryPart[];
      readonly encrypted_content?: string;
    }
  | {
      readonly type: "message";
      readonly id: string;
      readonly role: "assistant";
      readonly status: ItemStatus;
      readonly content: readonly [ContentPart];
    }
  | {
      readonly type: "function_call";
      readonly id: string;
      readonly status: ItemStatus;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    };

export type RenderedResponse = {
  readonly reply: RenderedReply;
  readonly search: ReplySearch | undefined;
  readonly form: "openai" | "xai";
  readonly request: ResponsesRequest;
  readonly items: readonly OutputItem[];
  readonly status: ItemStatus;
  /** The reason why the response is incomplete. */
  readonly reason: string | null;
};

/**
 * The reason why a response is incomplete. OpenAI has no pause in the middle of a turn, so `pause_turn` is reported as a complete
 * answer. A full context window is reported as `max_output_tokens`.
 */
function incompleteReason({ stopReason, blocks }: RenderedReply, { refusals }: ResponsesOptions): string | null {
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") return "max_output_tokens";
  const isSaid = blocks.some(({ type }) => type === "text") && refusals !== "content_filter";
  return stopReason === "refusal" && !isSaid ? "content_filter" : null;
}

type ItemContext = {
  readonly id: (kind: string) => string;
  readonly isRefusal: boolean;
  readonly status: ItemStatus;
  readonly isEncrypted: boolean;
  readonly hasSummary: boolean;
  readonly summaryParts: ResponsesOptions["summaryParts"];
};

function summaryOf(thinking: string, { hasSummary, summaryParts }: ItemContext): readonly SummaryPart[] {
  if (!hasSummary || thinking === "") return [];
  const parts = summaryParts === "paragraphs" ? thinking.split(PARAGRAPH_BREAK) : [thinking];
  return parts.map((text) => ({ type: "summary_text", text }));
}

/** Hidden thinking is reasoning without a summary. */
function outputItem(block: RenderedBlock, context: ItemContext): OutputItem {
  const { id, isRefusal, status, isEncrypted } = context;
  switch (block.type) {
    case "thinking": {
      const name = id("rs");
      const sealed = block.signature ?? sealReasoning(name, block.thinking);
      const summary = summaryOf(block.thinking, context);
      return { id: name, type: "reasoning", summary, ...(isEncrypted && { encrypted_content: sealed }) };
    }
    case "redacted_thinking":
      return { id: id("rs"), type: "reasoning", summary: [], ...(isEncrypted && { encrypted_content: block.data }) };
    case "text": {
      const part: ContentPart = isRefusal
        ? { type: "refusal", refusal: block.text }
        : { type: "output_text", text: block.text, annotations: [], logprobs: [] };
      return { id: id("msg"), type: "message", role: "assistant", status, content: [part] };
    }
    case "call":
      return {
        id: id("fc"),
        type: "function_call",
        status,
        call_id: block.id,
        name: block.name,
        arguments: block.arguments,
      };
  }
}

/** Turns a reply's blocks into items, one for each block. In a cut answer, the last item is incomplete. */
export function renderResponse(
  reply: RenderedReply,
  request: ResponsesRequest,
  options: ResponsesOptions,
): RenderedResponse {
  const reason = incompleteReason(reply, options);
  const { search: form = "openai" } = options;
  const search = asksForSearch(request) ? reply.search : undefined;
  const blocks = reply.blocks.map((block, index) =>
    outputItem(block, {
      id: (kind) => `${kind}_${reply.serial}_${index}`,
      isRefusal: reply.stopReason === "refusal" && reason === null,
      status: reason !== null && index === reply.blocks.length - 1 ? "incomplete" : "completed",
      isEncrypted: asksForEncrypted(request),
      hasSummary: typeof request.reasoning?.summary === "string",
      summaryParts: options.summaryParts,
    }),
  );
  const showsSources = request.include?.includes("web_search_call.action.sources") ?? false;
  const items = search
    ? [
        searchCall(search, `ws_${reply.serial}`, showsSources),
        ...blocks.map((item) => withCitations(item, search, form)),
      ]
    : blocks;
  return { reply, search, form, request, items, reason, status: reason === null ? "completed" : "incomplete" };
}

function withCitations(item: OutputItem, search: ReplySearch, form: "openai" | "xai"): OutputItem {
  if (item.type !== "message") return item;
  const [part] = item.content;
  if (part.type !== "output_text") return item;
  return { ...item, content: [{ ...part, ...citedText(part.text, search, form) }] };
}

/** The usage in the API's form. */
function wireUsage(usage: Required<ReplyUsage>, { search, form }: Pick<RenderedResponse, "search" | "form">) {
  const input = allInputTokens(usage);
  return {
    ...(search && form === "xai" && searchUsage()),
    input_tokens: input,
    input_tokens_details: cacheDetails(usage),
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}

type WireState = {
  readonly status: "in_progress" | "failed" | ItemStatus;
  readonly output: readonly OutputItem[];
  readonly reason?: string | null;
  readonly usage?: Required<ReplyUsage>;
  readonly error?: Pick<ErrorBody, "code" | "message">;
};

/** The response in one of its states; like the API, it repeats fields of the request. */
function wireResponse(response: RenderedResponse, state: WireState) {
  const { reply, request } = response;
  const { status, output, reason, usage, error = null } = state;
  return {
    id: `resp_${reply.serial}`,
    object: "response",
    created_at: CREATED_S,
    status,
    background: false,
    error,
    incomplete_details: reason ? { reason } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: reply.model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: "default",
    store: isStored(request),
    temperature: request.temperature ?? 1,
    text: { format: { type: "text" }, ...request.text },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: "disabled",
    usage: usage ? wireUsage(usage, response) : null,
    metadata: request.metadata ?? {},
    ...(response.search && response.form === "xai" && { citations: response.search.results.map(({ url }) => url) }),
  };
}

export const startedResponse = (response: RenderedResponse) =>
  wireResponse(response, { status: "in_progress", output: [] });

export const endedResponse = (response: RenderedResponse) =>
  wireResponse(response, {
    status: response.status,
    output: response.items,
    reason: response.reason,
    usage: response.reply.usage,
  });

export const failedResponse = (response: RenderedResponse, { code, message }: ErrorBody) =>
  wireResponse(response, { status: "failed", output: [], error: { code: code ?? "server_error", message } });
