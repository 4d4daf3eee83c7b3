import type { ImageBlock, Message, ToolResultBlock, UserBlock } from "../../contracts/message.ts";
import { shrinkImage } from "../../platform/shrink-image.ts";

/** What every API takes. */
const MAX_SIDE = 1_092;
const MAX_BYTES = 700_000;
const TOO_LARGE = "[A picture stood here; it was too large for the model and could not be made smaller.]";

/**
 * The messages with every picture made smaller, where a provider refused one. What can't be made smaller is named in words.
 * @returns the input itself when it holds no picture.
 */
export async function reduceImages(messages: readonly Message[], signal: AbortSignal): Promise<readonly Message[]> {
  if (!messages.some((message) => message.role === "user" && message.content.some(holdsImage))) return messages;
  const reduced: Message[] = [];
  for (const message of messages) {
    signal.throwIfAborted();
    if (message.role !== "user" || !message.content.some(holdsImage)) reduced.push(message);
    else reduced.push({ ...message, content: await Promise.all(message.content.map(reduceBlock)) });
  }
  return reduced;
}

function holdsImage(block: UserBlock): boolean {
  if (block.type === "image") return true;
  return block.type === "tool_result" && typeof block.content !== "string" && block.content.some(holdsImage);
}

async function reduceBlock(block: UserBlock): Promise<UserBlock> {
  if (block.type === "image") return reduce(block);
  if (block.type !== "tool_result" || typeof block.content === "string") return block;
  const content = await Promise.all(block.content.map((part) => (part.type === "image" ? reduce(part) : part)));
  return { ...block, content } satisfies ToolResultBlock;
}

async function reduce(image: ImageBlock): Promise<ImageBlock | { readonly type: "text"; readonly text: string }> {
  const small = await shrinkImage(Buffer.from(image.data, "base64"), { maxSide: MAX_SIDE, maxBytes: MAX_BYTES });
  if (small === undefined) return { type: "text", text: TOO_LARGE };
  return { type: "image", mediaType: small.mediaType, data: small.bytes.toString("base64") };
}
