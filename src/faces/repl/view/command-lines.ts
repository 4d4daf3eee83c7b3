import { graphemes } from "@quoll/terminal-text/graphemes";
import { textWidth } from "@quoll/terminal-text/text-width";
import { reveal } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";

/** A piece of a line with one style. */
type Span = { readonly text: string; readonly isMarked: boolean };
/** One screen row: a line of the command, or a part of a wrapped line. */
type Row = { readonly spans: readonly Span[]; readonly isContinued: boolean };

type Style = { readonly theme: Theme; readonly columns: number };

const GUTTER_COLUMNS = 2;
/** A part that occurs more often is not marked in the text; the list below the command still names it. */
const MAX_MARKS = 500;
const CONTINUED = "┆";

/**
 * A command as rows, with every character: long lines are wrapped after exactly `columns`, with `┆` before the
 * continuation and `▲` before rows with a part of `unclear`. These parts are underlined; without styles, `▲` marks them
 * below.
 */
export function commandLines(
  command: string,
  unclear: readonly string[],
  { theme, columns }: Style,
): readonly string[] {
  const marks = findMarks(command, unclear);
  const lines = splitLines(command, marks);
  const plain = lines.flatMap((line) => wrapSpans(line, columns));
  const hasGutter = plain.some(({ isContinued }) => isContinued) || marks.length > 0;
  if (!hasGutter) return plain.map((row) => drawSpans(row.spans, theme));
  const rows = lines.flatMap((line) => wrapSpans(line, columns - GUTTER_COLUMNS));
  return rows.flatMap(({ spans, isContinued }) => {
    const isMarked = spans.some((span) => span.isMarked);
    const glyph = isContinued ? CONTINUED : isMarked ? GLYPHS.warning : " ";
    const row = `${isMarked ? theme.warning(glyph) : theme.dim(glyph)} ${drawSpans(spans, theme)}`;
    return isMarked && theme.level === 0 ? [row, `  ${pointers(spans)}`] : [row];
  });
}

/** True if a part is marked in the text: it is a part of the command, not a description. */
export function isMarkable(command: string, part: string): boolean {
  return part.trim() !== "" && part.trim() !== command.trim() && command.includes(part);
}

type Mark = { readonly from: number; readonly to: number };

/** The positions of the parts, in order, without overlaps. */
function findMarks(command: string, unclear: readonly string[]): readonly Mark[] {
  const found: Mark[] = [];
  for (const part of unclear) {
    if (!isMarkable(command, part)) continue;
    for (
      let at = command.indexOf(part);
      at >= 0 && found.length < MAX_MARKS;
      at = command.indexOf(part, at + part.length)
    )
      found.push({ from: at, to: at + part.length });
  }
  const sorted = found.sort((a, b) => a.from - b.from);
  const merged: Mark[] = [];
  for (const mark of sorted) {
    const last = merged.at(-1);
    if (last && mark.from < last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, mark.to) };
    else merged.push(mark);
  }
  return merged;
}

/** The lines of a command, split into marked and unmarked pieces; safe to print. */
function splitLines(command: string, marks: readonly Mark[]): readonly (readonly Span[])[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { from, to } of marks) {
    spans.push({ text: command.slice(at, from), isMarked: false }, { text: command.slice(from, to), isMarked: true });
    at = to;
  }
  spans.push({ text: command.slice(at), isMarked: false });
  const lines: Span[][] = [[]];
  for (const { text, isMarked } of spans) {
    for (const [index, part] of reveal(text).split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, isMarked });
    }
  }
  return lines;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Breaks a line after exactly `columns`, or one column earlier if a wide character would not fit. */
function wrapSpans(spans: readonly Span[], columns: number): readonly Row[] {
  const width = Math.max(2, columns);
  const rows: { spans: Span[]; isContinued: boolean }[] = [{ spans: [], isContinued: false }];
  let used = 0;
  const put = (text: string, isMarked: boolean) => rows.at(-1)?.spans.push({ text, isMarked });
  const wrap = () => {
    rows.push({ spans: [], isContinued: true });
    used = 0;
  };
  for (const { text, isMarked } of spans) {
    const pieces = PRINTABLE_ASCII.test(text) ? asciiPieces(text, width, used) : widePieces(text, width, used);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) wrap();
      if (piece === "") continue;
      put(piece, isMarked);
      used += textWidth(piece);
    }
  }
  return rows;
}

/** The pieces of a text for each row; the first piece may be empty if nothing fits after `used` columns. */
function asciiPieces(text: string, width: number, used: number): readonly string[] {
  const room = width - used;
  if (text.length <= room) return [text];
  const pieces = [text.slice(0, room)];
  for (let at = room; at < text.length; at += width) pieces.push(text.slice(at, at + width));
  return pieces;
}

function widePieces(text: string, width: number, used: number): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let filled = used;
  for (const grapheme of graphemes(text)) {
    const cells = textWidth(grapheme);
    if (filled + cells > width) {
      pieces.push(piece.join(""));
      piece = [];
      filled = 0;
    }
    piece.push(grapheme);
    filled += cells;
  }
  return [...pieces, piece.join("")];
}

function drawSpans(spans: readonly Span[], theme: Theme): string {
  return spans.map(({ text, isMarked }) => (isMarked ? theme.warning(theme.underline(text)) : text)).join("");
}

function pointers(spans: readonly Span[]): string {
  return spans
    .map(({ text, isMarked }) => (isMarked ? GLYPHS.warning : " ").repeat(textWidth(text)))
    .join("")
    .trimEnd();
}
