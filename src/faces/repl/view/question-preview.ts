import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk, Preview } from "../../../contracts/display.ts";
import type { DialogBody } from "../../../contracts/question.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import { emptySplitter, endBlocks, splitBlocks } from "../../../protocol/transcript/split-blocks.ts";
import type { HunkMarks } from "../layers/hunk-marks.ts";
import type { Asking } from "../layers/open-question.ts";
import type { DiffPaint, FilePart, MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import { commandLines, isMarkable } from "./command-lines.ts";
import { hunkRows, rowsOfFirstChange, type Split, splitAt } from "./diff-lines.ts";
import { BORDER_COLUMNS, SPREAD_GAP, wrapIndented } from "./layout.ts";
import { reveal, revealLine } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";

export type PreviewLines = {
  readonly lines: readonly string[];
  /** The line of each hunk's header, if hunks can be selected. */
  readonly anchors: readonly number[];
  /** The rows of the first change, `to` being the row after it; absent if no line changes. */
  readonly firstChange?: { readonly from: number; readonly to: number };
};

type Style = { readonly theme: Theme; readonly columns: number; readonly markdown: MarkdownRenderer };
type Drawn = PreviewLines & { readonly of: Pick<Asking, "question" | "marks" | "edited">; readonly style: Style };

/**
 * Draws the complete subject of a question. The last drawing is cached, because the frame around it is redrawn every
 * second.
 */
export class QuestionPreview {
  readonly #layout: DiffLayout;
  #last: Drawn | undefined;
  #waiting: Chunk | FilePart | undefined;

  constructor(layout: DiffLayout = "auto") {
    this.#layout = layout;
  }

  /** Code that must be loaded before the preview can be drawn with highlighting. */
  get waiting(): Chunk | FilePart | undefined {
    return this.#waiting;
  }

  draw(asking: Asking, style: Style): PreviewLines {
    const last = this.#last;
    if (last && !this.#waiting && isSame(last.of, asking) && isSame(last.style, style)) return last;
    this.#waiting = undefined;
    const { question, marks, edited } = asking;
    const drawn = this.#lines(asking, style);
    this.#last = { ...drawn, of: { question, marks, edited }, style };
    return drawn;
  }

  #lines({ question, marks, edited }: Asking, style: Style): PreviewLines {
    const { kind, preview } = question.body;
    const plain = (lines: readonly string[]) => ({ lines, anchors: [] });
    switch (preview.kind) {
      case "command":
        return plain(withPlace(describedCommand(preview, style), question.body, style));
      case "diff":
        return this.#change(preview, marks, style);
      case "text":
        return plain(
          kind === "plan"
            ? this.#markdown(edited ?? preview.text, style)
            : wrapIndented(reveal(edited ?? preview.text), style.columns),
        );
    }
  }

  #change(preview: Change, marks: HunkMarks | undefined, style: Style): PreviewLines {
    const paint = style.markdown.diffPaint(preview.path);
    if (!paint) this.#waiting ??= { kind: "diff", path: preview.path };
    // The edges of the box belong to the window.
    const split = splitAt(style.columns + BORDER_COLUMNS, this.#layout);
    return change(preview, marks, { ...style, paint, split });
  }

  #markdown(text: string, { theme, columns, markdown }: Style): readonly string[] {
    const { state, chunks } = splitBlocks(emptySplitter, reveal(text));
    return [...chunks, ...endBlocks(state)].flatMap((chunk, at) => {
      if (!markdown.isReady(chunk)) this.#waiting ??= chunk;
      const lines = markdown.lines(chunk, theme, columns);
      return at > 0 && chunk.gap ? ["", ...lines] : lines;
    });
  }
}

function isSame<T extends object>(a: T, b: T): boolean {
  return (Object.keys(a) as (keyof T)[]).every((key) => a[key] === b[key]);
}

type CommandPreview = Extract<Preview, { kind: "command" }>;

