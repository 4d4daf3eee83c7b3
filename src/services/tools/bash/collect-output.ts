import type { OutputFile } from "../../../platform/processes/output-file.ts";
import { cleanOutput } from "./clean-output.ts";
import { type Clipped, clipOutput } from "./clip-output.ts";

/** Bytes looked at from each end: many times what is given to the model, since colours and progress lines go. */
const WINDOW_BYTES = 512 * 1024;
/** An output of which more can't be shown as text is told, not printed. */
const MAX_JUNK_SHARE = 0.1;
const JUNK_SAMPLE_CHARS = 8_192;

export type Range = { readonly start: number; readonly end: number };

/** What the model is given of a stretch of an output file. Memory does not grow with the file. */
export async function collectOutput(file: OutputFile, { start, end }: Range, maxChars: number): Promise<Clipped> {
  const length = end - start;
  if (length <= 2 * WINDOW_BYTES) {
    const text = decode(await file.read(start, end));
    return present({ head: cleanOutput(text) }, { bytes: length, maxChars, path: file.path });
  }
  const [head, tail] = [await file.read(start, start + WINDOW_BYTES), await file.read(end - WINDOW_BYTES, end)];
  const ends = {
    head: cleanOutput(dropOverwritten(decode(head.subarray(0, completeEnd(head))))),
    tail: cleanOutput(decode(tail.subarray(completeStart(tail)))),
    gapBytes: length - 2 * WINDOW_BYTES,
  };
  return present(ends, { bytes: length, maxChars, path: file.path });
}

type Measure = { readonly bytes: number; readonly maxChars: number; readonly path: string };

function present(ends: Parameters<typeof clipOutput>[0], { bytes, maxChars, path }: Measure): Clipped {
  const sample = ends.head.slice(0, JUNK_SAMPLE_CHARS);
  const junk = sample.length - sample.replaceAll("\ufffd", "").length;
  if (sample.length > 0 && junk / sample.length > MAX_JUNK_SHARE)
    return { text: `[binary output of ${bytes} bytes, kept in ${path}]`, isWhole: false };
  const trimmed = {
    ...ends,
    ...(ends.tail === undefined ? { head: ends.head.replace(/\n+$/, "") } : { tail: ends.tail.replace(/\n+$/, "") }),
  };
  return clipOutput(trimmed, maxChars, path);
}

/** UTF-8, invalid bytes replaced. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Where the first whole UTF-8 sequence starts, of bytes that begin anywhere. */
function completeStart(bytes: Uint8Array): number {
  let from = 0;
  while (from < Math.min(3, bytes.length) && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return from;
}

/** Where the last complete UTF-8 sequence ends. */
export function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The last line goes on beyond the window: if it is being written over, its last state is not in it. */
function dropOverwritten(text: string): string {
  const lastLine = text.lastIndexOf("\n") + 1;
  return text.slice(lastLine).includes("\r") ? text.slice(0, lastLine) : text;
}
