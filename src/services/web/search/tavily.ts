import { fieldOf, resultOf, resultsOf } from "./answer-fields.ts";
import { type SearchService, WANTED_RESULTS } from "./search-service.ts";

/** Source: Tavily's API reference, "Search". */
export const tavily: SearchService = {
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