/** The command, its purpose, and the parts that are unknown before it runs. */
function describedCommand({ command, description, unclear }: CommandPreview, style: Style): readonly string[] {
  const { theme, columns } = style;
  const isWhole = (part: string) => part.trim() === command.trim();
  const named = unclear.map((part) => {
    if (isWhole(part)) return "the whole command";
    // A long part is marked in the text.
    return isMarkable(command, part) && part.length > columns ? "the marked part" : revealLine(part);
  });
  return [
    ...commandLines(command, unclear, style),
    ...wrapText(revealLine(description.trim()), columns)
      .filter((line) => line !== "")
      .map(theme.dim),
    ...[...new Set(named)].flatMap((what) => warningLines(`not understood: ${what}`, columns, theme)),
  ];
}

/** Names the sandbox at the end of the last row. A command that leaves it has a warning instead. */
function withPlace(lines: readonly string[], body: DialogBody, { theme, columns }: Style): readonly string[] {
  if (body.kind !== "permission" || body.confinement === undefined || body.isOutside || body.opensNetwork) return lines;
  const place = truncateText(revealLine(body.confinement), columns);
  const last = lines.at(-1) ?? "";
  const isFree = textWidth(last) + SPREAD_GAP + textWidth(place) <= columns;
  const row = isFree ? last : "";
  const gap = " ".repeat(columns - textWidth(row) - textWidth(place));
  return [...(isFree ? lines.slice(0, -1) : lines), `${row}${gap}${theme.dim(place)}`];
}

/** Wrapped after a mark. */
export function warningLines(text: string, columns: number, theme: Theme): readonly string[] {
  return wrapText(text, columns - 2).map((line, at) =>
    at === 0 ? `${theme.warning(GLYPHS.warning)} ${line}` : `  ${line}`,
  );
}

type Change = Extract<Preview, { kind: "diff" }>;

type ChangeStyle = Style & { readonly paint: DiffPaint | undefined; readonly split: Split | undefined };

function change({ path, isNew, hunks }: Change, marks: HunkMarks | undefined, style: ChangeStyle): PreviewLines {
  const { theme, columns, paint, split } = style;
  const file = theme.dim(truncateText(`${revealLine(path)}${isNew ? " (new file)" : ""}`, columns, "middle"));
  const options = {
    theme,
    columns,
    paint,
    split,
    ...(marks && { isLeft: (index: number) => marks.left.has(index) }),
  };
  const rows = hunkRows(hunks, options);
  const first = rowsOfFirstChange(rows[0]);
  const firstChange = (above: number) => ({ from: above + first.from, to: above + first.to });
  const bodies = rows.map((hunk) => hunk.flatMap((line) => line.rows));
  // A change with several hunks has marks.
  if (!marks) return { lines: [file, ...bodies.flat()], anchors: [], firstChange: firstChange(1) };
  const lines = [file];
  const anchors: number[] = [];
  for (const [index, hunk] of hunks.entries()) {
    anchors.push(lines.length);
    lines.push(hunkHead(hunk, index, marks, style), ...(bodies[index] ?? []));
  }
  return { lines, anchors, firstChange: firstChange(2) };
}

/** The first line that a hunk changes: its context begins some lines above. */
function firstChangedLine({ lines, newStart }: DiffHunk): number {
  const at = lines.findIndex(({ kind }) => kind !== "same");
  return newStart + Math.max(0, at);
}

function hunkHead(hunk: DiffHunk, index: number, { at, count, left }: HunkMarks, { theme, columns }: Style): string {
  const isLeft = left.has(index);
  const tally = (kind: string) => hunk.lines.filter((line) => line.kind === kind).length;
  const amounts = [
    ...(tally("added") > 0 ? [`+${tally("added")}`] : []),
    ...(tally("removed") > 0 ? [`−${tally("removed")}`] : []),
  ];
  const words = [
    `${index + 1} of ${count}`,
    `line ${firstChangedLine(hunk)}`,
    amounts.join(" "),
    isLeft ? "left out" : "",
  ];
  const text = `${isLeft ? GLYPHS.left : GLYPHS.taken} ${words.filter((word) => word !== "").join(" · ")}`;
  const isCurrent = index === at;
  const paint = isCurrent ? theme.strong : isLeft ? theme.dim : (plain: string) => plain;
  return truncateText(`${isCurrent ? theme.accent(GLYPHS.current) : " "} ${paint(text)}`, columns);
}
