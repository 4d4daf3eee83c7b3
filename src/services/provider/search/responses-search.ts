import { field } from "../request/error-body.ts";
import { type Citation, cited, listOf, numberOf, type SearchReader, SourceList, textOf } from "./search-reader.ts";

/** Source: OpenAI's documentation, "Web search"; xAI's API has the same form. */
export function responsesReader(): SearchReader {
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
