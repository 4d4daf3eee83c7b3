import { cutRows } from "@quoll/terminal-text/cut-rows";
import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { MAX_UNITS_PER_COLUMN, textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { DiffHunk } from "../../../contracts/display.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import type { DiffPaint } from "../markdown/markdown-renderer.ts";
import { markSpans } from "./mark-spans.ts";
import { type LinePair, linePairs, type NumberedLine, numberedLines } from "./numbered-lines.ts";
import { revealLine } from "./reveal.ts";
import { filledRow, type Paint, type Theme } from "./theme.ts";
import { opensTranscript } from "./theme-hints.ts";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
/** Between the two sides. */
const SEPARATOR = "│";
/** The separator with a blank on each side. */
const SEPARATOR_COLUMNS = 3;
/** A blank, the sign, and a blank behind a number. */
const SIGN_COLUMNS = 3;
const MIN_TEXT_COLUMNS = 4;

type Options = {
  readonly theme: Theme;
  readonly columns: number;
  /** The rows of a long changed line; if undefined, every line is shown in full, with every character visible. */
  readonly maxLineRows?: number;
  /** The rows of the diff. If unchanged lines don't fit, they are left out. */
  readonly maxLines?: number;
  /** Whether old and new lines are shown side by side; undefined: one below the other. */
  readonly split?: Split | undefined;
  /** True if the right edge is that of the window. */
  readonly atEdge?: boolean;
  /** Draws the colours of the language, and marks changed words. */
  readonly paint?: DiffPaint | undefined;
  /** True for deselected hunks, which are drawn without colours. */
  readonly isLeft?: (index: number) => boolean;
};

/** Side by side always, or only if that takes fewer rows than one below the other: with as many, a line is broken. */
export type Split = "always" | "fitting";

/** The rows of one line, or of two lines side by side, and how many of them are added or removed. */
export type DiffRows = { readonly rows: readonly string[]; readonly changed: number };

/** A diff in the one layout of all its hunks. */
type Layout = {
  readonly hunks: readonly (readonly NumberedLine[])[];
  /** The width of the numbers. */
  readonly digits: number;
  readonly hasContext: boolean;
  /** The number of lines that are added or removed. */
  readonly changed: number;
  /** The column of all lines, or that of the old and that of the new lines. */
  readonly sides: readonly [Side] | readonly [Side, Side];
};

/** A column of lines. */
type Side = {
  readonly columns: number;
  /** The width of a row's tint; undefined up to the window's edge. */
  readonly filled: number | undefined;
};

/** The width from which on old and new lines are shown side by side, unless a setting overrides it. */
const MIN_SPLIT_COLUMNS = 120;
/** The maximum number of lines that are coloured by language; further lines of a change are plain on their tint. */
const MAX_PAINTED_LINES = 2_000;

/** @param columns The width of the window. @returns undefined if old and new lines are shown one below the other. */
export function splitAt(columns: number, layout: DiffLayout = "auto"): Split | undefined {
  if (layout === "split") return "always";
  return layout === "auto" && columns >= MIN_SPLIT_COLUMNS ? "fitting" : undefined;
}

/** A diff as lines of number, sign and text. The sign has the same meaning as the colour. */
export function diffLines(hunks: readonly DiffHunk[], options: Options): readonly string[] {
  const { theme, maxLines = Number.POSITIVE_INFINITY } = options;
  const layout = layoutOf(hunks, options);
  const gap = theme.dim(`${" ".repeat(layout.digits)} ⋮`);
  const lines: string[] = [];
  let left = layout.changed;
  for (const index of hunks.keys())
    for (const [at, { rows, changed }] of rowsOf(layout, index, options).entries()) {
      const lead = at === 0 && index > 0 && layout.hasContext ? [gap] : [];
      if (lines.length > 0 && lines.length + lead.length + rows.length > maxLines) return withMore(lines);
      lines.push(...lead, ...rows);
      left -= changed;
    }
  return withMore(lines);

  function withMore(shown: readonly string[]): readonly string[] {
    return left === 0
      ? shown
      : [...shown, theme.dim(truncateText(`… ${plural(left, "more line")}${opensTranscript(theme)}`, options.columns))];
  }
}

/** Draws a diff like `diffLines`, hunk by hunk. */
export function hunkRows(hunks: readonly DiffHunk[], options: Options): readonly (readonly DiffRows[])[] {
  const layout = layoutOf(hunks, options);
  return hunks.map((_, index) => rowsOf(layout, index, options));
}

/** The rows of the first change: its first row, and the row after its last one. A change ends at an unchanged line. */
export function rowsOfFirstChange(hunk: readonly DiffRows[] = []): { from: number; to: number } {
  const height = (lines: readonly DiffRows[]) => lines.reduce((sum, { rows }) => sum + rows.length, 0);
  const start = hunk.findIndex(({ changed }) => changed > 0);
  const after = hunk.findIndex(({ changed }, at) => at > start && changed === 0);
  const end = start < 0 ? 0 : after < 0 ? hunk.length : after;
  return { from: height(hunk.slice(0, Math.max(0, start))), to: height(hunk.slice(0, end)) };
}

function layoutOf(hunks: readonly DiffHunk[], options: Options): Layout {
  const { maxLines = Number.POSITIVE_INFINITY, columns, atEdge = false, split } = options;
  const all = hunks.map(numberedLines);
  const lines = all.flat();
  const count = (wanted: string) => lines.filter(({ kind }) => kind === wanted).length;
  const [added, removed] = [count("added"), count("removed")];
  // The gaps between hunks take a row each.
  const hasContext = lines.length + hunks.length - 1 <= maxLines;
  const shown = hasContext ? all : all.map((hunk) => hunk.filter(({ kind }) => kind !== "same"));
  const side = (width: number, isLast = true) => ({ columns: width, filled: atEdge && isLast ? undefined : width });
  const half = Math.floor((columns - SEPARATOR_COLUMNS) / 2);
  const digits = String(shown.flat().reduce((most, { number }) => Math.max(most, number), 0)).length;
  const rowsIn = (width: number, isBeside: boolean) =>
    rowCount(lines, width - digits - SIGN_COLUMNS, isBeside, options.maxLineRows);
  return {
    hunks: shown,
    digits,
    hasContext,
    changed: added + removed,
    // A new file has no old side.
    sides:
      split && added > 0 && removed > 0 && (split === "always" || rowsIn(half, true) < rowsIn(columns, false))
        ? [side(half, false), side(columns - half - SEPARATOR_COLUMNS)]
        : [side(columns)],
  };
}

/** About how many rows the changed lines take in a column of `room`; `isBeside`: in two such columns. */
function rowCount(lines: readonly NumberedLine[], room: number, isBeside: boolean, most = Number.POSITIVE_INFINITY) {
  const rowsOfLine = (line: NumberedLine | undefined) =>
    line && line.kind !== "same" ? Math.max(1, Math.min(most, Math.ceil(textWidth(line.text) / Math.max(1, room)))) : 0;
  const pairs = isBeside ? linePairs(lines) : lines.map((line) => [line] as const);
  return pairs.reduce((sum, [old, now]) => sum + Math.max(rowsOfLine(old), rowsOfLine(now)), 0);
}

/** Draws the lines of a hunk. */
function rowsOf({ hunks, digits, sides }: Layout, index: number, options: Options): readonly DiffRows[] {
  const { theme, paint, maxLines = Number.POSITIVE_INFINITY, isLeft = () => false } = options;
  // Two lines side by side take one row.
  const lines = (hunks[index] ?? [])
    .slice(0, maxLines * sides.length)
    .map((line) => ({ ...line, text: safeText(line.text, options) }));
  const isQuiet = isLeft(index);
  const [first, second] = sides;
  const pairs = second || paint ? linePairs(lines, paint?.matchedLines) : [];
  const texts = isQuiet ? undefined : paintedTexts(lines, pairs, options);
  const fill = (row: string, line: NumberedLine | undefined, { filled }: Side) =>
    isQuiet || !line ? row : filledRow(row, tintOf(line, theme), filled);
  const draw = (line: NumberedLine, side: Side) =>
    lineRows({ ...line, text: texts?.get(line) ?? line.text }, side, { ...options, digits, isQuiet }).map((row) =>
      fill(row, line, side),
    );
  if (!second) return lines.map((line) => ({ rows: draw(line, first), changed: line.kind === "same" ? 0 : 1 }));
  return pairs.map(([old, now]) => {
    const left = old ? draw(old, first) : [];
    const right = now ? draw(now, second) : [];
    const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
      const oldRow = padText(left[at] ?? fill("", old, first), first.columns);
      return `${oldRow} ${theme.dim(SEPARATOR)} ${right[at] ?? fill("", now, second)}`.trimEnd();
    });
    return { rows, changed: [old, now].filter((line) => line && line.kind !== "same").length };
  });
}

