import type { ImageMediaType } from "../../contracts/message.ts";

/** The kind of an image by its first bytes, whatever it is said to be; undefined for none that models take. */
export function imageType(bytes: Buffer): ImageMediaType | undefined {
  const ascii = (from: number, to: number) => bytes.toString("latin1", from, to);
  if (ascii(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (ascii(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (ascii(0, 4) === "GIF8") return "image/gif";
  return ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP" ? "image/webp" : undefined;
}
