import type { GeminiOptions } from "./options.ts";

/** The listed models when every name is accepted. */
const ANY_MODEL = "model-twin";
const DEFAULT_PAGE_SIZE = 50;
const DEFAULT_WINDOW_TOKENS = 1_048_576;
const OUTPUT_LIMIT_TOKENS = 65_536;

/** A model as the API describes it. */
export const modelCard = (name: string, { contextWindowTokens }: GeminiOptions) => ({
  name: `models/${name}`,
  version: "001",
  displayName: name,
  description: `${name}, played by model-twin`,
  inputTokenLimit: contextWindowTokens ?? DEFAULT_WINDOW_TOKENS,
  outputTokenLimit: OUTPUT_LIMIT_TOKENS,
  supportedGenerationMethods: ["generateContent", "countTokens"],
  temperature: 1,
  topP: 0.95,
  topK: 64,
  maxTemperature: 2,
  thinking: true,
});

/** A page of the list of models: `pageSize` of them, from `pageToken` on. */
export function modelsPage(query: URLSearchParams, options: GeminiOptions) {
  const names = options.models ?? [ANY_MODEL];
  const size = Math.max(1, Math.floor(Number(query.get("pageSize") ?? DEFAULT_PAGE_SIZE)) || DEFAULT_PAGE_SIZE);
  const start = Math.max(0, Math.floor(Number(query.get("pageToken") ?? 0)) || 0);
  const end = start + size;
  return {
    models: names.slice(start, end).map((name) => modelCard(name, options)),
    ...(end < names.length && { nextPageToken: String(end) }),
  };
}
