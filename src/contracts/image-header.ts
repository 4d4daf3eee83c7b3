import type { ImageMediaType } from "./message.ts";

export type ImageHeader = {
  readonly mediaType: ImageMediaType;
  /** Pixels; undefined if the header is damaged. */
  readonly width: number | undefined;
  readonly height: number | undefined;
};

type Size = { readonly width: number; readonly height: number };

/**
 * Recognises an image by its first bytes and reads its size from the header (PNG: IHDR; GIF: logical screen; JPEG: the
 * first start-of-frame marker, ITU T.81 B.2.2; WebP: VP8, VP8L and VP8X chunks).
 * @param bytes The file, or enough of its start.
 * @returns undefined for any other type.
 */
export function imageHeader(bytes: Buffer): ImageHeader | undefined {
  const ascii = (from: number, to: number) => bytes.toString("latin1", from, to);
  if (ascii(0, 8) === "\x89PNG\r\n\x1a\n")
    return header(
      "image/png",
      sizeAt(bytes, 24, () => pngSize(bytes)),
    );
  if (ascii(0, 4) === "GIF8")
    return header(
      "image/gif",
      sizeAt(bytes, 10, () => gifSize(bytes)),
    );
  if (ascii(0, 3) === "\xff\xd8\xff") return header("image/jpeg", jpegSize(bytes));
  if (ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") {
    return header(
      "image/webp",
      sizeAt(bytes, 30, () => webpSize(bytes)),
    );
  }
  return undefined;
}

function header(mediaType: ImageMediaType, size: Size | undefined): ImageHeader {
  return { mediaType, width: size?.width, height: size?.height };
}

function sizeAt(bytes: Buffer, needed: number, read: () => Size | undefined): Size | undefined {
  return bytes.length >= needed ? read() : undefined;
}

function pngSize(bytes: Buffer): Size {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): Size | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Start-of-frame markers: C0–CF except DHT (C4), JPG (C8) and DAC (CC). */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameStart(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += hasNoLength ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
