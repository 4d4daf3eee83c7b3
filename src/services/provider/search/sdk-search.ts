import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ProviderSearch } from "../../../contracts/provider.ts";
import { openAiWire } from "../ai-sdk/openai-wire.ts";
import type { Wire } from "../ai-sdk/wire.ts";
import { geminiReader } from "./gemini-search.ts";
import { openRouterReader } from "./openrouter-search.ts";
import { responsesReader } from "./responses-search.ts";
import type { SearchForm } from "./search-form.ts";
import type { SearchReader } from "./search-reader.ts";

type Fetch = typeof globalThis.fetch;
type Options = Omit<LanguageModelV4CallOptions, "abortSignal">;
type Body = Readonly<Record<string, unknown>>;

/** A request with a search, in the form of one API. */
export type SdkSearch = {
  readonly wire: Wire;
  /** The call with the vendor's search. */
  extend(options: Options): Options;
  /** The body with what the vendor's package can't say. */
  readonly body?: (body: Body) => Body;
  readonly reader: SearchReader;
};

type Asked = { readonly search: ProviderSearch; readonly wire: Wire; readonly model: string };

/** Source: xAI's documentation, "Web Search": at most five domains. */
const MAX_XAI_DOMAINS = 5;
/** Of OpenRouter, whose engines search in different ways. */
const MAX_ROUTER_RESULTS = 10;

/** How each API is asked to search. */
export const SDK_SEARCHES: Readonly<Record<SearchForm, (asked: Asked) => SdkSearch>> = {
  openai: ({ search, wire }) => ({
    wire: openAiWire("responses", wire.quirks, null),
    extend: (options) => ({
      ...withTool(options, "openai.web_search", "web_search", { filters: filtersOf(search) }),
      toolChoice: { type: "tool", toolName: "web_search" },
      providerOptions: {
        ...options.providerOptions,
        openai: { ...options.providerOptions?.["openai"], maxToolCalls: 1 },
      },
    }),
    reader: responsesReader(),
  }),
  xai: ({ search, wire }) => ({
    wire: openAiWire("responses", wire.quirks, null),
    extend: (options) => withTool(options, "openai.web_search", "web_search", {}),
    body: ({ include: _, ...body }) => ({ ...body, tools: [{ type: "web_search", ...xaiFilters(search) }] }),
    reader: responsesReader(),
  }),
  google: ({ wire, model }) => ({
    wire,
    extend: (options) => withTool(options, "google.google_search", "google_search", {}),
    reader: geminiReader(model),
  }),
  openrouter: ({ search, wire }) => ({
    wire,
    extend: (options) => options,
    body: (body) => ({ ...body, tools: [{ type: "openrouter:web_search", parameters: routerParameters(search) }] }),
    reader: openRouterReader(),
  }),
};

function withTool(options: Options, id: `${string}.${string}`, name: string, args: Record<string, unknown>): Options {
  return { ...options, tools: [{ type: "provider", id, name, args }] };
}

function filtersOf({ allowedDomains, blockedDomains }: ProviderSearch) {
  if (!allowedDomains && !blockedDomains) return undefined;
  return { ...(allowedDomains && { allowedDomains }), ...(blockedDomains && { blockedDomains }) };
}

/** A longer list is left out: the results are filtered in any case. */
function xaiFilters({ allowedDomains, blockedDomains }: ProviderSearch) {
  const fits = (list: readonly string[] | undefined) => (list && list.length <= MAX_XAI_DOMAINS ? list : undefined);
  const [allowed, excluded] = [fits(allowedDomains), fits(blockedDomains)];
  if (!allowed && !excluded) return {};
  return { filters: { ...(allowed && { allowed_domains: allowed }), ...(excluded && { excluded_domains: excluded }) } };
}

function routerParameters({ allowedDomains, blockedDomains }: ProviderSearch) {
  return {
    max_results: MAX_ROUTER_RESULTS,
    max_total_results: MAX_ROUTER_RESULTS,
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { excluded_domains: blockedDomains }),
  };
}

/** A `fetch` that changes the JSON of a request. */
export function changingBody(fetch: Fetch, change: (body: Body) => Body): Fetch {
  const changing = (...[input, init]: Parameters<Fetch>) => {
    const body = typeof init?.body === "string" ? JSON.stringify(change(JSON.parse(init.body) as Body)) : init?.body;
    return fetch(input, { ...init, ...(body !== undefined && { body }) });
  };
  return Object.assign(changing, { preconnect: fetch.preconnect });
}