/** In a question, every character of a change is shown. */
function safeText(text: string, { columns, maxLineRows }: Options): string {
  if (maxLineRows === undefined) return revealLine(text);
  return plainText(text.slice(0, columns * maxLineRows * MAX_UNITS_PER_COLUMN)).replaceAll("\n", " ");
}

function tintOf({ kind }: NumberedLine, theme: Theme): Paint {
  return kind === "added" ? theme.addedTint : kind === "removed" ? theme.removedTint : (text) => text;
}

type LineStyle = Options & { readonly digits: number; readonly isQuiet: boolean };

function lineRows({ number, kind, text }: NumberedLine, { columns }: Side, style: LineStyle): readonly string[] {
  const { theme, digits, isQuiet, maxLineRows } = style;
  const mostRows = kind === "same" && maxLineRows !== undefined ? 1 : maxLineRows;
  const rows = cutRows(text, Math.max(MIN_TEXT_COLUMNS, columns - digits - SIGN_COLUMNS), mostRows);
  return rows.map((part, at) => {
    const gutter = at === 0 ? String(number).padStart(digits) : " ".repeat(digits);
    if (isQuiet || kind === "same") return theme.dim(`${gutter} ${SIGNS[kind]} ${part}`.trimEnd());
    return `${changedLead(kind, gutter, theme)} ${part}`.trimEnd();
  });
}

