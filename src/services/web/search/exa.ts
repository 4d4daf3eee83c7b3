import { fieldOf, resultOf, resultsOf } from "./answer-fields.ts";
import { type SearchService, WANTED_RESULTS } from "./search-service.ts";

/** Source: Exa's API reference, "Search". */
export const exa: SearchService = {
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
