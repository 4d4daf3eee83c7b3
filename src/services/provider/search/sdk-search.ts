import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ProviderSearch } from "../../../contracts/provider.ts";
import { openAiWire } from "../ai-sdk/openai-wire.ts";
import type { Wire } from "../ai-sdk/wire.ts";
import { field } from "../request/error-body.ts";
import type { SearchForm } from "./search-form.ts";
import { type Citation, cited, listOf, numberOf, type SearchReader, SourceList, textOf } from "./search-reader.ts";

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

/** Models that bill the request, not each search. Source: Google's price list of the Gemini API. */
const BILLED_BY_REQUEST = /^gemini-[12]\b/;

/** Source: Google's documentation of the Gemini API, "Grounding with Google Search". */
function geminiReader(model: string): SearchReader {
  let text = "";
  let grounding: unknown;
  return {
    read(event) {
      const [candidate] = listOf(field(event, "candidates"));
      for (const part of listOf(field(field(candidate, "content"), "parts")))
        if (field(part, "thought") !== true) text += textOf(field(part, "text"));
      grounding = field(candidate, "groundingMetadata") ?? grounding;
    },
    report() {
      const sources = new SourceList();
      const chunks = listOf(field(grounding, "groundingChunks")).map((chunk) => field(chunk, "web"));
      const urls = chunks.map((web) => textOf(field(web, "uri")));
      for (const [at, web] of chunks.entries())
        sources.add({ url: urls[at] ?? "", title: textOf(field(web, "title")) || textOf(field(web, "domain")) });
      const queries = listOf(field(grounding, "webSearchQueries")).length;
      const isGrounded = queries > 0 || urls.length > 0;
      return {
        results: sources.results,
        text: cited(text, citationsOf(grounding, urls, text), sources).trim(),
        searches: BILLED_BY_REQUEST.test(model) ? Number(isGrounded) : Math.max(queries, Number(isGrounded)),
      };
    },
  };
}

/** Google counts the bytes of the text. */
function citationsOf(grounding: unknown, urls: readonly string[], text: string): readonly Citation[] {
  const bytes = Buffer.from(text);
  const at = (offset: number) => bytes.subarray(0, Math.max(0, offset)).toString().length;
  return listOf(field(grounding, "groundingSupports")).flatMap((support) => {
    const segment = field(support, "segment");
    // The first byte is left out, as in every field of this API that is 0.
    const [start, end] = [Math.max(0, numberOf(field(segment, "startIndex"))), numberOf(field(segment, "endIndex"))];
    return listOf(field(support, "groundingChunkIndices")).map((index) => ({
      url: urls[numberOf(index)] ?? "",
      start: at(start),
      end: at(end),
    }));
  });
}

/** Source: OpenRouter's documentation, "Web Search" of the server tools: annotations of Chat Completions. */
function openRouterReader(): SearchReader {
  const sources = new SourceList();
  const citations: Citation[] = [];
  let text = "";
  return {
    read(event) {
      const [choice] = listOf(field(event, "choices"));
      const delta = field(choice, "delta") ?? field(choice, "message");
      text += textOf(field(delta, "content"));
      for (const annotation of listOf(field(delta, "annotations"))) {
        const told = field(annotation, "url_citation");
        const [url, snippet] = [textOf(field(told, "url")), textOf(field(told, "content"))];
        sources.add({ url, title: textOf(field(told, "title")), ...(snippet !== "" && { snippet }) });
        citations.push({ url, start: numberOf(field(told, "start_index")), end: numberOf(field(told, "end_index")) });
      }
    },
    report: () => ({
      results: sources.results,
      text: cited(text, citations, sources).trim(),
      // The usage says how many there were, if it says anything.
      searches: sources.results.length > 0 ? 1 : 0,
    }),
  };
}

/** Source: OpenAI's documentation, "Web search"; xAI's API has the same form. */
function responsesReader(): SearchReader {
  const sources = new SourceList();
  const seen: string[] = [];
  const texts: { readonly text: string; readonly citations: readonly Citation[] }[] = [];
  let searches = 0;
  let hasFailed = false;

  const readPart = (part: unknown) => {
    const citations = listOf(field(part, "annotations")).flatMap((annotation) => {
      if (field(annotation, "type") !== "url_citation") return [];
      const [url, title] = [textOf(field(annotation, "url")), textOf(field(annotation, "title"))];
      // xAI's titles are the numbers of its citations.
      sources.add({ url, title: /^\d*$/.test(title) ? "" : title });
      return [
        { url, start: numberOf(field(annotation, "start_index")), end: numberOf(field(annotation, "end_index")) },
      ];
    });
    texts.push({ text: textOf(field(part, "text")), citations });
  };
  return {
    read(event) {
      // xAI lists all pages at the end.
      seen.push(...listOf(field(field(event, "response"), "citations")).map(textOf));
      if (field(event, "type") !== "response.output_item.done") return;
      const item = field(event, "item");
      if (field(item, "type") === "message") for (const part of listOf(field(item, "content"))) readPart(part);
      if (field(item, "type") !== "web_search_call") return;
      const action = field(item, "action");
      // Opening a page is another action of the same tool.
      if ((field(action, "type") ?? "search") === "search") searches += 1;
      hasFailed ||= field(item, "status") === "failed";
      seen.push(...listOf(field(action, "sources")).map((source) => textOf(field(source, "url"))));
    },
    report() {
      for (const url of seen) sources.add({ url, title: "" });
      return {
        results: sources.results,
        text: texts
          .map(({ text, citations }) => cited(text, citations, sources))
          .join("\n\n")
          .trim(),
        searches,
        ...(hasFailed && { fault: "The provider's search failed: try again later." }),
      };
    },
  };
}
