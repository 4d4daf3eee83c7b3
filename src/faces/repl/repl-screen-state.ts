import { drawnLine } from "@quoll/terminal-text/drawn-line";
import type { DiffLayout } from "../../contracts/terminal-settings.ts";
import { AppendOnly } from "../../protocol/transcript/append-only.ts";
import type { Chunk } from "../../protocol/transcript/chunk.ts";
import { openChunk } from "../../protocol/transcript/split-blocks.ts";
import type { Row, Transcript } from "../../protocol/transcript/transcript.ts";
import type { KeyAction } from "./keymap/key-actions.ts";
import type { PreviewView } from "./layers/ui-state.ts";
import { type FilePart, MarkdownRenderer } from "./markdown/markdown-renderer.ts";
import type { RendererOf } from "./markdown/render-blocks.ts";
import type { InlineImages } from "./terminal/inline-images.ts";
import { type BegunRows, rowsBehind, withoutBegun, wordsWithin } from "./view/begun-rows.ts";
import { drawableOf } from "./view/drawable-of.ts";
import { emptyFrame, type Frame, type FrameView, liveFrame } from "./view/live-frame.ts";
import { QuestionPreview } from "./view/question-preview.ts";
import { type RowStyle, rowLines } from "./view/row-lines.ts";
import type { Theme } from "./view/theme.ts";
import { certainLines, openTextLines } from "./view/watch-lines.ts";
import type { TranscriptWindow } from "./viewer/transcript-window.ts";

export type Size = { readonly columns: number; readonly rows: number };

/** A settled row in drawn form; each is printed once. */
export type PrintedRow = {
  readonly key: number;
  readonly text: string;
};

export type Snapshot = { readonly printed: AppendOnly<PrintedRow>; readonly frame: Frame };

type View = Omit<FrameView, "unprinted" | "printed"> & { readonly theme: Theme };

type Look = {
  readonly rendererOf?: RendererOf | undefined;
  readonly diff?: DiffLayout | undefined;
  /** True on the alternate screen, for which the terminal keeps no history. */
  readonly isFull?: boolean;
  /** The images that are drawn below their rows. */
  readonly images?: InlineImages | undefined;
};

type OpenText = { readonly transcript: Transcript; readonly openLines: readonly string[]; readonly style: RowStyle };

const MIN_COLUMNS = 20;
/** Rows of streaming text are printed together, since the frame below them is written again with them. */
const MIN_BEGUN_ROWS = 4;

/** Rows that stand between the rows of a text: calls, and thinking, that end while the text streams. */
const BETWEEN: ReadonlySet<Row["kind"]> = new Set(["tool", "explorations", "thinking"]);

/** The state that React shows: printed rows, and the live frame below them. */
export class ReplScreen {
  readonly #markdown: MarkdownRenderer;
  readonly #questions: QuestionPreview;
  readonly diff: DiffLayout;
  readonly #changed: () => void;
  readonly #images: InlineImages | undefined;
  /** The rows of pictures that are not written yet, by the key of their printed row. */
  readonly #pictures = new Map<number, readonly string[]>();
  readonly #listeners = new Set<() => void>();
  #size: Size;
  #snapshot: Snapshot = { printed: AppendOnly.of(), frame: emptyFrame };
  /** The number of settled rows that were printed. */
  #settled = 0;
  #lastRow: Row | undefined;
  /** The printed rows of the text that still streams. */
  #begun: BegunRows = [];
  /** That text, as the frame shows it. */
  #open: OpenText | undefined;
  /** How many lines that text had when its rows were last looked at. */
  #tried = 0;
  #isLoading = false;
  #isHeld = false;
  /** The window onto the transcript on the alternate screen; null until its code is loaded. */
  #window: TranscriptWindow | null | undefined;

  /** `changed` is called when code was loaded that a frame waited for. */
  constructor(size: Size, changed: () => void, { rendererOf, diff = "auto", isFull = false, images }: Look = {}) {
    this.#markdown = new MarkdownRenderer(rendererOf);
    this.#questions = new QuestionPreview(diff);
    this.diff = diff;
    this.#size = size;
    this.#changed = changed;
    this.#images = images;
    if (isFull) this.#window = null;
  }

