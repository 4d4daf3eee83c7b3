import type { Stub } from "../../../contracts/compaction.ts";
import type { CompactionStage } from "../../../contracts/compactor.ts";
import type { ImageBlock, Message, TextBlock, UserBlock } from "../../../contracts/message.ts";
import { shrinkImage } from "../../../platform/shrink-image.ts";

/** The largest image that every provider accepts: pixels on the longer side, and bytes. */
const MAX_SIDE = 1_092;
const MAX_BYTES = 700_000;
const LEFT_OUT = "[An image was here; the model's server refused it.]";

/**
 * Makes all images smaller after a provider refused one. A text replaces an image that can't be decoded, or that this has already made
 * as small as possible.
 */
export function smallerImages(): CompactionStage {
  return {
    name: "pictures",
    async run({ why, messages, countLimit }, { signal }) {
      if (why !== "image_too_large" || countLimit) return undefined;
      const stubs = await stubsOf(messages, signal);
      if (stubs.length === 0) return undefined;
      return { stubs, note: "Made images smaller, or left them out." };
    },
  };
}

async function stubsOf(messages: readonly Message[], signal: AbortSignal): Promise<readonly Stub[]> {
  const stubs: Stub[] = [];
  for (const { id: messageId, role, content } of messages) {
    if (role !== "user") continue;
    for (const [at, block] of content.entries()) {
      signal.throwIfAborted();
      const smaller = await smallerBlock(block);
      if (smaller) stubs.push({ messageId, at, block: smaller });
    }
  }
  return stubs;
}

/** Undefined for a block without an image. */
async function smallerBlock(block: UserBlock): Promise<UserBlock | undefined> {
  if (block.type === "image") return smaller(block);
  if (block.type !== "tool_result" || typeof block.content === "string") return undefined;
  if (!block.content.some(({ type }) => type === "image")) return undefined;
  const content = await Promise.all(block.content.map((part) => (part.type === "image" ? smaller(part) : part)));
  return { ...block, content };
}

async function smaller(image: ImageBlock): Promise<ImageBlock | TextBlock> {
  const bytes = Buffer.from(image.data, "base64");
  const small = await shrinkImage(bytes, { maxSide: MAX_SIDE, maxBytes: MAX_BYTES });
  // A JPEG loses something each time it is encoded, so it is never equal.
  const isSameJpeg =
    small?.mediaType === image.mediaType && image.mediaType === "image/jpeg" && bytes.length <= MAX_BYTES;
  if (small === undefined || isSameJpeg || small.bytes.equals(bytes)) return { type: "text", text: LEFT_OUT };
  return { type: "image", mediaType: small.mediaType, data: small.bytes.toString("base64") };
}
