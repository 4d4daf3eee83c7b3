import type { Endpoint } from "../endpoint.ts";

/** How an API of the AI SDK's vendors is asked to search the web. */
export type SearchForm = "openai" | "google" | "openrouter" | "xai";

/** Undefined if the endpoint has no web search, or one of an unknown form. */
export function searchForm({
  name,
  type,
  searchesWeb,
}: Pick<Endpoint, "name" | "type" | "searchesWeb">): SearchForm | undefined {
  if (!searchesWeb) return undefined;
  if (type === "openai" || type === "google") return type;
  return type === "openai-compatible" && (name === "openrouter" || name === "xai") ? name : undefined;
}

/** True if requests to the endpoint may have a web search. */
export function canSearch(endpoint: Pick<Endpoint, "name" | "type" | "searchesWeb">): boolean {
  const isClaude = endpoint.type === "anthropic" || endpoint.type === "vertex";
  return isClaude ? endpoint.searchesWeb : searchForm(endpoint) !== undefined;
}
