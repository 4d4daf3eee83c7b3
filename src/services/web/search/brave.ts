import { fieldOf, htmlResults, withOperators } from "./answer-fields.ts";
import { type SearchService, WANTED_RESULTS } from "./search-service.ts";

/** Source: Brave's documentation of the Web Search API, and of the search operators. */
export const brave: SearchService = {
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
