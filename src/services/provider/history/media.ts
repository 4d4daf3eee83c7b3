import type { DocumentBlock, ImageBlock, ImageMediaType } from "../../../contracts/message.ts";

/** The first bytes of each kind, in base64. Sources: PNG 5.2, JFIF, GIF89a, RFC 9649 (WebP), ISO 32000-1 7.5.2 (PDF). */
const IMAGE_STARTS: readonly (readonly [RegExp, ImageMediaType])[] = [
  [/^iVBORw0KGg/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
];
const RIFF = /^UklGR/;
const WEBP_AT_BYTE = 8;
const PDF_START = /^JVBER/;

/** Replacements for images and PDFs that cannot be sent. */
export const NO_DOCUMENTS = "[A PDF was here; this model accepts no PDFs.]";
export const NO_IMAGES = "[An image was here; this model accepts no images.]";
export const BAD_IMAGE = "[An image was here; its data is not a valid image.]";
export const BAD_DOCUMENT = "[A PDF was here; its data is not a PDF.]";

export const otherKind = (mediaType: string): string => `[An image was here; this model accepts no ${mediaType}.]`;

/** The image with the type that its bytes show; undefined if the bytes are not an image of a supported type. */
export function checkedImage(block: ImageBlock): ImageBlock | undefined {
  const mediaType = imageTypeOf(block.data);
  if (mediaType === undefined) return undefined;
  return mediaType === block.mediaType ? block : { ...block, mediaType };
}

/** True if the bytes are a PDF. */
export function isPdf({ data }: DocumentBlock): boolean {
  return PDF_START.test(data);
}

function imageTypeOf(data: string): ImageMediaType | undefined {
  if (RIFF.test(data)) return isWebp(data) ? "image/webp" : undefined;
  return IMAGE_STARTS.find(([start]) => start.test(data))?.[1];
}

function isWebp(data: string): boolean {
  const head = Buffer.from(data.slice(0, 16), "base64").toString("latin1");
  return head.slice(WEBP_AT_BYTE, WEBP_AT_BYTE + 4) === "WEBP";
}
