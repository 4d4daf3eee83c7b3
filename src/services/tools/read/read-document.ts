import { plural } from "@quoll/terminal-text/plural";
import type { DocumentPart, DocumentReader, DocumentText, PartRange } from "../../../contracts/documents.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { Files, LoadedBytes } from "../../../contracts/files.ts";
import type { ToolResultContent } from "../../../contracts/message.ts";
import { MORE_LINES_WORDS, MORE_PAGES_WORDS } from "../../../contracts/read-words.ts";
import type { ToolPorts, ToolResult } from "../../../contracts/tool.ts";
import { knownState } from "../known-file.ts";
import type { KnownState } from "../read-tracker.ts";
import { count, type Target } from "../target-file.ts";
import type { Range } from "./read-text.ts";
import { MAX_SHOWN_PAGES, showPages } from "./show-pages.ts";

/** A larger document is not loaded. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Pages of a PDF in one call. */
export const MAX_PDF_PAGES = 20;
/** Slides, sheets and chapters in one call; the length of the result ends most calls earlier. */
const MAX_PARTS = 500;
/** A page with fewer letters and digits is a picture: a scan, perhaps with a stamp of the scanner. */
const MIN_LETTERS = 25;
const MAX_CONTENTS = 40;

type Blocks = Exclude<ToolResultContent, string>;

export type DocumentDeps = {
  readonly files: Files;
  readonly signal: AbortSignal;
  readonly accepts: ToolPorts["accepts"];
  documents(): Promise<DocumentReader>;
};

export type Window = Range & { readonly maxChars: number };
type Shown = { readonly result: ToolResult; readonly state: KnownState };

/**
 * The text of a document, or of some of its pages. Pages of a PDF without text are shown themselves, if the model takes
 * PDFs or pictures.
 * @throws {ToolFailedError} too large, encrypted, damaged, or without such pages.
 */
export async function readDocument(
  target: Target,
  { pages, size, ...window }: Window & { readonly pages: string | undefined; readonly size: number },
  deps: DocumentDeps,
): Promise<Shown> {
  const wanted = pageRange(pages);
  if (size > MAX_DOCUMENT_BYTES) throw tooLarge(target, size);
  const file = await deps.files.load(target.path, MAX_DOCUMENT_BYTES, deps.signal);
  const reader = await deps.documents();
  const isPdf = file.bytes.toString("latin1", 0, 5) === "%PDF-";
  const request = { name: target.shown, bytes: file.bytes, maxParts: isPdf ? MAX_PDF_PAGES : MAX_PARTS };
  const document = await reader.read({ ...request, range: wanted.range }, deps.signal);
  const lines = documentLines(document, window);
  const pictures = isPdf ? await picturesOf(document, lines, { target, file, wanted, reader }, deps) : NO_PICTURES;
  const text = [head(target, document, file), lines.text, ...notesOn(document, lines, wanted), ...pictures.notes].join(
    "\n",
  );
  const display = { kind: "summary", text: summaryOf(document, lines) } as const;
  const content: ToolResultContent = pictures.blocks.length > 0 ? [{ type: "text", text }, ...pictures.blocks] : text;
  const isPart = lines.moreWords !== undefined || isShort(document, wanted) || pictures.isPart;
  const result = { content, exemptFromSpill: true, display, ...(isPart && { shows: "part" as const }) };
  return { result, state: knownState(file.stamp, file.bytes) };
}

type Picturing = {
  readonly target: Target;
  readonly file: LoadedBytes;
  readonly wanted: PagesWanted;
  readonly reader: DocumentReader;
};
type Pictures = { readonly blocks: Blocks; readonly notes: readonly string[]; readonly isPart: boolean };
const NO_PICTURES: Pictures = { blocks: [], notes: [], isPart: false };

