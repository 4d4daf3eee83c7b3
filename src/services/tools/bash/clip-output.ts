import { withoutCutEnd, withoutCutStart } from "@quoll/terminal-text/cut-word";

/** The maximum length of a line that the model gets in full. */
export const MAX_LINE_CHARS = 2_000;
/** Space for the notices, besides the path in them. */
const NOTICE_CHARS = 200;
/** The end of an output gets more space than its start, because results and errors are there. */
const HEAD_SHARE = 0.4;
export const MIN_CLIP_CHARS = 1_000;

/** Cleaned text. With `tail`, `head` and `tail` are the two ends of a larger output, cut anywhere. */
export type OutputEnds = {
  readonly head: string;
  readonly tail?: string;
  /** Bytes between the two ends. */
  readonly gapBytes?: number;
};

export type Clipped = {
  readonly text: string;
  readonly isWhole: boolean;
  /** The line that a screen shows instead of a binary output. */
  readonly note?: string;
};

/**
 * Cuts output to a size for the model: keeps the first and last lines, cuts the middle of long lines, and marks each
 * gap with a notice that names the file with the whole output.
 *
 * @param maxChars Maximum length of the result (UTF-16 units), notices included; `path` must be shorter than a third of it.
 * @throws {RangeError} `maxChars` is under 1,000, or too small for the path.
 */
export function clipOutput(ends: OutputEnds, maxChars: number, path: string): Clipped {
  const room = maxChars - NOTICE_CHARS - path.length;
  if (maxChars < MIN_CLIP_CHARS || room < maxChars / 3)
    throw new RangeError(`The limit for output must leave room for its path, got ${maxChars}.`);
  const lineChars = Math.min(MAX_LINE_CHARS, Math.floor(room * HEAD_SHARE) - 1);
  if (ends.tail === undefined) return clipWhole(ends.head, { maxChars, room, lineChars, path });
  const head = ends.head.split("\n");
  const tail = ends.tail.split("\n");
  const first = [...head.slice(0, -1).map((line) => cutLine(line, lineChars)), openEnd(head.at(-1) ?? "", lineChars)];
  const last = [openStart(tail[0] ?? "", lineChars), ...tail.slice(1).map((line) => cutLine(line, lineChars))];
  const kept = takeEnds(first, last, room);
  return { text: join(kept, `[… about ${size(ends.gapBytes ?? 0)} left out; all of it: ${path} …]`), isWhole: false };
}

type Bounds = { readonly maxChars: number; readonly room: number; readonly lineChars: number; readonly path: string };

function clipWhole(text: string, { maxChars, room, lineChars, path }: Bounds): Clipped {
  const lines = text.split("\n");
  const cut = lines.map((line) => cutLine(line, lineChars));
  const hasLongLine = cut.some((line, at) => line !== lines[at]);
  const length = cut.reduce((sum, line) => sum + line.length + 1, -1);
  if (!hasLongLine && length <= maxChars) return { text, isWhole: true };
  if (length <= room) return { text: `${cut.join("\n")}\n[long lines were cut; all of it: ${path}]`, isWhole: false };
  const kept = takeEnds(cut, cut, room);
  const dropped = lines.slice(kept.head.length, lines.length - kept.tail.length);
  const chars = dropped.reduce((sum, line) => sum + line.length + 1, 0);
  const notice = `[… ${dropped.length} lines (${size(chars)}) left out; all of it: ${path} …]`;
  return { text: join(kept, notice), isWhole: false };
}

type Kept = { readonly head: readonly string[]; readonly tail: readonly string[] };

function takeEnds(first: readonly string[], last: readonly string[], room: number): Kept {
  const headRoom = Math.floor(room * HEAD_SHARE);
  const head = takeWithin(first, headRoom);
  const tail = takeWithin([...last].reverse(), room - headRoom).reverse();
  return { head, tail };
}

/** The first lines that fit, line ends included. */
function takeWithin(lines: readonly string[], room: number): string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += line.length + 1;
    return used > room;
  });
  return lines.slice(0, end < 0 ? lines.length : end);
}

function join({ head, tail }: Kept, notice: string): string {
  return [...head, notice, ...tail].join("\n");
}

/** A line, without its middle if it is too long. */
export function cutLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const mark = ` …[${line.length - maxChars} characters left out]… `;
  const half = Math.max(1, Math.floor((maxChars - mark.length - 8) / 2));
  return `${headOf(line, half)}${mark}${tailOf(line, half)}`;
}

function openEnd(line: string, maxChars: number): string {
  return line.length <= maxChars / 2 ? line : `${headOf(line, Math.floor(maxChars / 2) - 2)}…`;
}

function openStart(line: string, maxChars: number): string {
  return line.length <= maxChars / 2 ? line : `…${tailOf(line, Math.floor(maxChars / 2) - 2)}`;
}

/** Never splits a surrogate pair or a long word. */
function headOf(text: string, chars: number): string {
  return withoutCutEnd(text.slice(0, chars).replace(/[\ud800-\udbff]$/, ""));
}

function tailOf(text: string, chars: number): string {
  return withoutCutStart(text.slice(-chars).replace(/^[\udc00-\udfff]/, ""));
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