  get size(): Size {
    return this.#size;
  }

  set size({ columns, rows }: Size) {
    this.#isHeld = false;
    this.#size = { columns: Math.max(MIN_COLUMNS, columns), rows: Math.max(2, rows) };
  }

  /** Draws Markdown; all views share the same grammars. */
  get markdown(): MarkdownRenderer {
    return this.#markdown;
  }

  get frame(): Frame {
    return this.#snapshot.frame;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** The text of a printed row, the first time with its pictures: they are written once, and not kept. */
  printedText(key: number): string {
    const pictures = this.#pictures.get(key) ?? [];
    this.#pictures.delete(key);
    return [this.#snapshot.printed.at(key)?.text ?? "", ...pictures].join("\n");
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops drawing until the next size is set. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Takes the loaded code of the alternate screen, and starts drawing. */
  open(Window: typeof TranscriptWindow): void {
    this.#window = new Window((drawable) => this.#load(drawable));
    this.#changed();
  }

  /** Scrolls if the terminal keeps no history; otherwise does nothing. */
  scroll(does: KeyAction): void {
    this.#window?.perform(does);
  }

  /** The rows so far are only shown by scrolling back, if the terminal keeps no history; otherwise does nothing. */
  startOver({ settled }: Pick<Transcript, "settled">): void {
    // The row of the command that clears stays.
    this.#window?.startAt(settled.at(-1)?.kind === "user" ? settled.length - 1 : settled.length);
  }

  draw(transcript: Transcript, view: View): void {
    if (this.#isHeld || this.#window === null) return;
    if (this.#window) {
      this.#drawWindow(this.#window, transcript, view);
      return;
    }
    const { theme } = view;
    const style = { theme, columns: this.#size.columns, markdown: this.#markdown, diff: this.diff };
    const settled = this.#print(transcript, theme, false);
    const unprinted = transcript.settled.slice(this.#settled);
    const openLines = openTextLines(transcript, unprinted.at(-1) ?? this.#lastRow, style);
    this.#open = unprinted.length === 0 ? { transcript, openLines, style } : undefined;
    const printed = this.#open ? this.#printBegun(settled, this.#open) : settled;
    const frame = liveFrame(
      { ...view, unprinted, printed: this.#lastRow, begun: this.#begun, open: openLines },
      { ...style, rows: this.#size.rows, questions: this.#questions },
    );
    const open = openChunk(transcript.text);
    const missing = (view.ui.asking && this.#questions.waiting) || (open && !this.#markdown.isReady(open) && open);
    if (missing) this.#load(missing);
    this.#set({ printed, frame: { ...frame, lines: frame.lines.map(drawnLine) } });
  }

  /** The transcript and the live frame in one window. */
  #drawWindow(window: TranscriptWindow, transcript: Transcript, view: View): void {
    const { theme } = view;
    const style = { theme, ...this.#size, markdown: this.#markdown, diff: this.diff };
    const printed = transcript.settled.at(-1);
    const isTall = window.isAtEnd;
    const live = liveFrame({ ...view, unprinted: [], printed }, { ...style, isTall, questions: this.#questions });
    if (view.ui.asking && this.#questions.waiting) this.#load(this.#questions.waiting);
    this.#set({ ...this.#snapshot, frame: window.compose(transcript, live, style) });
  }

  /**
   * Draws the last frame: the whole transcript, without a live part.
   * @returns the last lines of the conversation if the terminal keeps no history.
   */
  finish(transcript: Transcript, theme: Theme): readonly string[] {
    if (this.#window !== undefined) return this.#window?.lastLines(transcript) ?? [];
    this.#set({ printed: this.#print(transcript, theme, true), frame: emptyFrame });
    return [];
  }

  /** Removes the live frame from the screen. */
  abandon(): void {
    this.#set({ ...this.#snapshot, frame: emptyFrame });
  }

  /** Prints rows in order. A row that cannot be drawn yet delays the rows after it, except at the end. */
  #print({ settled }: Transcript, theme: Theme, isLast: boolean): AppendOnly<PrintedRow> {
    const { printed } = this.#snapshot;
    const added: PrintedRow[] = [];
    for (const row of settled.slice(this.#settled)) {
      const drawable = drawableOf(row);
      if (!isLast && drawable && !this.#markdown.isReady(drawable)) {
        this.#load(drawable);
        break;
      }
      if (!isLast && this.#images?.isReady(row) === false) break;
      const key = printed.length + added.length;
      const pictures = this.#images?.rowsOf(row, this.#size) ?? [];
      if (pictures.length > 0) this.#pictures.set(key, pictures);
      const style = { theme, columns: this.#size.columns, markdown: this.#markdown, diff: this.diff };
      const drawn = rowLines(row, this.#lastRow, style);
      const rows = row.kind === "markdown" ? withoutBegun(drawn, this.#begun) : drawn;
      // Nothing may be left of a text that was printed while it streamed.
      if (rows.length > 0 || this.#begun.length === 0) added.push({ key, text: rows.map(drawnLine).join("\n") });
      if (!BETWEEN.has(row.kind)) this.#begun = [];
      this.#lastRow = row;
      this.#settled += 1;
    }
    return added.length === 0 ? printed : printed.append(...added);
  }

  /** Prints the rows of streaming text that stay as they are, so that the live frame, which a smaller window breaks, is low. */
  #printBegun(printed: AppendOnly<PrintedRow>, open: OpenText) {
    const { openLines } = open;
    const isTried = openLines.length === this.#tried;
    this.#tried = openLines.length;
    if (isTried || withoutBegun(openLines, this.#begun).length <= MIN_BEGUN_ROWS) return printed;
    const certain = this.#certain(open);
    const rows = rowsBehind(certain, this.#begun) ?? [];
    if (rows.length < MIN_BEGUN_ROWS) return printed;
    this.#begun = certain;
    return printed.append({ key: printed.length, text: rows.map(drawnLine).join("\n") });
  }

  #certain({ transcript, openLines, style }: OpenText): readonly string[] {
    return certainLines(transcript, openLines, this.#lastRow, style);
  }

  /**
   * The terminal moved the first rows of the frame into its history. Rows of streaming text that stay as they are count as printed then.
   * @param widths Of the moved rows; of one that was moved in part, the width of that part.
   * @param shown The lines of the frame that the terminal had.
   * @returns the widths of the other rows.
   */
  moved(widths: readonly number[], shown: readonly string[]): readonly number[] {
    const certain = (this.#open && rowsBehind(this.#certain(this.#open), this.#begun)) ?? [];
    const rows = certain.slice(0, widths.length).map(drawnLine);
    const other = rows.findIndex((row, at) => row !== shown[at]);
    const moved = rows.slice(0, other < 0 ? rows.length : other);
    this.#begun = [...this.#begun, ...moved.map((row, at) => wordsWithin(row, widths[at] ?? 0))];
    return widths.slice(moved.length);
  }

  /** Loads the code that draws these rows, and draws them again. */
  prepare(rows: readonly Row[]): void {
    const missing = rows.map(drawableOf).filter((one) => one !== undefined && !this.#markdown.isReady(one));
    for (const drawable of missing) if (drawable) this.#markdown.load(drawable).then(this.#changed, this.#changed);
  }

  #load(drawable: Chunk | FilePart): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const done = () => {
      this.#isLoading = false;
      this.#changed();
    };
    this.#markdown.load(drawable).then(done, done);
  }

  #set(snapshot: Snapshot): void {
    const { frame, printed } = this.#snapshot;
    if (snapshot.printed === printed && isSameFrame(snapshot.frame, frame)) return;
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }
}

function isSamePreview(a: PreviewView, b: PreviewView): boolean {
  const { anchors } = b;
  const isPlaced = a.from === b.from && a.maxScroll === b.maxScroll && a.rows === b.rows;
  const isSame = isPlaced && a.isReadable === b.isReadable && a.isSeen === b.isSeen;
  return isSame && a.anchors.length === anchors.length && a.anchors.every((line, at) => line === anchors[at]);
}

function isSameFrame(a: Frame, b: Frame): boolean {
  if (a.lines.length !== b.lines.length || !isSamePreview(a.preview, b.preview)) return false;
  if (a.cursor?.x !== b.cursor?.x || a.cursor?.y !== b.cursor?.y) return false;
  return a.lines.every((line, at) => line === b.lines[at]);
}
