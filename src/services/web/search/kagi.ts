import { fieldOf, htmlResults, withOperators } from "./answer-fields.ts";
import { type SearchService, WANTED_RESULTS } from "./search-service.ts";

/** Source: Kagi's help, "Search API" (version 1). */
export const kagi: SearchService = {
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
