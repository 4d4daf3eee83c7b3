import { z } from "zod";
import { readBlock } from "../../contracts/content-block.ts";
import type { ImageBlock, TextBlock, ToolResultContent } from "../../contracts/message.ts";

const mcpImage = z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const wrapped = z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) });

/**
 * Reads a hook's replacement for a tool's result: text, blocks in the form of the Anthropic Messages API or of MCP, or
 * an object with either as its `content`. Any other value becomes its JSON text.
 */
export function readToolOutput(value: unknown): ToolResultContent {
  const within = wrapped.safeParse(value);
  const content = within.success ? within.data.content : value;
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.map(blockOf) : [];
  const usable = blocks.filter((block) => block !== undefined);
  const isWhole = usable.length > 0 && usable.length === blocks.length;
  return isWhole ? usable : (JSON.stringify(value) ?? "");
}

function blockOf(value: unknown): TextBlock | ImageBlock | undefined {
  const image = mcpImage.safeParse(value);
  const source = image.success && { type: "base64", media_type: image.data.mimeType, data: image.data.data };
  const block = readBlock(source ? { type: "image", source } : value);
  return "type" in block && (block.type === "text" || block.type === "image") ? block : undefined;
}
