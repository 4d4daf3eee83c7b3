import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { GO_ON_PAGES_WORDS, GO_ON_WORDS } from "../../../contracts/read-words.ts";
import { count } from "../target-file.ts";
import type { Range } from "./read-text.ts";

/** A longer line is broken between words: nothing of a document is cut. */
const MAX_LINE_CHARS = 1_500;

/** The lines of one call, and what was left out. */
export type ShownLines = {
  readonly text: string;
  /** The numbers of the parts that are shown, whole or not. */
  readonly shown: readonly number[];
  /** How to go on; undefined if all that was asked for is shown. */
  readonly goOn?: string;
  readonly lines: number;
};

type Window = Range & { readonly maxChars: number };
type NumberedPart = { readonly number: number; readonly lines: readonly string[] };

/**
 * The lines of parts of a document from `offset` on, each part with a heading. The lines end with a whole part if one
 * fits.
 */
export function documentLines({ parts, unit, total }: DocumentText, { offset, limit, maxChars }: Window): ShownLines {
  const numbered = parts.map((part) => ({ number: part.number, lines: linesOfPart(part, unit, total) }));
  const all = numbered.flatMap(({ number, lines }) => lines.map((line) => ({ number, line })));
  let chars = 0;
  let end = offset - 1;
  while (end < all.length && end - offset + 1 < limit) {
    chars += (all[end]?.line.length ?? 0) + 1;
    if (chars > maxChars && end > offset - 1) break;
    end += 1;
  }
  const wholeEnd = end < all.length ? endOfWhole(numbered, offset - 1, end) : end;
  const taken = all.slice(offset - 1, wholeEnd);
  const shown = [...new Set(taken.map(({ number }) => number))];
  const next = all[wholeEnd];
  const text = taken.map(({ line }) => line).join("\n");
  const result = { text, shown, lines: taken.length };
  if (!next) return result;
  const isBetween = unit !== "text" && all[wholeEnd - 1]?.number !== next.number;
  const goOn = isBetween
    ? `${GO_ON_PAGES_WORDS} "${next.number}-"`
    : `${count(taken.length)} of ${count(all.length)} lines; ${GO_ON_WORDS} ${wholeEnd + 1}`;
  return { ...result, goOn };
}

/** The end of the last part that fits whole, or `end` if none does. */
function endOfWhole(parts: readonly NumberedPart[], start: number, end: number): number {
  let at = 0;
  let whole = start;
  for (const { lines } of parts) {
    at += lines.length;
    if (at <= end) whole = Math.max(whole, at);
  }
  return whole > start ? whole : end;
}

function linesOfPart(
  { number, title, text }: DocumentPart,
  unit: DocumentText["unit"],
  total: number,
): readonly string[] {
  const lines = text === "" ? [] : text.split("\n").flatMap(broken);
  if (unit === "text") return lines;
  const name = title === "" ? "" : `: ${title}`;
  return [`--- ${unit} ${number} of ${total}${name} ---`, ...lines];
}

/** Breaks a long line at blanks. */
function broken(line: string): readonly string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE_CHARS) {
    const blank = rest.lastIndexOf(" ", MAX_LINE_CHARS);
    const at = blank > MAX_LINE_CHARS / 2 ? blank + 1 : MAX_LINE_CHARS;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at);
  }
  return [...lines, rest];
}
