import type { TwinOptions } from "@quoll/model-twin/server";
import type { ModelCatalog } from "../../src/contracts/ports.ts";
import type { Provider } from "../../src/contracts/provider.ts";
import type { ProviderSettings } from "../../src/contracts/provider-settings.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { createProvider, type ProviderParts } from "../../src/services/provider/create-provider.ts";
import { readEndpoint } from "../../src/services/provider/endpoint.ts";

/** Features that a scenario may need and that some wires lack. */
export type Trait =
  | "thinking"
  | "hidden thinking"
  | "pauses"
  | "parallel calls"
  | "a full window"
  | "a stop reason for calls"
  | "a last event of its own";

export type Adapter = {
  readonly name: string;
  /** The name of our provider. */
  readonly provider: string;
  readonly model: string;
  /** The path after the twin's address. */
  readonly path: string;
  readonly entry?: Partial<ProviderSettings>;
  readonly environment: Readonly<Record<string, string>>;
  readonly twin?: Omit<TwinOptions, "scenario">;
  /** The features that this wire lacks, with the reasons. */
  readonly lacks: Readonly<Partial<Record<Trait, string>>>;
  /** Requests that the server refuses before the adapter has learnt what it lacks. */
  readonly refusedFirst?: number;
};

const NO_PAUSES = "has no stop reason for a pause";
const NO_HIDDEN = "has no hidden thinking";
const NO_LAST = "the finish reason says that the answer is complete; only [DONE] would be missing";
const NO_CALL_REASON = "has no stop reason for calls";
const NO_REASONING = "Chat Completions sends no reasoning";
const NO_WINDOW = "a full window looks like a full answer";
const CHAT = {
  "a full window": NO_WINDOW,
  pauses: NO_PAUSES,
  "hidden thinking": NO_HIDDEN,
  "a last event of its own": NO_LAST,
} as const;
const KEY = "conformance-key";

export const ADAPTERS: readonly Adapter[] = [
  {
    name: "anthropic",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    path: "",
    environment: { ANTHROPIC_API_KEY: KEY },
    lacks: {},
  },
  {
    name: "bedrock",
    provider: "bedrock",
    model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    path: "",
    environment: { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: KEY },
    lacks: {},
  },
  {
    name: "vertex",
    provider: "vertex",
    model: "claude-sonnet-5-5",
    path: "/v1",
    entry: { apiKeyEnv: "VERTEX_TOKEN" },
    environment: { ANTHROPIC_VERTEX_PROJECT_ID: "project-1", CLOUD_ML_REGION: "us-east5", VERTEX_TOKEN: KEY },
    lacks: {},
  },
  {
    name: "openai-responses",
    provider: "openai",
    model: "gpt-5",
    path: "/v1",
    entry: { api: "responses" },
    environment: { OPENAI_API_KEY: KEY },
    lacks: {
      pauses: NO_PAUSES,
      "hidden thinking": NO_HIDDEN,
      "a full window": NO_WINDOW,
      "a stop reason for calls": NO_CALL_REASON,
    },
  },
  {
    name: "openai-chat",
    provider: "openai",
    model: "gpt-5",
    path: "/v1",
    entry: { api: "chat" },
    environment: { OPENAI_API_KEY: KEY },
    twin: { openai: { chat: { reasoningField: "none", returnedReasoning: "refused" } } },
    lacks: { ...CHAT, thinking: NO_REASONING },
  },
  {
    name: "google",
    provider: "google",
    model: "gemini-3-pro-preview",
    path: "/v1beta",
    environment: { GEMINI_API_KEY: KEY },
    lacks: {
      pauses: NO_PAUSES,
      "hidden thinking": NO_HIDDEN,
      "a full window": NO_WINDOW,
      "a stop reason for calls": NO_CALL_REASON,
    },
  },
  {
    name: "deepseek-like",
    provider: "deepseek",
    model: "deepseek-v4-pro",
    path: "/v1",
    environment: { DEEPSEEK_API_KEY: KEY },
    twin: {
      openai: {
        refuseUnknownFields: false,
        chat: { reasoningField: "reasoning_content", returnedReasoning: "required", usage: "with_finish" },
      },
    },
    lacks: CHAT,
  },
  {
    name: "ollama-like",
    provider: "ollama",
    model: "qwen3-coder",
    path: "/v1",
    environment: {},
    twin: {
      openai: {
        requireKey: false,
        refuseUnknownFields: false,
        chat: {
          reasoningField: "reasoning",
          parallelCalls: false,
          callIds: "missing",
          streamOptions: false,
          usage: "never",
          argumentPieces: false,
          finishReasonOfCalls: "stop",
        },
      },
    },
    entry: { quirks: { parallelCalls: false } },
    lacks: {
      ...CHAT,
      "parallel calls": "answers with one call at a time",
      "a stop reason for calls": NO_CALL_REASON,
    },
    refusedFirst: 1,
  },
  {
    name: "no-system-role",
    provider: "house-server",
    model: "house-model",
    path: "/v1",
    entry: { type: "openai-compatible" },
    environment: {},
    twin: { openai: { requireKey: false, chat: { roles: "no_system", jsonArguments: true, callIndex: false } } },
    lacks: CHAT,
    refusedFirst: 1,
  },
];

/** One size for every model, so that the engine's own decisions are the same. */
export function equalCatalog(): Required<ModelCatalog> {
  const catalog = modelCatalog();
  return {
    resolve: (name) => catalog.resolve(name),
    cost: (model, usage) => catalog.cost(model, usage),
    list: () => catalog.list(),
    load: (model, provider) => catalog.load(model, provider),
    learn: (model, limits) => catalog.learn(model, limits),
    ready: (model) => catalog.ready(model),
    capabilities: (model) => ({
      ...catalog.capabilities(model),
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      images: true,
      documents: true,
      known: true,
    }),
  };
}

/** The real provider, as settings and environment make it, against a server at `url`. */
export async function providerOf(
  adapter: Adapter,
  url: string,
  parts: Omit<ProviderParts, "random">,
): Promise<Provider> {
  const entry = { ...adapter.entry, baseUrl: `${url}${adapter.path}` } as ProviderSettings;
  const { provider: name, environment } = adapter;
  const endpoint = await readEndpoint({ name, entry, environment, credentials: undefined });
  const choice = { endpoint, model: adapter.model } as unknown as Parameters<typeof createProvider>[0];
  return createProvider(choice, { ...parts, random: () => 0.5 });
}

/** One adapter of each wire: those of `npm test` where a test tries every adapter by itself. */
const OF_EACH_WIRE = new Set(["anthropic", "openai-responses", "openai-chat", "google"]);

/** True if `npm test` tries this adapter where the deep run tries them all. */
export function isQuickAdapter({ name }: Adapter): boolean {
  return OF_EACH_WIRE.has(name);
}
