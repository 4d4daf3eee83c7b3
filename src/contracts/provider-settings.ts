import { z } from "zod";
import { EFFORTS, THINKING_STYLES } from "./provider.ts";

/** How an endpoint differs from its API. */
export const endpointQuirksSchema = z.object({
  systemRole: z.boolean().optional().describe("`false`: put the system prompt before the first user message"),
  parallelCalls: z.boolean().optional().describe("`false`: at most one tool call per answer"),
  usageInStream: z.boolean().optional().describe("`false`: the server rejects `stream_options`"),
  maxTokensField: z
    .enum(["max_tokens", "max_completion_tokens", "none"])
    .optional()
    .describe("The field for the output limit"),
  callIdChars: z.number().int().min(4).optional().describe("Longest id of a tool call"),
  exactCallIds: z
    .boolean()
    .optional()
    .describe("`true`: ids of tool calls have exactly `callIdChars` letters and digits"),
  effort: z
    .enum(["reasoning_effort", "reasoning.effort", "none"])
    .optional()
    .describe("The field for the effort of thinking"),
  thinkingTokens: z
    .enum(["reasoning.max_tokens", "thinking_budget", "none"])
    .optional()
    .describe("The field for the number of thinking tokens (default `none`: send the nearest effort)"),
  thinkingOff: z.record(z.string(), z.unknown()).optional().describe("Request fields that turn thinking off"),
  reasoningBack: z
    .enum(["never", "tool-loop", "always", "required"])
    .optional()
    .describe(
      "When to send the model's reasoning text back: never, while it calls tools, or always; `required`: always, with an empty text for calls without one",
    ),
  reasoningDetails: z
    .boolean()
    .optional()
    .describe("`true`: the server sends `reasoning_details` and expects them back"),
  thinkTags: z
    .boolean()
    .optional()
    .describe("Counts text from a leading <think> to </think> as thinking (default true)"),
  userAfterTool: z.boolean().optional().describe("`false`: a user message may not follow tool results"),
  structuredOutput: z.enum(["schema", "json", "none"]).optional().describe("How to request structured output"),
  imagesInResults: z.boolean().optional().describe("`true`: tool results may contain images"),
  namesModel: z.boolean().optional().describe("`true`: the answer names the model that answered, as with a router"),
});

export const PROVIDER_TYPES = ["anthropic", "openai", "google", "openai-compatible", "bedrock", "vertex"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Shorter silences are normal; after a longer silence the connection is dead. */
const MIN_STREAM_IDLE_S = 5;
const MAX_STREAM_IDLE_S = 3_600;
/** One entry of `providers`: the user's own endpoint, or changes to a known provider. */
export const providerSettingsSchema = z.object({
  type: z
    .enum(PROVIDER_TYPES)
    .optional()
    .describe("The API of the endpoint (default: openai-compatible, or the known provider's API)"),
  baseUrl: z.string().min(1).optional().describe("Base address of requests, such as http://127.0.0.1:8000/v1"),
  api: z
    .enum(["responses", "chat"])
    .optional()
    .describe("For openai: the Responses or the Chat Completions API (default responses)"),
  apiKeyEnv: z.string().min(1).optional().describe("The environment variable that holds the key"),
  apiKeyHelper: z.string().min(1).optional().describe("A command that prints the key"),
  headers: z.record(z.string(), z.string()).optional().describe(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the syntax of the setting.
    "Headers of every request; `${NAME}` in a value is an environment variable, `${NAME:-text}` with a default",
  ),
  cacheTtl: z
    .enum(["5m", "1h"])
    .optional()
    .describe(
      "For anthropic: how long the provider keeps a cached prefix (default 5m; writing a 1h cache costs twice the input price)",
    ),
  streamIdleSeconds: z
    .number()
    .int()
    .min(MIN_STREAM_IDLE_S)
    .max(MAX_STREAM_IDLE_S)
    .optional()
    .describe(
      "Seconds of silence in an answer before Quoll repeats the request (default 90); three times as many without content while keep-alives arrive (default 600)",
    ),
  webSearch: z
    .boolean()
    .optional()
    .describe(
      "Whether the endpoint has the web search of its API (default: only the hosts of the vendors, see [web search](../web.md#web-search))",
    ),
  models: z
    .array(z.string())
    .optional()
    .describe("Model ids of the endpoint, for lists and for names without a provider"),
  quirks: endpointQuirksSchema.optional().describe("How the endpoint differs from its API"),
});

const modelTokens = z.number().int().min(1).optional().describe("Tokens");
const dollarsPerMillion = z.number().min(0);
/** One entry of `models`: overrides for the built-in tables. */
export const modelSettingsSchema = z.object({
  contextWindow: modelTokens,
  maxOutputTokens: modelTokens,
  images: z.boolean().optional(),
  documents: z.boolean().optional().describe("`true`: the model accepts PDFs"),
  thinking: z.boolean().optional(),
  tools: z.boolean().optional(),
  parallelCalls: z.boolean().optional(),
  efforts: z.array(z.enum(EFFORTS)).optional().describe("Efforts that the model supports"),
  thinkingStyle: z
    .enum(THINKING_STYLES)
    .optional()
    .describe("`budget`: thinking is set by a number of tokens; `adaptive`: by an effort"),
  price: z
    .object({
      input: dollarsPerMillion,
      output: dollarsPerMillion,
      cacheRead: dollarsPerMillion.optional(),
      cacheWrite: dollarsPerMillion.optional(),
    })
    .optional()
    .describe("US dollars per million tokens"),
});

export type EndpointQuirks = z.infer<typeof endpointQuirksSchema>;
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;
export type ModelSettings = z.infer<typeof modelSettingsSchema>;
