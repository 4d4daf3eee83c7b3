import { type AssistantMessage, type JsonObject, textOf as textOfMessage } from "../../../contracts/message.ts";
import type { WebSearchReport } from "../../../contracts/web.ts";
import { field } from "../request/error-body.ts";
import { listOf, SourceList, textOf } from "./search-reader.ts";

/** Source: Anthropic's documentation, "Web search tool", errors. */
const FAULTS: Readonly<Record<string, string>> = {
  too_many_requests: "Anthropic limits searches at the moment: try again later.",
  invalid_tool_input: "Anthropic's search refuses this query.",
  max_uses_exceeded: "The model wanted to search more often than it may.",
  query_too_long: "The query is too long for Anthropic's search.",
  request_too_large: "The results were too large for Anthropic's search.",
  unavailable: "Anthropic's search is not available at the moment: try again later.",
};

/** Reads the search that Anthropic ran for an answer: the blocks of its results, and the citations of the text. */
export function readClaudeSearch({ content, usage }: Omit<AssistantMessage, "id">): WebSearchReport {
  const sources = new SourceList();
  const found = content.flatMap((block) => (block.type === "opaque" ? [block.data] : []));
  const results = found.filter(({ type }) => type === "web_search_tool_result");
  const faults = results.flatMap(({ content: told }) => textOf(field(told, "error_code")) || []);
  for (const one of results.flatMap(({ content: told }) => listOf(told))) addPage(one, sources);
  const texts = content.flatMap((block) => (block.type === "text" ? [block] : []));
  for (const { citations = [] } of texts) for (const one of citations) addCitation(one, sources);
  const text = texts.map(({ text: words, citations = [] }) => `${words}${marks(citations, sources)}`).join("");
  const [fault] = faults.map((code) => FAULTS[code] ?? `Anthropic's search failed (${code}).`);
  return {
    results: sources.results,
    text: text.trim() === "" ? textOfMessage(content) : text.trim(),
    searches: usage.webSearches ?? results.length,
    ...(fault !== undefined && { fault }),
  };
}

function addPage(page: unknown, sources: SourceList): void {
  const age = textOf(field(page, "page_age"));
  sources.add({ url: textOf(field(page, "url")), title: textOf(field(page, "title")), ...(age !== "" && { age }) });
}

/** The results hold the text of the pages only encrypted; the citations quote it. */
function addCitation(citation: JsonObject, sources: SourceList): void {
  if (citation["type"] !== "web_search_result_location") return;
  const snippet = textOf(citation["cited_text"]);
  sources.add({
    url: textOf(citation["url"]),
    title: textOf(citation["title"]),
    ...(snippet !== "" && { snippet }),
  });
}

function marks(citations: readonly JsonObject[], sources: SourceList): string {
  const numbers = new Set(citations.map(({ url }) => sources.numberOf(textOf(url))).filter((number) => number > 0));
  return numbers.size === 0 ? "" : ` ${[...numbers].map((number) => `[${number}]`).join("")}`;
}
