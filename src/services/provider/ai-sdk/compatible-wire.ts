import type { Effort, ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import { field } from "../request/error-body.ts";
import { isThinkingOff, knownEfforts, thinkingTokens, wantedEffort } from "../thinking-effort.ts";
import { CHAT_FORM } from "./chat-form.ts";
import { EventRepair } from "./event-repair.ts";
import { detailsExtractor } from "./reasoning-details.ts";
import { type Quirks, type Wire, withQuirks } from "./wire.ts";

/** The SDK's metadata keeps signatures under this name; it would spread any other name over the messages. */
const OPTIONS_NAME = "endpoint";
/** Compatible servers support three efforts, whatever the model. */
const EFFORT_SENT: Readonly<Record<Effort, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** Fields that a refusal may name as unknown, and the change that avoids each field. */
const RETREATS: readonly {
  readonly when: RegExp;
  readonly applies: (quirks: Quirks) => boolean;
  readonly quirks: EndpointQuirks;
}[] = [
  { when: /stream_options/i, applies: (quirks) => quirks.usageInStream, quirks: { usageInStream: false } },
  {
    when: /max_completion_tokens/i,
    applies: (quirks) => quirks.maxTokensField === "max_tokens",
    quirks: { maxTokensField: "max_completion_tokens" },
  },
  {
    when: /response_format|json_schema|structured output/i,
    applies: (quirks) => quirks.structuredOutput !== "none",
    quirks: { structuredOutput: "none" },
  },
  {
    when: /thinking_budget|reasoning\.max_tokens/i,
    applies: (quirks) => quirks.thinkingTokens !== "none",
    quirks: { thinkingTokens: "none" },
  },
  {
    when: /reasoning_effort|\breasoning\b/i,
    applies: (quirks) => quirks.effort !== "none",
    quirks: { effort: "none" },
  },
  {
    when: /parallel[ _]tool|(single|one) (tool[ -])?call\b|multiple tool[ -]calls/i,
    applies: (quirks) => quirks.parallelCalls,
    quirks: { parallelCalls: false },
  },
  {
    when: /system (role|message)s?\b.*\bnot (be )?supported|role.{0,12}system|unsupported role/i,
    applies: (quirks) => quirks.systemRole,
    quirks: { systemRole: false },
  },
];

/** An unknown top-level field, as FastAPI reports it. */
const UNKNOWN_FIELD = /(?:^|\s|;)(\w+): (?:extra (?:inputs|fields)|unrecognized)/i;
/** Fields that every request needs. */
const NEEDED: ReadonlySet<string> = new Set(["model", "messages", "stream", "tools"]);

/**
 * Any server that supports Chat Completions, at least roughly.
 * @param omitted fields that the server rejected.
 */
export function compatibleWire(quirks: EndpointQuirks = {}, omitted: ReadonlySet<string> = new Set()): Wire {
  const all = withQuirks({ thinkTags: true }, quirks);
  return {
    api: "Chat Completions API",
    path: "/chat/completions",
    quirks: all,
    form: CHAT_FORM,
    async load({ baseUrl, apiKey, headers }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return (request, fetch, capabilities) =>
        createOpenAICompatible({
          name: OPTIONS_NAME,
          baseURL: baseUrl,
          headers: { ...headers },
          fetch,
          includeUsage: all.usageInStream,
          ...(all.reasoningDetails && { metadataExtractor: detailsExtractor(OPTIONS_NAME) }),
          supportsStructuredOutputs: all.structuredOutput === "schema",
          supportsMultiPartToolContent: all.imagesInResults,
          transformRequestBody: (body) => without(omitted, withFields(body, request, { quirks: all, capabilities })),
          ...(apiKey !== undefined && { apiKey }),
        })(request.model);
    },
    repair() {
      const repair = new EventRepair();
      return (events) => repair.push(events);
    },
    options: () => ({ [OPTIONS_NAME]: { strictJsonSchema: false } }),
    simpler(words) {
      const retreat = RETREATS.find(({ when, applies }) => when.test(words) && applies(all));
      if (retreat) return compatibleWire({ ...quirks, ...retreat.quirks }, omitted);
      const unknown = UNKNOWN_FIELD.exec(words)?.[1];
      if (unknown === undefined || NEEDED.has(unknown) || omitted.has(unknown)) return undefined;
      return compatibleWire(quirks, new Set([...omitted, unknown]));
    },
  };
}

function without(omitted: ReadonlySet<string>, body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !omitted.has(name)));
}

/** The body in the form that this server expects. */
function withFields(
  body: Readonly<Record<string, unknown>>,
  request: ProviderRequest,
  { quirks, capabilities }: { readonly quirks: Quirks; readonly capabilities: ModelCapabilities },
): Record<string, unknown> {
  const { max_tokens: maxTokens, reasoning_effort: _, ...rest } = body;
  return {
    ...rest,
    ...(quirks.reasoningBack === "required" && { messages: withReasoning(rest["messages"]) }),
    ...(quirks.maxTokensField !== "none" && { [quirks.maxTokensField]: maxTokens }),
    ...(isThinkingOff(request) ? quirks.thinkingOff : thinkingFields(request, quirks, capabilities)),
  };
}

/** A message with calls must contain reasoning; an empty text if there was none, or if another model wrote it. */
function withReasoning(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message: object) =>
    field(message, "tool_calls") === undefined ? message : { reasoning_content: "", ...message },
  );
}

function thinkingFields(
  request: ProviderRequest,
  quirks: Quirks,
  capabilities: ModelCapabilities,
): Record<string, unknown> {
  const tokens = thinkingTokens(request);
  if (tokens !== undefined && quirks.thinkingTokens === "reasoning.max_tokens")
    return { reasoning: { max_tokens: tokens } };
  if (tokens !== undefined && quirks.thinkingTokens === "thinking_budget") return { thinking_budget: tokens };
  // A router knows the parameters of its models better than our tables.
  const efforts = quirks.effort === "reasoning.effort" ? undefined : knownEfforts(capabilities);
  const effort = wantedEffort(request, efforts);
  if (effort === undefined || quirks.effort === "none") return {};
  const sent = capabilities.efforts.includes(effort) ? effort : EFFORT_SENT[effort];
  return quirks.effort === "reasoning.effort" ? { reasoning: { effort: sent } } : { reasoning_effort: sent };
}
