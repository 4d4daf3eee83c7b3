import type { DocumentBlock, ImageBlock, JsonObject, TextBlock, ToolResultContent } from "./message.ts";

/** Converts the content of a result to the API's format. */
export function wireContent(content: ToolResultContent): unknown {
  return typeof content === "string" ? content : content.map(wireBlock);
}

export function wireBlock(block: TextBlock | ImageBlock | DocumentBlock): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  const source = { type: "base64", media_type: block.mediaType, data: block.data };
  const title = block.type === "document" && block.title !== undefined && { title: block.title };
  return { type: block.type, source, ...title };
}
