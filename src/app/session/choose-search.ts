import type { Provider } from "../../contracts/provider.ts";
import {
  isSearchService,
  SEARCH_KEY_VARIABLES,
  SEARCH_SERVICES,
  type SearchServiceName,
} from "../../contracts/search-services.ts";
import type { Settings } from "../../contracts/settings.ts";
import type { Environment } from "../../platform/env.ts";

/** Who answers WebSearch: the provider of the model, or a service. */
export type SearchChoice = "provider" | SearchServiceName;

type Choosing = {
  readonly settings: Pick<Settings, "webSearch">;
  readonly provider: Pick<Provider, "searchesWeb">;
  readonly env: Environment;
  readonly credentials: { list(): Promise<readonly string[]> };
};

/** The choice of the setting, else the provider's own search, else the first service with a key. Undefined for none. */
export async function chooseSearch({
  settings,
  provider,
  env,
  credentials,
}: Choosing): Promise<SearchChoice | undefined> {
  const { service, baseUrl } = settings.webSearch ?? {};
  if (service !== undefined && service !== "provider") return service;
  if (provider.searchesWeb) return "provider";
  if (service === "provider") return undefined;
  if (baseUrl !== undefined) return "searxng";
  const hasVariable = (name: SearchServiceName) => SEARCH_KEY_VARIABLES[name].some((key) => env[key]?.trim());
  const byVariable = SEARCH_SERVICES.find(hasVariable);
  if (byVariable !== undefined) return byVariable;
  // An unusable file is reported where a key is needed.
  const saved: readonly string[] = await credentials.list().catch(() => []);
  return saved.find(isSearchService);
}
