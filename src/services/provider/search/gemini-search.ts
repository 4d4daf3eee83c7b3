import { field } from "../request/error-body.ts";
import { type Citation, cited, listOf, numberOf, type SearchReader, SourceList, textOf } from "./search-reader.ts";

/** Models that bill the request, not each search. Source: Google's price list of the Gemini API. */
export const BILLED_BY_REQUEST = /^gemini-[12]\b/;

/** Source: Google's documentation of the Gemini API, "Grounding with Google Search". */
export function geminiReader(model: string): SearchReader {
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
