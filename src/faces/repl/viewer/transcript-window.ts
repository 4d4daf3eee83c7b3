import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { joinedHints } from "../keymap/key-help.ts";
import { scrollSteps } from "../layers/common-actions.ts";
import { drawableOf } from "../view/drawable-of.ts";
import type { Frame } from "../view/live-frame.ts";
import { promptHead, type RowStyle, rowLines } from "../view/row-lines.ts";
import type { Theme } from "../view/theme.ts";
import { hintsOf } from "../view/theme-hints.ts";

/** Laid out rows that are kept. */
const MAX_KEPT_ROWS = 2_000;

type WindowStyle = RowStyle & { readonly rows: number };

/** The settled rows above the live frame on the alternate screen, and how far the person scrolled back in them. */
export class TranscriptWindow {
  /** Called with what a row needs to be drawn in its colours. */
  readonly #load: (drawable: NonNullable<ReturnType<typeof drawableOf>>) => void;
  #kept = new Map<Row, readonly string[]>();
  #settled: Transcript["settled"] | undefined;
  #style: WindowStyle | undefined;
  /** The first shown line; undefined at the end, which is then followed. */
  #top: Place | undefined;
  #first: Place = { block: 0, line: 0 };
  /** The row with which the window begins at its end: earlier ones are shown by scrolling back. */
  #start = 0;
  /** Rows that were there when the person scrolled back. */
  #seen = 0;
  #rows = 1;
  #note = "";

  constructor(load: (drawable: NonNullable<ReturnType<typeof drawableOf>>) => void) {
    this.#load = load;
  }

  /** True while the newest rows are shown. */
  get isAtEnd(): boolean {
    return this.#top === undefined;
  }

