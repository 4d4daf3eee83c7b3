import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk } from "../../../contracts/display.ts";
import { revealLine } from "./reveal.ts";
import type { Theme } from "./theme.ts";

/** One line of a diff with its number: in the old file for removed lines, in the new file for others. */
type Numbered = {
  readonly number: number;
  /** The line's number in the old file. */
  readonly oldNumber: number;
  readonly kind: "same" | "added" | "removed";
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
  /** Deselected hunks: they are drawn without colours. */
  readonly isLeft?: (index: number) => boolean;
};

/** A diff as lines: number, sign, text. The sign has the same meaning as the colour. */
export function diffLines(hunks: readonly DiffHunk[], options: Options): readonly string[] {
  const { theme, context, maxLines = Number.POSITIVE_INFINITY } = options;
  const gap = theme.dim(`${" ".repeat(digitsOf(hunks, context))} ⋮`);
  const lines = hunkLines(hunks, options).flatMap((hunk, at) => (at > 0 && context ? [gap, ...hunk] : hunk));
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), theme.dim(`… ${plural(lines.length - maxLines, "more line")}`)];
}

/** Like `diffLines`, hunk by hunk. */
export function hunkLines(hunks: readonly DiffHunk[], options: Options): readonly (readonly string[])[] {
  const { theme, columns, context, overflow, isLeft = () => false } = options;
  const digits = digitsOf(hunks, context);
  const isWide = columns >= MIN_SIDE_BY_SIDE_COLUMNS;
  const half = Math.floor((columns - 3) / 2);
  return hunks.map((hunk, index) => {
    const lines = shownLines(hunk, context);
    const draw = (line: Numbered, width: number) => drawLine(line, width, isLeft(index));
    if (!isWide || !hasBothSides(lines)) return lines.flatMap((line) => draw(line, columns));
    return pairs(lines).flatMap(([old, now]) => beside(old ? draw(old, half) : [], now ? draw(now, half) : []));
  });

  function beside(left: readonly string[], right: readonly string[]): readonly string[] {
    return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
      `${padText(left[at] ?? "", half)} ${theme.dim("│")} ${right[at] ?? ""}`.trimEnd(),
    );
  }

  function drawLine({ number, kind, text }: Numbered, width: number, isQuiet: boolean): readonly string[] {
    // In a question, every character of a change is shown.
    const safe = overflow === "wrap" ? revealLine(text) : plainText(text).replaceAll("\n", " ");
    const room = Math.max(4, width - digits - 3);
    const parts = overflow === "cut" ? [truncateText(safe, room)] : hardWrapText(safe, room);
    const paint = isQuiet || kind === "same" ? theme.dim : kind === "added" ? theme.added : theme.removed;
    return parts.map((part, at) => {
      const gutter = at === 0 ? String(number).padStart(digits) : " ".repeat(digits);
      return `${theme.dim(gutter)} ${paint(`${SIGNS[kind]} ${part}`.trimEnd())}`;
    });
  }
}

/** How many rows of unchanged lines precede the first change. */
export function rowsBeforeChange([first, ...others]: readonly DiffHunk[], options: Options): number {
  if (!first) return 0;
  const at = first.lines.findIndex(({ kind }) => kind !== "same");
  // Later lines determine the width of the numbers too.
  const [before = []] = hunkLines(
    [{ ...first, lines: first.lines.slice(0, Math.max(0, at)) }, first, ...others],
    options,
  );
  return before.length;
}

function shownLines(hunk: DiffHunk, context: boolean): readonly Numbered[] {
  return number(hunk).filter(({ kind }) => context || kind !== "same");
}

function digitsOf(hunks: readonly DiffHunk[], context: boolean): number {
  const numbers = hunks.flatMap((hunk) => shownLines(hunk, context).map((line) => line.number));
  return String(numbers.reduce((most, one) => Math.max(most, one), 0)).length;
}

/** From here on, old and new lines are shown side by side. */
const MIN_SIDE_BY_SIDE_COLUMNS = 100;

function hasBothSides(hunk: readonly Numbered[]): boolean {
  return hunk.some(({ kind }) => kind === "added") && hunk.some(({ kind }) => kind === "removed");
}

/** Removed lines beside their replacements; unchanged lines on both sides. */
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