/** The number and the sign of a changed line. With 256 colours, where both kinds may have the same background, both are coloured. */
export function changedLead(kind: "added" | "removed", number: string, theme: Theme): string {
  const { strong, added, removed, dim } = theme.onTints ?? theme;
  const paint = kind === "added" ? added : removed;
  return `${theme.level === 2 ? paint(number) : dim(number)} ${strong(paint(SIGNS[kind]))}`;
}

/** Changed lines in the colours of their language, with the words marked that differ from the line they replace. */
function paintedTexts(
  all: readonly NumberedLine[],
  pairs: readonly LinePair[],
  { paint, theme }: Options,
): ReadonlyMap<NumberedLine, string> {
  const texts = new Map<NumberedLine, string>();
  if (!paint) return texts;
  const lines = all.slice(0, MAX_PAINTED_LINES);
  for (const side of ["removed", "added"] as const) {
    if (!lines.some(({ kind }) => kind === side)) continue;
    // Unchanged lines belong to both sides, because a comment may begin in one of them.
    const whole = lines.filter(({ kind }) => kind === side || kind === "same");
    const code = paint.code(
      whole.map(({ text }) => text),
      theme.onTints ?? theme,
    );
    for (const [at, line] of whole.entries()) if (line.kind === side) texts.set(line, code[at] ?? line.text);
  }
  for (const [old, now] of pairs) {
    const [oldText, newText] = [old && texts.get(old), now && texts.get(now)];
    const words = old && now && oldText && newText ? paint.changedWords(old.text, now.text) : undefined;
    if (!old || !now || !oldText || !newText || !words) continue;
    texts.set(old, markSpans(oldText, words.old, theme.removedWord));
    texts.set(now, markSpans(newText, words.now, theme.addedWord));
  }
  return texts;
}
