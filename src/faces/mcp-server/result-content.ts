import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { OutsideResult } from "../../contracts/served-session.ts";

type Content = CallToolResult["content"];

/**
 * Converts the result of a call to the form of the protocol.
 * @param remedy For people: how to allow a call that was denied because nobody could answer.
 */
export function callResult({ result }: OutsideResult, remedy: string | undefined): CallToolResult {
  const { content, isError } = result;
  const blocks: Content = typeof content === "string" ? [{ type: "text", text: content }] : content.map(contentOf);
  const told: Content = remedy === undefined ? [] : [{ type: "text", text: remedy }];
  return { content: [...blocks, ...told], ...(isError && { isError: true }) };
}

type Block = Exclude<OutsideResult["result"]["content"], string>[number];

function contentOf(block: Block): Content[number] {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mediaType };
    case "document": {
      const uri = `document:///${encodeURIComponent(block.title ?? "document.pdf")}`;
      return { type: "resource", resource: { uri, mimeType: block.mediaType, blob: block.data } };
    }
  }
}
