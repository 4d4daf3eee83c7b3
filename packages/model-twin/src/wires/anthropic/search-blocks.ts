import type { ReplySearch } from "../../scenario.ts";
import type { RenderedBlock } from "./rendered-block.ts";
import type { Block, SearchBlock } from "./request.ts";

/** Source: Anthropic's documentation, "Web search tool", and the types of its SDK. */
export function searchBlocks({ query, results, error }: ReplySearch, messageId: string): readonly RenderedBlock[] {
  const id = messageId.replace("msg_", "srvtoolu_");
  const content = error
    ? { type: "web_search_tool_result_error", error_code: error }
    : results.map(({ url, title, age }) => ({
        type: "web_search_result",
        url,
        title,
        encrypted_content: encrypted(url),
        page_age: age ?? null,
      }));
  return [
    {
      block: { type: "server_tool_use", id, name: "web_search", input: { query } },
      inputText: JSON.stringify({ query }),
    },
    { block: { type: "web_search_tool_result", tool_use_id: id, content } },
  ];
}

/** The API sends each part of a text with citations as a block of its own. */
export function citedBlocks(rendered: RenderedBlock, { results, cites = [] }: ReplySearch): readonly RenderedBlock[] {
  const { block } = rendered;
  if (block.type !== "text") return [rendered];
  const parts: RenderedBlock[] = [];
  let rest = block.text;
  for (const { text, results: indexes } of cites) {
    const at = rest.indexOf(text);
    if (at < 0) continue;
    const citations = indexes.flatMap((index) => {
      const page = results[index];
      if (!page) return [];
      const { url, title, text: cited = "" } = page;
      return [{ type: "web_search_result_location", url, title, encrypted_index: encrypted(url), cited_text: cited }];
    });
    if (at > 0) parts.push({ block: { type: "text", text: rest.slice(0, at) } });
    parts.push({ block: { type: "text", text, citations } });
    rest = rest.slice(at + text.length);
  }
  return rest === "" ? parts : [...parts, { block: { type: "text", text: rest } }];
}

/** Absent without a search. */
export function searchUsage(searches: number) {
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } };
}

const encrypted = (url: string) => Buffer.from(url).toString("base64");

export function isSearchBlock(block: Block | SearchBlock): block is SearchBlock {
  return block.type === "server_tool_use" || block.type === "web_search_tool_result";
}
