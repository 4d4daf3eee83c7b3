import { imageHeader } from "../../../contracts/image-header.ts";
import type { UserMessage } from "../../../contracts/message.ts";

/** Enough base64 characters for the header of a photo with a preview in it. */
const HEADER_CHARS = 256 * 1024;
const MARK = /^(\[Image \d+\]):$/;

/**
 * The line about the pasted images of a saved message, with the sizes in which they were sent: each follows a text that
 * is its mark. Undefined if there are none.
 */
export function attachedImagesLine({ content }: UserMessage): string | undefined {
  const named = content.flatMap((block, at) => {
    const before = content[at - 1];
    const mark = before?.type === "text" ? MARK.exec(before.text)?.[1] : undefined;
    if (block.type !== "image" || mark === undefined) return [];
    const header = imageHeader(Buffer.from(block.data.slice(0, HEADER_CHARS), "base64"));
    return header?.width && header.height ? [`${mark} (${header.width}×${header.height})`] : [mark];
  });
  return named.length === 0 ? undefined : `Attached ${named.join(", ")}.`;
}
