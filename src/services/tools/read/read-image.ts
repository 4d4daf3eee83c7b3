import { ToolFailedError } from "../../../contracts/errors.ts";
import type { ImageHeader } from "../../../contracts/image-header.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { ToolResult } from "../../../contracts/tool.ts";
import { shrinkImage } from "../../../platform/shrink-image.ts";
import type { KnownDeps } from "../known-file.ts";
import { count, type Target } from "../target-file.ts";

/** Longest side in pixels that a model accepts without shrinking the image itself. */
export const MAX_SIDE_PIXELS = 1_568;
/** Maximum size of the image in a message, as base64. */
const MAX_ENCODED_BYTES = 5 * 1024 * 1024;
export const MAX_FILE_BYTES = Math.floor((MAX_ENCODED_BYTES * 3) / 4);

/** A larger file is not loaded. */
export const MAX_LOADED_BYTES = 64 * 1024 * 1024;

/**
 * An image as an image block: unchanged, or re-encoded if it is too large. If that is impossible, the
 * error gives its size and how to shrink it.
 * @throws {ToolFailedError} too large or damaged; or as `Files.load`.
 */
export async function readImage(target: Target, bytes: number, { files, signal }: Pick<KnownDeps, "files" | "signal">) {
  if (bytes > MAX_LOADED_BYTES) throw tooLarge(target, `${(bytes / 1024 / 1024).toFixed(1)} MiB`);
  const file = await files.load(target.path, MAX_LOADED_BYTES, signal);
  const header = imageHeader(file.bytes);
  if (!header) throw new ToolFailedError(`${target.shown} was changed while it was read. Try again.`);
  const pixels = pixelsOf(header, target);
  const size = `${pixels.width}×${pixels.height} pixels`;
  const shown = await fitImage(file.bytes, { ...header, ...pixels });
  if (!shown) throw tooLarge(target, `${size}, ${count(file.bytes.length)} bytes`);
  const note =
    shown.bytes === file.bytes ? "" : `; shown smaller, at most ${count(MAX_SIDE_PIXELS)} pixels on the longest side`;
  const text = `${target.shown}: ${header.mediaType}, ${size}, ${count(file.stamp.size)} bytes${note}`;
  const result: ToolResult = {
    content: [
      { type: "text", text },
      { type: "image", mediaType: shown.mediaType, data: shown.bytes.toString("base64") },
    ],
    exemptFromSpill: true,
    display: { kind: "summary", text: `image, ${pixels.width}×${pixels.height}` },
  };
  return { result, file };
}

/** The image itself, or a smaller one that a model accepts; undefined if it is too large and can't be shrunk. */
export async function fitImage(bytes: Buffer, { mediaType, width = 0, height = 0 }: ImageHeader) {
  const fits = bytes.length <= MAX_FILE_BYTES && Math.max(width, height) <= MAX_SIDE_PIXELS;
  return fits ? { bytes, mediaType } : shrinkImage(bytes, { maxSide: MAX_SIDE_PIXELS, maxBytes: MAX_FILE_BYTES });
}

function pixelsOf({ width, height }: ImageHeader, target: Target): { width: number; height: number } {
  if (!width || !height) throw new ToolFailedError(`${target.shown} is a damaged image: its header gives no size.`);
  return { width, height };
}

function tooLarge(target: Target, size: string): ToolFailedError {
  const most = `${MAX_SIDE_PIXELS}x${MAX_SIDE_PIXELS}`;
  return new ToolFailedError(
    `${target.shown} is an image of ${size}; at most ${count(MAX_SIDE_PIXELS)} pixels on the longest side and 5 MB encoded can be shown. ` +
      `Make a smaller copy and read that, for example: magick ${JSON.stringify(target.shown)} -resize '${most}>' /tmp/smaller.png ` +
      `(or: ffmpeg -i FILE -vf scale=${MAX_SIDE_PIXELS}:-1 /tmp/smaller.png).`,
  );
}