  /** The whole window: a part of the transcript, and the live frame in the last rows. */
  compose({ settled }: Pick<Transcript, "settled">, frame: Frame, style: WindowStyle): Frame {
    if (this.#style?.columns !== style.columns || this.#style.theme !== style.theme) this.#kept = new Map();
    this.#style = style;
    this.#settled = settled;
    this.#rows = Math.max(0, style.rows - frame.lines.length);
    const layout = this.#layout;
    const end = this.#endTop(this.#rows);
    if (this.#top && !isBefore(this.#top, end)) this.#top = undefined;
    this.#first = this.#top ?? end;
    const shown = windowLines(layout, this.#first, this.#rows).map(({ text }) => fitting(text, style.columns));
    const blank = Array.from({ length: this.#rows - shown.length }, () => "");
    const body = [...shown, ...blank];
    const prompt = this.#promptAbove(style);
    if (prompt !== undefined) body[0] = prompt;
    const note = this.#lastRow(style);
    if (note !== "" && body.length > 0) body[body.length - 1] = note;
    const { cursor } = frame;
    return {
      ...frame,
      lines: [...body, ...frame.lines.map((line) => fitting(line, style.columns))],
      cursor: cursor && { x: cursor.x, y: cursor.y + body.length },
    };
  }

  /** The prompt to which the first shown line belongs, if its beginning is out of sight; it takes the first row. */
  #promptAbove(style: WindowStyle): string | undefined {
    const { block, line } = this.#first;
    if (this.#rows === 0) return undefined;
    const isPrompt = this.#settled?.at(block)?.kind === "user";
    // A blank line may separate a prompt from what is above it.
    const isBegun = isPrompt && line > (this.#linesOf(block)[0] === "" ? 1 : 0);
    if (isPrompt && !isBegun) return undefined;
    const from = block >= this.#start ? this.#start : 0;
    for (let at = block; at >= from; at -= 1) {
      const row = this.#settled?.at(at);
      if (row?.kind === "user") return promptHead(row.text, style);
    }
    return undefined;
  }

  /** The last lines of the conversation, which fit above a shell's prompt. Without an input there is no conversation. */
  lastLines({ settled }: Pick<Transcript, "settled">): readonly string[] {
    const start: Place = { block: settled.slice().findIndex(({ kind }) => kind === "user"), line: 0 };
    const { rows, columns } = this.#style ?? { rows: 0, columns: 0 };
    if (start.block < 0 || rows === 0) return [];
    this.#settled = settled;
    const top = this.#endTop(rows - 1);
    const shown = windowLines(this.#layout, isBefore(top, start) ? start : top, rows - 1);
    const lines = shown.map(({ text }) => fitting(text, columns));
    return lines.slice(lines.findIndex((line) => line !== ""));
  }

  /** Shows the rows from this one on, in the first rows of the window. */
  startAt(row: number): void {
    this.#start = row;
    this.#top = undefined;
  }

  #endTop(rows: number): Place {
    const [end, start] = [endTop(this.#layout, rows), { block: this.#start, line: 0 }];
    return isBefore(end, start) ? start : end;
  }

  /** Does what a key or the mouse asks for; other actions only take the note away. */
  perform(does: KeyAction): void {
    this.#note = does === "screen.tellSelection" && this.#style ? selectionNote(this.#style.theme) : "";
    if (does === "screen.bottom") this.#top = undefined;
    const by = does.startsWith("screen.") ? scrollSteps(does, Math.max(1, this.#rows - 2)) : undefined;
    if (by !== undefined) this.#scroll(by);
  }

  #scroll(by: number): void {
    if (this.#top === undefined && by > 0) return;
    if (this.#top === undefined) this.#seen = this.#settled?.length ?? 0;
    this.#top = by === Number.NEGATIVE_INFINITY ? { block: 0, line: 0 } : moved(this.#layout, this.#first, by);
    // Several steps may come before the next frame.
    this.#first = this.#top;
  }

  #lastRow({ theme, columns }: WindowStyle): string {
    if (this.#top === undefined) return this.#note === "" ? "" : theme.dim(truncateText(`  ${this.#note}`, columns));
    const { length, lines } = this.#layout;
    let fresh = 0;
    for (let at = this.#seen; at < length; at += 1) fresh += lines(at).length;
    const news = fresh > 0 ? `${plural(fresh, "new line")} below` : "scrolled back";
    const key = hintsOf(theme, "app");
    const keys = joinedHints(`↓ ${news}`, key("", "screen.pageDown"), key("", "screen.bottom"));
    return theme.accent(truncateText(keys, columns));
  }

  get #layout(): LaidOut {
    return { length: this.#settled?.length ?? 0, lines: (row) => this.#linesOf(row) };
  }

  #linesOf(index: number): readonly string[] {
    const row = this.#settled?.at(index);
    const style = this.#style;
    if (!row || !style) return [];
    const known = this.#kept.get(row);
    if (known) return known;
    const lines = rowLines(row, index > 0 ? this.#settled?.at(index - 1) : undefined, style);
    const drawable = drawableOf(row);
    if (drawable && !style.markdown.isReady(drawable)) this.#load(drawable);
    else {
      if (this.#kept.size >= MAX_KEPT_ROWS) this.#kept.clear();
      this.#kept.set(row, lines);
    }
    return lines;
  }
}

function fitting(line: string, columns: number): string {
  return textWidth(line) > columns ? truncateText(line, columns) : line;
}

/** While shift is held, the terminal selects text itself. */
function selectionNote(theme: Theme): string {
  const opens = hintsOf(theme, "prompt")("opens the transcript", "prompt.openTranscript");
  const copies = hintsOf(theme, "viewer")("copies a block", "viewer.copy");
  return joinedHints("shift and drag selects text (iTerm2: option)", [opens, copies].filter(Boolean).join(", "));
}

/** A line of a block. The blank line that separates blocks is the first line of the lower one. */
export type Place = { readonly block: number; readonly line: number };

/** Blocks as lines. A block is laid out only when it is asked for, so a long transcript opens at once. */
export type LaidOut = { readonly length: number; lines(block: number): readonly string[] };

/** A line on the screen. */
export type PlacedLine = Place & { readonly text: string };

/** The place of the first row if the last line is in the last row. */
export function endTop(blocks: LaidOut, rows: number): Place {
  let left = rows;
  for (let block = blocks.length - 1; block >= 0; block -= 1) {
    const count = blocks.lines(block).length;
    if (count >= left) return { block, line: count - left };
    left -= count;
  }
  return { block: 0, line: 0 };
}

/** The place `by` lines below (above, if negative), no further than the ends. */
export function moved(blocks: LaidOut, from: Place, by: number): Place {
  let { block } = from;
  let line = from.line + by;
  while (line < 0 && block > 0) {
    block -= 1;
    line += blocks.lines(block).length;
  }
  while (block < blocks.length - 1 && line >= blocks.lines(block).length) {
    line -= blocks.lines(block).length;
    block += 1;
  }
  const last = Math.max(0, (blocks.length > 0 ? blocks.lines(block).length : 0) - 1);
  return { block, line: Math.min(Math.max(0, line), last) };
}

/** The lines of a window from `top` on; fewer than `rows` only at the end. */
export function windowLines(blocks: LaidOut, top: Place, rows: number): readonly PlacedLine[] {
  const shown: PlacedLine[] = [];
  for (let { block } = top; block < blocks.length && shown.length < rows; block += 1) {
    const lines = blocks.lines(block);
    for (let line = block === top.block ? top.line : 0; line < lines.length && shown.length < rows; line += 1)
      shown.push({ block, line, text: lines[line] ?? "" });
  }
  return shown;
}

/** True if a place is above another. */
export function isBefore(a: Place, b: Place): boolean {
  return a.block < b.block || (a.block === b.block && a.line < b.line);
}
