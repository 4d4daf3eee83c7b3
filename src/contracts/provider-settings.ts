import { EFFORTS, THINKING_STYLES } from "./provider.ts";
import type { Setting, ValueOf } from "./setting.ts";

export const PROVIDER_TYPES = ["anthropic", "openai", "google", "openai-compatible", "bedrock", "vertex"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

const FLAG = { type: "boolean" } as const;
const NAME = { type: "text", min: 1 } as const;
const TOKENS = { type: "integer", min: 1, about: "Tokens" } as const;
const PER_MILLION = { type: "number", min: 0 } as const;

/** How an endpoint differs from its API. */
// biome-ignore format: a table with one key a line
const QUIRKS = {
  type: "object",
  keys: {
    systemRole: { ...FLAG, about: "`false`: put the system prompt before the first user message" },
    parallelCalls: { ...FLAG, about: "`false`: at most one tool call per answer" },
    usageInStream: { ...FLAG, about: "`false`: the server rejects `stream_options`" },
    maxTokensField: { type: "choice", values: ["max_tokens", "max_completion_tokens", "none"], about: "The field for the output limit" },
    callIdChars: { type: "integer", min: 4, about: "Longest id of a tool call" },
    exactCallIds: { ...FLAG, about: "`true`: ids of tool calls have exactly `callIdChars` letters and digits" },
    effort: { type: "choice", values: ["reasoning_effort", "reasoning.effort", "none"], about: "The field for the effort of thinking" },
    thinkingTokens: { type: "choice", values: ["reasoning.max_tokens", "thinking_budget", "none"], about: "The field for the number of thinking tokens (default `none`: send the nearest effort)" },
    thinkingOff: { type: "map", of: { type: "anything" }, about: "Request fields that turn thinking off" },
    reasoningBack: { type: "choice", values: ["never", "tool-loop", "always", "required"], about: "When to send the model's reasoning text back: never, while it calls tools, or always; `required`: always, with an empty text for calls without one" },
    reasoningDetails: { ...FLAG, about: "`true`: the server sends `reasoning_details` and expects them back" },
    thinkTags: { ...FLAG, about: "Counts text from a leading <think> to </think> as thinking (default true)" },
    userAfterTool: { ...FLAG, about: "`false`: a user message may not follow tool results" },
    structuredOutput: { type: "choice", values: ["schema", "json", "none"], about: "How to request structured output" },
    imagesInResults: { ...FLAG, about: "`true`: tool results may contain images" },
    namesModel: { ...FLAG, about: "`true`: the answer names the model that answered, as with a router" },
  },
} as const satisfies Setting;

/** One entry of `providers`: the user's own endpoint, or changes to a known provider. */
// biome-ignore format: a table with one key a line
export const PROVIDER = {
  type: "object",
  keys: {
    type: { type: "choice", values: PROVIDER_TYPES, about: "The API of the endpoint (default: openai-compatible, or the known provider's API)" },
    baseUrl: { ...NAME, about: "Base address of requests, such as http://127.0.0.1:8000/v1" },
    api: { type: "choice", values: ["responses", "chat"], about: "For openai: the Responses or the Chat Completions API (default responses)" },
    apiKeyEnv: { ...NAME, about: "The environment variable that holds the key" },
    apiKeyHelper: { ...NAME, about: "A command that prints the key" },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the syntax of the setting.
    headers: { type: "map", of: { type: "text" }, about: "Headers of every request; `${NAME}` in a value is an environment variable, `${NAME:-text}` with a default" },
    cacheTtl: { type: "choice", values: ["5m", "1h"], about: "For anthropic: how long the provider keeps a cached prefix (default 5m; writing a 1h cache costs twice the input price)" },
    // Shorter silences are normal; after a longer silence the connection is dead.
    streamIdleSeconds: { type: "integer", min: 5, max: 3_600, about: "Seconds of silence in an answer before Quoll repeats the request (default 90); three times as many without content while keep-alives arrive (default 600)" },
    webSearch: { ...FLAG, about: "Whether the endpoint has the web search of its API (default: only the hosts of the vendors, see [web search](../web.md#web-search))" },
    models: { type: "list", of: { type: "text" }, about: "Model ids of the endpoint, for lists and for names without a provider" },
    quirks: { ...QUIRKS, about: "How the endpoint differs from its API" },
  },
} as const satisfies Setting;

/** One entry of `models`: overrides for the built-in tables. */
// biome-ignore format: a table with one key a line
export const MODEL = {
  type: "object",
  keys: {
    contextWindow: TOKENS,
    maxOutputTokens: TOKENS,
    images: FLAG,
    documents: { ...FLAG, about: "`true`: the model accepts PDFs" },
    thinking: FLAG,
    tools: FLAG,
    parallelCalls: FLAG,
    efforts: { type: "list", of: { type: "choice", values: EFFORTS }, about: "Efforts that the model supports" },
    thinkingStyle: { type: "choice", values: THINKING_STYLES, about: "`budget`: thinking is set by a number of tokens; `adaptive`: by an effort" },
    price: { type: "object", about: "US dollars per million tokens", keys: {
      input: { ...PER_MILLION, required: true },
      output: { ...PER_MILLION, required: true },
      cacheRead: PER_MILLION,
      cacheWrite: PER_MILLION,
    } },
  },
} as const satisfies Setting;

export type EndpointQuirks = ValueOf<typeof QUIRKS>;
export type ProviderSettings = ValueOf<typeof PROVIDER>;
export type ModelSettings = ValueOf<typeof MODEL>;
