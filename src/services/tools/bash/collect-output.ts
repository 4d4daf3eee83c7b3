import type { OutputFile } from "../../../platform/processes/output-file.ts";
import { type Clipped, clipOutput, type OutputEnds } from "./clip-output.ts";
import { foldOutput } from "./fold-output.ts";
import { cleanOutput, type DecodedOutput, decodeOutput } from "./output-text.ts";

/** Bytes to read from each end: many times the output for the model, since colours and progress lines are removed. */
const WINDOW_BYTES = 512 * 1024;
/** If a larger share of the output can't be shown as text, the output is described instead of printed. */
const MAX_JUNK_SHARE = 0.3;
/** A few unusual characters don't make an output binary. */
const MIN_JUNK = 8;
const STRAY_NOTE = "[bytes that are not UTF-8 are shown as Latin-1 or as \ufffd]";
const JUNK_SAMPLE_CHARS = 8_192;

export type CollectOptions = {
  readonly maxChars: number;
  /** False for a command that only reads, because its lines are the requested result. */
  readonly fold: boolean;
};

export type Range = { readonly start: number; readonly end: number };

/** Reads a range of an output file, shortened for the model. Memory does not grow with the file. */
export async function collectOutput(
  file: OutputFile,
  { start, end }: Range,
  { maxChars, fold }: CollectOptions,
): Promise<Clipped> {
  const length = end - start;
  const measure = { bytes: length, maxChars, fold, path: file.path };
  if (length <= 2 * WINDOW_BYTES) {
    const whole = decodeOutput(await file.read(start, end));
    return present({ head: cleanOutput(whole.text) }, [whole], measure);
  }
  const [first, last] = [await file.read(start, start + WINDOW_BYTES), await file.read(end - WINDOW_BYTES, end)];
  const head = decodeOutput(first.subarray(0, completeEnd(first)));
  const tail = decodeOutput(last.subarray(completeStart(last)));
  const ends = {
    head: cleanOutput(dropOverwritten(head.text)),
    tail: cleanOutput(tail.text),
    gapBytes: length - 2 * WINDOW_BYTES,
  };
  return present(ends, [head, tail], measure);
}

type Measure = CollectOptions & { readonly bytes: number; readonly path: string };

function present(
  ends: OutputEnds,
  decoded: readonly DecodedOutput[],
  { bytes, maxChars, fold, path }: Measure,
): Clipped {
  if (decoded.some(({ isBinary }) => isBinary) || isJunk(ends.head)) {
    const note = `binary output of ${bytes} bytes, kept in ${path}`;
    return { text: `[${note}]`, isWhole: false, note };
  }
  const trimmed = {
    ...ends,
    ...(ends.tail === undefined ? { head: ends.head.replace(/\n+$/, "") } : { tail: ends.tail.replace(/\n+$/, "") }),
  };
  const { ends: folded, foldedLines } = fold ? foldEnds(trimmed) : { ends: trimmed, foldedLines: 0 };
  const notes = [
    ...(foldedLines > 0 ? [`[${foldedLines} repeated or near-equal lines were folded; all of it: ${path}]`] : []),
    ...(decoded.some(({ hasStray }) => hasStray) ? [STRAY_NOTE] : []),
  ];
  const room = notes.reduce((sum, note) => sum - note.length - 1, maxChars);
  const { text, isWhole } = clipOutput(folded, room, path);
  return { text: [text, ...notes].join("\n"), isWhole: isWhole && foldedLines === 0 };
}

function foldEnds({ head, tail, gapBytes }: OutputEnds): { readonly ends: OutputEnds; readonly foldedLines: number } {
  const first = foldOutput(head);
  const last = tail === undefined ? undefined : foldOutput(tail);
  const ends = { head: first.text, ...(last && { tail: last.text }), ...(gapBytes !== undefined && { gapBytes }) };
  return { ends, foldedLines: first.foldedLines + (last?.foldedLines ?? 0) };
}

function isJunk(text: string): boolean {
  const sample = text.slice(0, JUNK_SAMPLE_CHARS);
  const junk = sample.length - sample.replaceAll("\ufffd", "").length;
  return junk > MIN_JUNK && junk / sample.length > MAX_JUNK_SHARE;
}

/** The offset of the first complete UTF-8 sequence in bytes that may begin inside a sequence. */
function completeStart(bytes: Uint8Array): number {
  let from = 0;
  while (from < Math.min(3, bytes.length) && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return from;
}

/** The end of the last complete UTF-8 sequence. */
export function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/**
 * The last line continues beyond the window: if a progress display overwrites the line, the window lacks its last
 * state.
 */
function dropOverwritten(text: string): string {
  const lastLine = text.lastIndexOf("\n") + 1;
  return text.slice(lastLine).includes("\r") ? text.slice(0, lastLine) : text;
}
