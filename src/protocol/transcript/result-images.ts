import { imageHeader } from "../../contracts/image-header.ts";
import type { ImageBlock, ToolResultContent } from "../../contracts/message.ts";

/** The number of base64 characters that contain the header of a photo with an embedded preview. */
const HEADER_CHARS = 256 * 1024;

/** The images of a call's result, as the model got them, in words: `800×600 PNG, 120 KB`. */
export function resultImages(content: ToolResultContent): readonly string[] {
  const images = typeof content === "string" ? [] : content.filter((block) => block.type === "image");
  return images.map((image) => {
    const type = image.mediaType.replace("image/", "").toUpperCase();
    const bytes = Math.floor((image.data.replace(/=+$/, "").length * 3) / 4);
    const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.ceil(bytes / 1_024)} KB`;
    return `${[pixelsOf(image), type].filter(Boolean).join(" ")}, ${size}`;
  });
}

function pixelsOf({ data }: ImageBlock): string | undefined {
  const header = imageHeader(Buffer.from(data.slice(0, HEADER_CHARS), "base64"));
  return header?.width && header.height ? `${header.width}×${header.height}` : undefined;
}