async function picturesOf(
  { parts }: DocumentText,
  { shown }: ShownLines,
  { target, file, wanted, reader }: Picturing,
  { accepts, signal }: DocumentDeps,
): Promise<Pictures> {
  const visible = parts.filter(({ number }) => shown.includes(number));
  const chosen = wanted.asPictures ? visible : visible.filter(({ text }) => lettersIn(text) < MIN_LETTERS);
  const pages = chosen.map(({ number }) => number).slice(0, MAX_SHOWN_PAGES);
  if (pages.length === 0) return NO_PICTURES;
  const taken = accepts();
  const rest = chosen[MAX_SHOWN_PAGES];
  const more = rest ? [`[${MAX_SHOWN_PAGES} pages are shown at once; ${MORE_PAGES_WORDS} "${rest.number}-"]`] : [];
  const texts = chosen.filter(({ number, text }) => pages.includes(number) && lettersIn(text) > 0);
  const given = { name: target.shown, bytes: file.bytes, pages, texts: texts.map(({ number }) => number) };
  const made = await showPages(given, { reader, taken, signal });
  const isPart = rest !== undefined || made.isPart === true;
  return { blocks: made.blocks, notes: [...made.notes.map((note) => `[${note}]`), ...more], isPart };
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function head({ shown }: Target, { kind, unit, total }: DocumentText, { bytes }: LoadedBytes): string {
  const parts = unit === "text" ? "" : `, ${plural(total, unit)}`;
  return `${shown}: ${kind}${parts}, ${count(bytes.length)} bytes, as text (Edit and Write can't change it)`;
}

/** True if fewer parts were read than were wanted. */
function isShort({ parts, unit, total }: DocumentText, { range }: PagesWanted): boolean {
  return unit !== "text" && lastOf(parts) < Math.min(total, range?.last ?? total);
}

function lastOf(parts: DocumentText["parts"]): number {
  return parts.at(-1)?.number ?? 0;
}

function notesOn(document: DocumentText, { moreWords, shown }: ShownLines, wanted: PagesWanted): readonly string[] {
  const { parts, unit, total, notes, contents } = document;
  const last = lastOf(parts);
  const first = shown[0] ?? 0;
  const more = isShort(document, wanted)
    ? [`${unit}s ${first}–${last} of ${total}; ${MORE_PAGES_WORDS} "${last + 1}-"`]
    : [];
  const left = contents.filter(({ number, title }) => title !== "" && !shown.includes(number)).slice(0, MAX_CONTENTS);
  const places = left.map(({ number, title }) => `${title} (${number})`).join(", ");
  const lines = [
    ...notes,
    ...(moreWords === undefined ? more : [moreWords]),
    ...(places === "" ? [] : [`other ${unit}s: ${places}`]),
  ];
  return lines.map((line) => `[${line}]`);
}

function summaryOf({ unit, total }: DocumentText, { shown, lines }: ShownLines): string {
  if (unit === "text") return plural(lines, "line");
  return shown.length === total ? plural(total, unit) : `${shown.length} of ${plural(total, unit)}`;
}

function tooLarge({ shown }: Target, size: number): ToolFailedError {
  const megabytes = (size / 1024 / 1024).toFixed(0);
  return new ToolFailedError(
    `${shown} is a document of ${megabytes} MB; at most ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB are read. Read a part of it: for a PDF, qpdf ${JSON.stringify(shown)} --pages . 1-20 -- part.pdf makes one.`,
  );
}

/** Which pages are wanted, and whether as pictures instead of text. */
type PagesWanted = { readonly range?: PartRange; readonly asPictures: boolean };

const PAGES = /^(?:pages?|slides?|sheets?|chapters?)?\s*(\d{1,6})?\s*(?:([-–—:]|to)\s*(\d{1,6}|end)?)?$/i;
const AS_PICTURES = /\s*\bas\s+(?:pictures?|images?)$/i;

/**
 * Reads `1-5`, `3`, `2-`, `-4`, and `3 as pictures`.
 * @throws {InvalidInputError} anything else.
 */
function pageRange(text: string | undefined): PagesWanted {
  const words = (text ?? "").trim().replace(/^\[(.*)\]$/s, "$1");
  const asPictures = AS_PICTURES.test(words);
  const bare = words.replace(AS_PICTURES, "").trim();
  if (bare === "" || /^(?:all|\*)$/i.test(bare)) return { asPictures };
  const [, from, dash, to] = PAGES.exec(bare) ?? [];
  const first = Number(from ?? 1);
  const last = dash === undefined ? first : to === undefined || /end/i.test(to) ? undefined : Number(to);
  const isRange = (from !== undefined || to !== undefined) && first > 0 && (last === undefined || last >= first);
  if (!isRange)
    throw new InvalidInputError(`pages takes one range, such as "1-5", "3" or "2-", and not ${JSON.stringify(text)}.`);
  return { range: { first, ...(last !== undefined && { last }) }, asPictures };
}

/** A longer line is broken between words: nothing of a document is cut. */
const MAX_LINE_CHARS = 1_500;

/** The lines of one call, and what was left out. */
type ShownLines = {
  readonly text: string;
  /** The numbers of the parts that are shown, whole or not. */
  readonly shown: readonly number[];
  /** How to get the rest; undefined if all that was asked for is shown. */
  readonly moreWords?: string;
  readonly lines: number;
};

type NumberedPart = { readonly number: number; readonly lines: readonly string[] };

/**
 * The lines of parts of a document from `offset` on, each part with a heading. The lines end with a whole part if one
 * fits.
 */
function documentLines({ parts, unit, total }: DocumentText, { offset, limit, maxChars }: Window): ShownLines {
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
  const moreWords = isBetween
    ? `${MORE_PAGES_WORDS} "${next.number}-"`
    : `${count(taken.length)} of ${count(all.length)} lines; ${MORE_LINES_WORDS} ${wholeEnd + 1}`;
  return { ...result, moreWords };
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
