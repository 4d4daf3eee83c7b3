import type { SearchServiceName } from "../../../contracts/search-services.ts";
import { fieldOf, htmlResults, resultOf, resultsOf, withOperators } from "./answer-fields.ts";
import { type SearchService, WANTED_RESULTS } from "./search-service.ts";

/** Source: SearXNG's documentation, "Search API". */
const searxng: SearchService = {
  label: "SearXNG",
  needsKey: false,
  request: (query, key) => ({
    path: `/search?${new URLSearchParams({ q: withOperators(query), format: "json" })}`,
    // Some stand behind a proxy that asks for a token.
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
  }),
  read(answer) {
    const results = htmlResults(fieldOf(answer, "results"), { age: ["publishedDate"], snippet: "content" });
    return results && { results };
  },
  statuses: { 403: "SearXNG refuses answers in JSON: add json to search.formats in its settings.yml." },
};

/** Source: Kagi's help, "Search API" (version 1). */
const kagi: SearchService = {
  label: "Kagi",
  baseUrl: "https://kagi.com",
  needsKey: true,
  request: (query, key) => ({
    path: "/api/v1/search",
    headers: { authorization: `Bearer ${key}` },
    body: { query: withOperators(query), workflow: "search", limit: WANTED_RESULTS },
  }),
  read(answer) {
    const data = fieldOf(answer, "data");
    // A search without results has no such list.
    const list = fieldOf(data, "search") ?? (typeof data === "object" && data !== null ? [] : undefined);
    const results = htmlResults(list, { age: ["time"], snippet: "snippet" });
    return results && { results };
  },
  statuses: { 402: "The credit of the API at Kagi is used up." },
};

/** Source: Exa's API reference, "Search". */
const exa: SearchService = {
  label: "Exa",
  baseUrl: "https://api.exa.ai",
  needsKey: true,
  request({ query, allowedDomains, blockedDomains }, key) {
    return {
      path: "/search",
      headers: { "x-api-key": key },
      body: {
        query,
        type: "auto",
        numResults: WANTED_RESULTS,
        contents: { highlights: true },
        ...(allowedDomains && { includeDomains: allowedDomains }),
        ...(blockedDomains && { excludeDomains: blockedDomains }),
      },
    };
  },
  read(answer) {
    const results = resultsOf(fieldOf(answer, "results"), (item) => {
      const highlights: unknown = fieldOf(item, "highlights");
      return resultOf({
        title: fieldOf(item, "title"),
        url: fieldOf(item, "url"),
        age: fieldOf(item, "publishedDate"),
        snippet: Array.isArray(highlights) ? highlights.filter((text) => typeof text === "string").join(" … ") : "",
      });
    });
    const costUsd: unknown = fieldOf(fieldOf(answer, "costDollars"), "total");
    return results && { results, ...(typeof costUsd === "number" && costUsd >= 0 && { costUsd }) };
  },
  statuses: { 402: "The credit at Exa is used up." },
};

/** Source: Tavily's API reference, "Search". */
const tavily: SearchService = {
  label: "Tavily",
  baseUrl: "https://api.tavily.com",
  needsKey: true,
  request({ query, allowedDomains, blockedDomains }, key) {
    return {
      path: "/search",
      headers: { authorization: `Bearer ${key}` },
      body: {
        query,
        max_results: WANTED_RESULTS,
        search_depth: "basic",
        ...(allowedDomains && { include_domains: allowedDomains }),
        ...(blockedDomains && { exclude_domains: blockedDomains }),
      },
    };
  },
  read(answer) {
    const results = resultsOf(fieldOf(answer, "results"), (item) =>
      resultOf({
        title: fieldOf(item, "title"),
        url: fieldOf(item, "url"),
        age: fieldOf(item, "published_date"),
        snippet: fieldOf(item, "content"),
      }),
    );
    return results && { results };
  },
  statuses: {
    432: "The searches of your plan at Tavily are used up.",
    433: "The limit of your pay-as-you-go plan at Tavily is reached.",
  },
};

/** Source: Brave's documentation of the Web Search API, and of the search operators. */
const brave: SearchService = {
  label: "Brave Search",
  baseUrl: "https://api.search.brave.com",
  needsKey: true,
  request(query, key) {
    const fields = new URLSearchParams({
      q: withOperators(query),
      count: String(WANTED_RESULTS),
      text_decorations: "false",
      result_filter: "web",
    });
    return { path: `/res/v1/web/search?${fields}`, headers: { "x-subscription-token": key } };
  },
  read(answer) {
    const web = fieldOf(answer, "web");
    // Without results there is no list.
    if (web === undefined && fieldOf(answer, "type") === "search") return { results: [] };
    const results = htmlResults(fieldOf(web, "results"), { age: ["age", "page_age"], snippet: "description" });
    return results && { results };
  },
  statuses: { 422: "Brave Search refuses the key or the query." },
};

/** The services that can answer WebSearch instead of the provider. */
export const SERVICES: Readonly<Record<SearchServiceName, SearchService>> = { brave, tavily, exa, kagi, searxng };
