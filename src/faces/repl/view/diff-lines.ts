import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk } from "../../../contracts/display.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import type { DiffPaint } from "../markdown/markdown-renderer.ts";
import { markSpans, type Span } from "./mark-spans.ts";
import { revealLine } from "./reveal.ts";
import type { Theme } from "./theme.ts";

/** One line of a diff with its number: in the old file for removed lines, in the new file for others. */
type Numbered = {
  readonly number: number;
  /** The line's number in the old file. */
  readonly oldNumber: number;
  readonly kind: "same" | "added" | "removed";
  /** The text of the line, safe to print, in the colours of its language. */
  readonly text: string;
};

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

type Options = {
  readonly theme: Theme;
  readonly columns: number;
  /** True if unchanged neighbours are shown. */
  readonly context: boolean;
  /** Long lines are cut in a transcript, and wrapped in a question. */
  readonly overflow: "cut" | "wrap";
  readonly maxLines?: number;
  /** True if old and new lines are shown side by side. */
  readonly isSplit?: boolean;
  /** Draws the colours of the language, and marks changed words. */
  readonly paint?: DiffPaint | undefined;
  /** True for deselected hunks, which are drawn without colours. */
  readonly isLeft?: (index: number) => boolean;
};

/** The width from which on old and new lines are shown side by side, unless a setting overrides it. */
const MIN_SPLIT_COLUMNS = 120;
/** The maximum number of lines that are coloured by language; further lines of a change have two colours. */
const MAX_PAINTED_LINES = 2_000;

/** @param columns The width of the window. @returns true if old and new lines are shown side by side. */
export function isSplitAt(columns: number, layout: DiffLayout = "auto"): boolean {
  return layout === "split" || (layout === "auto" && columns >= MIN_SPLIT_COLUMNS);
}

/** A diff as lines of number, sign and text. The sign has the same meaning as the colour. */
export function diffLines(hunks: readonly DiffHunk[], options: Options): readonly string[] {
  const { theme, context, maxLines = Number.POSITIVE_INFINITY } = options;
  const gap = theme.dim(`${" ".repeat(digitsOf(hunks, context))} ⋮`);
  const lines = hunkLines(hunks, options).flatMap((hunk, at) => (at > 0 && context ? [gap, ...hunk] : hunk));
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), theme.dim(`… ${plural(lines.length - maxLines, "more line")}`)];
}

/** Draws a diff like `diffLines`, hunk by hunk. */
export function hunkLines(hunks: readonly DiffHunk[], options: Options): readonly (readonly string[])[] {
  const { theme, columns, context, overflow, isSplit = false, isLeft = () => false } = options;
  const digits = digitsOf(hunks, context);
  const half = Math.floor((columns - 3) / 2);
  return hunks.map((hunk, index) => {
    const isQuiet = isLeft(index);
    const lines = shownLines(hunk, context, isQuiet ? { ...options, paint: undefined } : options);
    const draw = (line: Numbered, width: number) => drawLine(line, width, isQuiet);
    if (!isSplit || !hasBothSides(lines)) return lines.flatMap((line) => draw(line, columns));
    return pairs(lines).flatMap(([old, now]) => beside(old ? draw(old, half) : [], now ? draw(now, half) : []));
  });

  function beside(left: readonly string[], right: readonly string[]): readonly string[] {
    return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
      `${padText(left[at] ?? "", half)} ${theme.dim("│")} ${right[at] ?? ""}`.trimEnd(),
    );
  }

  function drawLine({ number, kind, text }: Numbered, width: number, isQuiet: boolean): readonly string[] {
    const room = Math.max(4, width - digits - 3);
    const parts = overflow === "cut" ? [truncateText(text, room)] : hardWrapText(text, room);
    const paint = isQuiet || kind === "same" ? theme.dim : kind === "added" ? theme.added : theme.removed;
    return parts.map((part, at) => {
      const gutter = at === 0 ? String(number).padStart(digits) : " ".repeat(digits);
      return `${theme.dim(gutter)} ${around(`${SIGNS[kind]} ${part}`.trimEnd(), paint)}`;
    });
  }
}

const DEFAULT_COLOR = "\u001b[39m";

/** Paints a text that contains colours: after each of them, the outer colour continues. */
function around(text: string, paint: (text: string) => string): string {
  const [open = ""] = paint("x").split("x");
  return paint(text.replaceAll(DEFAULT_COLOR, DEFAULT_COLOR + open));
}

