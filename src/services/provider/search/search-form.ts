import type { WebSearchQuery } from "../../../contracts/web.ts";
import type { Endpoint } from "../endpoint.ts";
import system from "./search-request.md" with { type: "text" };

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

/** The longest answer to a search, in tokens. */
export const MAX_SEARCH_ANSWER_TOKENS = 2_000;
/** What the results of a search add to the input, as an estimate for caps. */
export const SEARCH_INPUT_TOKENS = 20_000;
/** Gemini and Grok decide how often they search in a request; the price of this many is reserved. */
export const RESERVED_SEARCHES = 3;

/** The question to a model that searches with its provider's own search. */
export function searchQuestion({ query, allowedDomains, blockedDomains }: WebSearchQuery) {
  const lines = [
    `The query: ${query}`,
    allowedDomains ? `Use only results of these sites (site:): ${allowedDomains.join(", ")}` : "",
    blockedDomains ? `Use no results of these sites (-site:): ${blockedDomains.join(", ")}` : "",
  ];
  return { system: system.trim(), text: lines.filter((line) => line !== "").join("\n") };
}
