import { field } from "../request/error-body.ts";
import { type Citation, cited, listOf, numberOf, type SearchReader, SourceList, textOf } from "./search-reader.ts";

/** Source: OpenRouter's documentation, "Web Search" of the server tools: annotations of Chat Completions. */
export function openRouterReader(): SearchReader {
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
