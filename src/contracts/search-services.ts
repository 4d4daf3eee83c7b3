export const SEARCH_SERVICES = ["brave", "tavily", "exa", "kagi", "searxng"] as const;
/** A search service that the person has an account at, or runs. */
export type SearchServiceName = (typeof SEARCH_SERVICES)[number];

/** The variables for a service's key; the first that is set is used. */
export const SEARCH_KEY_VARIABLES: Readonly<Record<SearchServiceName, readonly string[]>> = {
  brave: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
  tavily: ["TAVILY_API_KEY"],
  exa: ["EXA_API_KEY"],
  kagi: ["KAGI_API_KEY"],
  searxng: [],
};

/** The ledger counts the searches of a service like a model of this name: `search/brave`. */
export const SEARCH_MODEL_PREFIX = "search/";

export function isSearchService(name: string): name is SearchServiceName {
  return (SEARCH_SERVICES as readonly string[]).includes(name);
}
