import { imageHeader } from "../../../contracts/image-header.ts";
import type { ImageBlock, ToolResultContent, UserMessage } from "../../../contracts/message.ts";

/** The number of base64 characters that contain the header of a photo with an embedded preview. */
const HEADER_CHARS = 256 * 1024;
const MARK = /^(\[Image \d+\]):$/;

/**
 * The line about the pasted images of a saved message, with the sizes in which they were sent: each image follows a
 * text with its placeholder. Undefined if there are no images.
 */
export function attachedImagesLine({ content }: UserMessage): string | undefined {
  const named = content.flatMap((block, at) => {
    const before = content[at - 1];
    const mark = before?.type === "text" ? MARK.exec(before.text)?.[1] : undefined;
    if (block.type !== "image" || mark === undefined) return [];
    const pixels = pixelsOf(block);
    return pixels === undefined ? [mark] : [`${mark} (${pixels})`];
  });
  return named.length === 0 ? undefined : `Attached ${named.join(", ")}.`;
}

/** The images of a call's result, as the model got them, in words: `800×600 PNG, 120 KB`. */
export function resultImages(content: ToolResultContent): readonly string[] {
  const images = typeof content === "string" ? [] : content.filter((block) => block.type === "image");
  return images.map((image) => {
    const type = image.mediaType.replace("image/", "").toUpperCase();
    const size = `${Math.ceil((image.data.length * 3) / 4 / 1_024)} KB`;
    return `${[pixelsOf(image), type].filter(Boolean).join(" ")}, ${size}`;
  });
}

function pixelsOf({ data }: ImageBlock): string | undefined {
  const header = imageHeader(Buffer.from(data.slice(0, HEADER_CHARS), "base64"));
  return header?.width && header.height ? `${header.width}×${header.height}` : undefined;
}
