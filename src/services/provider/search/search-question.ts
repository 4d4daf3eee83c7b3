import type { WebSearchQuery } from "../../../contracts/web.ts";
import system from "./search-request.md" with { type: "text" };

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
