import type { DocumentBlock, ImageBlock, ImageMediaType, TextBlock } from "../../../contracts/message.ts";

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
const NO_DOCUMENTS = "[A PDF was here; this model accepts no PDFs.]";
const NO_IMAGES = "[An image was here; this model accepts no images.]";
const BAD_IMAGE = "[An image was here; its data is not a valid image.]";
const BAD_DOCUMENT = "[A PDF was here; its data is not a PDF.]";

const otherKind = (mediaType: string): string => `[An image was here; this model accepts no ${mediaType}.]`;

export type MediaAbilities = {
  /** True if the model accepts images. */
  readonly images: boolean;
  /** True if the model accepts PDFs. */
  readonly documents: boolean;
  /** The accepted types of images; all by default. */
  readonly imageTypes?: ReadonlySet<ImageMediaType> | undefined;
};

type UserContent = TextBlock | ImageBlock | DocumentBlock;

/** The block as the model accepts it: an image has the type that its bytes show, and a file that cannot be sent becomes a note. */
export function sendable(block: UserContent, { images, documents, imageTypes }: MediaAbilities): UserContent {
  if (block.type === "text") return block;
  if (block.type === "document") {
    if (!documents) return note(NO_DOCUMENTS);
    return PDF_START.test(block.data) ? block : note(BAD_DOCUMENT);
  }
  if (!images) return note(NO_IMAGES);
  const mediaType = imageTypeOf(block.data);
  if (mediaType === undefined) return note(BAD_IMAGE);
  const isTaken = imageTypes?.has(mediaType) ?? true;
  if (!isTaken) return note(otherKind(mediaType));
  return mediaType === block.mediaType ? block : { ...block, mediaType };
}

function note(text: string): TextBlock {
  return { type: "text", text };
}

function imageTypeOf(data: string): ImageMediaType | undefined {
  if (RIFF.test(data)) return isWebp(data) ? "image/webp" : undefined;
  return IMAGE_STARTS.find(([start]) => start.test(data))?.[1];
}

function isWebp(data: string): boolean {
  const head = Buffer.from(data.slice(0, 16), "base64").toString("latin1");
  return head.slice(WEBP_AT_BYTE, WEBP_AT_BYTE + 4) === "WEBP";
}