/** The rows of the first change: its first row, and the row after its last one. A change ends at an unchanged line. */
export function rowsOfFirstChange(hunks: readonly DiffHunk[], options: Options): { from: number; to: number } {
  const [first, ...others] = hunks;
  if (!first) return { from: 0, to: 0 };
  const { lines } = first;
  const start = Math.max(
    0,
    lines.findIndex(({ kind }) => kind !== "same"),
  );
  const length = lines.slice(start).findIndex(({ kind }) => kind === "same");
  const end = length < 0 ? lines.length : start + length;
  const rowsOf = (count: number) => {
    // Later lines also determine the width of the numbers.
    const cut = [{ ...first, lines: lines.slice(0, count) }, first, ...others];
    return hunkLines(cut, { ...options, paint: undefined })[0]?.length ?? 0;
  };
  return { from: rowsOf(start), to: rowsOf(end) };
}

function shownLines(hunk: DiffHunk, context: boolean, options: Options): readonly Numbered[] {
  const lines = number(hunk).filter(({ kind }) => context || kind !== "same");
  // In a question, every character of a change is shown.
  const safe = (text: string) =>
    options.overflow === "wrap" ? revealLine(text) : plainText(text).replaceAll("\n", " ");
  return painted(
    lines.map((line) => ({ ...line, text: safe(line.text) })),
    options,
  );
}

/** Gives changed lines the colours of their language, and marks the words that differ from the line they replace. */
function painted(
  all: readonly Numbered[],
  { paint, theme, maxLines = MAX_PAINTED_LINES }: Options,
): readonly Numbered[] {
  if (!paint) return all;
  const most = Math.min(maxLines, MAX_PAINTED_LINES);
  const lines = all.slice(0, most);
  const texts = new Map<Numbered, string>();
  for (const side of ["removed", "added"] as const) {
    // Unchanged lines belong to both sides, because a comment may begin in one of them.
    const whole = lines.filter(({ kind }) => kind === side || kind === "same");
    const code = paint.code(
      whole.map(({ text }) => text),
      theme,
    );
    for (const [at, line] of whole.entries()) if (line.kind === side) texts.set(line, code[at] ?? line.text);
  }
  const mark = (line: Numbered, spans: readonly Span[]) =>
    texts.set(line, markSpans(texts.get(line) ?? line.text, spans, theme.underline));
  for (const [old, now] of pairs(lines)) {
    const words = old?.kind === "removed" && now ? paint.changedWords(old.text, now.text) : undefined;
    if (!old || !now || !words) continue;
    mark(old, words.old);
    mark(now, words.now);
  }
  return [...lines.map((line) => ({ ...line, text: texts.get(line) ?? line.text })), ...all.slice(most)];
}

function digitsOf(hunks: readonly DiffHunk[], context: boolean): number {
  const shown = hunks.flatMap((hunk) => number(hunk).filter(({ kind }) => context || kind !== "same"));
  return String(shown.reduce((most, one) => Math.max(most, one.number), 0)).length;
}

function hasBothSides(hunk: readonly Numbered[]): boolean {
  return hunk.some(({ kind }) => kind === "added") && hunk.some(({ kind }) => kind === "removed");
}

/** Removed lines next to their replacements; unchanged lines on both sides. */
function pairs(hunk: readonly Numbered[]): readonly (readonly [Numbered | undefined, Numbered | undefined])[] {
  const rows: (readonly [Numbered | undefined, Numbered | undefined])[] = [];
  let removed: Numbered[] = [];
  let added: Numbered[] = [];
  const flush = () => {
    const height = Math.max(removed.length, added.length);
    for (let at = 0; at < height; at += 1) rows.push([removed[at], added[at]]);
    removed = [];
    added = [];
  };
  for (const line of hunk) {
    if (line.kind === "added") added.push(line);
    else {
      if (line.kind === "same" || added.length > 0) flush();
      if (line.kind === "same") rows.push([{ ...line, number: line.oldNumber }, line]);
      else removed.push(line);
    }
  }
  flush();
  return rows;
}

function number({ oldStart, newStart, lines }: DiffHunk): readonly Numbered[] {
  let old = oldStart;
  let now = newStart;
  return lines.map(({ kind, text }) => {
    const numbered = { number: kind === "removed" ? old : now, oldNumber: old, kind, text };
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
    return numbered;
  });
}
