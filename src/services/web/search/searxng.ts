import { fieldOf, htmlResults, withOperators } from "./answer-fields.ts";
import type { SearchService } from "./search-service.ts";

/** Source: SearXNG's documentation, "Search API". */
export const searxng: SearchService = {
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
