import { imageHeader } from "../../../contracts/image-header.ts";
import type { ImageBlock, ImageMediaType } from "../../../contracts/message.ts";
import type { ImageProtocol } from "../../../contracts/terminal-settings.ts";

type Shrunk = { readonly bytes: Buffer; readonly mediaType: ImageMediaType };

export type TerminalImages = {
  readonly protocol: ImageProtocol;
  /**
   * Re-encodes an image to fit a square of `maxSide` pixels, in at most `maxBytes`; undefined if that is impossible.
   */
  readonly shrink: (
    image: Uint8Array,
    most: { readonly maxSide: number; readonly maxBytes: number },
  ) => Promise<Shrunk | undefined>;
};

/** An image that a terminal takes. */
export type Picture = {
  readonly bytes: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
};

/** With base64, this stays below the million bytes that iTerm2 takes in one sequence. */
const MAX_BYTES = 700 * 1024;
/** Pixels of the longest side, tried in this order: a picture takes a third of the window at most. */
const SIDES = [800, 400] as const;
const TYPES: Readonly<Record<ImageProtocol, ReadonlySet<ImageMediaType>>> = {
  kitty: new Set(["image/png"]),
  iterm2: new Set(["image/png", "image/jpeg"]),
};

/**
 * An image of the conversation for the terminal: its own bytes if they are a small and complete picture in a format
 * that the terminal takes, or else encoded again and smaller. The bytes may come from a tool and pretend anything.
 * @returns undefined if it is damaged, or can't be made small enough.
 */
export async function terminalPicture(
  { data }: ImageBlock,
  { protocol, shrink }: TerminalImages,
): Promise<Picture | undefined> {
  const bytes = Buffer.from(data, "base64");
  const types = TYPES[protocol];
  const own = imageHeader(bytes);
  const isFit = own && types.has(own.mediaType) && bytes.length <= MAX_BYTES && isWhole(bytes, own.mediaType);
  const picture = isFit ? pictureOf(bytes) : undefined;
  if (picture && Math.max(picture.width, picture.height) <= SIDES[0]) return picture;
  for (const maxSide of SIDES) {
    const small = await shrink(bytes, { maxSide, maxBytes: MAX_BYTES });
    if (small && types.has(small.mediaType)) return pictureOf(small.bytes);
  }
  return undefined;
}

function pictureOf(bytes: Buffer): Picture | undefined {
  const { width, height } = imageHeader(bytes) ?? {};
  return width && height ? { bytes, width, height } : undefined;
}

/** True if the image ends as its format says: PNG with the chunk IEND, JPEG with the marker EOI. */
function isWhole(bytes: Buffer, mediaType: ImageMediaType): boolean {
  if (mediaType === "image/png") return bytes.toString("latin1", bytes.length - 8, bytes.length - 4) === "IEND";
  return bytes.at(-2) === 0xff && bytes.at(-1) === 0xd9;
}
