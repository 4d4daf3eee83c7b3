import type { ReplySearch } from "../../scenario.ts";

/**
 * The metadata of a search. Sources: Google's documentation of the Gemini API, "Grounding with Google Search". The addresses
 * are Google's own and lead to the pages, the titles are their hosts, and places are counted in bytes.
 */
export function groundingOf({ query, results, cites = [] }: ReplySearch, text: string): object {
  const bytes = (words: string) => Buffer.byteLength(words);
  return {
    searchEntryPoint: { renderedContent: "<div></div>" },
    groundingChunks: results.map(({ url }) => ({
      web: { uri: redirectOf(url), title: new URL(url).hostname },
    })),
    groundingSupports: cites.flatMap(({ text: words, results: groundingChunkIndices }) => {
      const at = text.indexOf(words);
      if (at < 0) return [];
      const startIndex = bytes(text.slice(0, at));
      const segment = { ...(startIndex > 0 && { startIndex }), endIndex: startIndex + bytes(words), text: words };
      return [{ segment, groundingChunkIndices }];
    }),
    webSearchQueries: [query],
  };
}

/** As Google writes the address of a page. */
export function redirectOf(url: string): string {
  return `https://vertexaisearch.cloud.google.com/grounding-api-redirect/${Buffer.from(url).toString("base64url")}`;
}
