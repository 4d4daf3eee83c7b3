import { drawnLine } from "@quoll/terminal-text/drawn-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { ReplScreen, Size } from "../repl-screen-state.ts";
import { emptyFrame, type Frame } from "../view/live-frame.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { WrittenFrame } from "./late-frame.ts";
import { refreshSize, type SizedTerminal } from "./window-size.ts";

/** The share of a slow write's duration that each following write keeps. */
const FORGOTTEN = 0.7;

type Drawing = { readonly screen: ReplScreen; readonly writer: FrameWriter; readonly unsubscribe: () => void };

/** The terminal's first screen: the printed rows go into its history, and the live frame stands below them. */
export class FrameOutput {
  /** The terminal for output that is no frame. */
  readonly direct: Pick<NodeJS.WriteStream, "write">;
  readonly #terminal: SizedTerminal;
  /** The parts of the frame that is shown; undefined before the first frame, and at the end. */
  #drawing: Drawing | undefined;
  #size: Size;
  #writeMs = 0;
  /** The number of rows that were printed. */
  #printed = 0;
  #painted: Frame | undefined;
  /** Lines that are still to be written above the frame. */
  readonly #strays: string[] = [];
  #isSuspended = false;
  #written: WrittenFrame = { before: emptyFrame, text: "" };
  /** The rows that were printed with the last frame. */
  #above: readonly string[] = [];
  /** Rows that are to be printed again. */
  #again: readonly string[] = [];
  /** True if frames mark the width of the window that they are written into. */
  marksWidth = false;
  /** A sequence that is written together with the first frame. */
  prefix: string;

  constructor(terminal: SizedTerminal, size: Size, prefix = "") {
    this.#terminal = terminal;
    this.#size = size;
    this.prefix = prefix;
    this.direct = { write: (text: string | Uint8Array) => this.#write(text) };
  }

  /** How long a write currently takes: a write to a terminal that is not read fast enough blocks. */
  get writeMs(): number {
    return this.#writeMs;
  }

  /** The size for which frames are drawn. */
  get size(): Size {
    return this.#size;
  }

  /** The frame on the screen; undefined before the first. */
  get painted(): Frame | undefined {
    return this.#painted;
  }

  /** True between `open` and `end`. */
  get isOpen(): boolean {
    return this.#drawing !== undefined;
  }

  /** Shows each frame of the screen from now on. @param failed Gets a fault in drawing. */
  open(screen: ReplScreen, writer: FrameWriter, failed: (error: unknown) => void): void {
    const show = () => {
      try {
        // In a window of another size, the frame is shown when the guard of resizes has adopted that size.
        if (!refreshSize(this.#terminal)) this.#show();
      } catch (error) {
        failed(error);
      }
    };
    this.#drawing = { screen, writer, unsubscribe: screen.subscribe(show) };
    show();
  }

  #show(): void {
    if (!this.#drawing) return;
    const { screen, writer } = this.#drawing;
    const { printed, frame } = screen.snapshot;
    const rows = printed.slice(this.#printed).flatMap(({ key }) => screen.printedText(key).split("\n"));
    const above = [...this.#again, ...rows, ...this.#strays.splice(0)];
    this.#printed = printed.length;
    this.#again = [];
    this.#above = above;
    const { columns } = this.#size;
    // The window may have become narrower since the frame was drawn.
    const lines = frame.lines.map((line) => (textWidth(line) > columns ? truncateText(line, columns) : line.trimEnd()));
    const { cursor, isPanel = false, openRows } = frame;
    const before = { ...emptyFrame, lines: writer.rows.slice(0, -1), cursor: writer.cursor };
    const rowsNext = { rows: [...lines, ""], cursor, isPanel, ...(openRows !== undefined && { openRows }) };
    const text = this.prefix + writer.frame({ above, ...rowsNext, marksWidth: this.marksWidth }, this.#size);
    this.#written = { before, text };
    this.#painted = isPanel ? onScreen(frame, writer.rows.slice(0, -1)) : frame;
    this.prefix = "";
    if (text !== "") this.#write(text);
  }

  /** Writes a text above the frame that belongs to no transcript, or keeps it while another program has the terminal. */
  print(text: string): void {
    this.#strays.push(...text.split("\n").map(drawnLine));
    if (!this.#isSuspended) this.#show();
  }

  /** The sequence that erases the frame on the screen, to be written at once; the next frame begins in its first row. */
  eraseFrame(): string {
    return this.#drawing?.writer.erase() ?? "";
  }

  /** Like `eraseFrame`, for something else that is written next: rows that a panel covers are there again. */
  leaveFrame(): string {
    return this.#drawing?.writer.uncover() ?? "";
  }

  /** Tells which rows of the frame the terminal moved into its history. @returns those that no frame writes again as printed ones. */
  moved(widths: readonly number[]): readonly number[] {
    return this.#drawing?.writer.moved(widths) ?? widths;
  }

  /** The last frame as it was written. */
  get written(): WrittenFrame {
    return this.#written;
  }

  /**
   * Prints the rows that were printed with the last frame again, with the next frame.
   * @param rowsInHistory How many rows of the window the terminal moved into its history; those that are printed by that are not printed again.
   */
  printAgain(rowsInHistory: number, columns: number): void {
    const { lines } = this.#written.before;
    const writer = this.#drawing?.writer;
    let left = rowsInHistory;
    // Behind the first rows that stayed, rows of the frame before may stand between.
    const isThere = (row: string, at: number) => left > 0 && (lines.length === 0 || row === lines[at]);
    this.#again = this.#above.flatMap((row, at) => {
      if (!writer || !isThere(row, at)) {
        left = 0;
        return [row];
      }
      const rest = writer.rowBehind(row, left * columns);
      left -= Math.max(1, Math.ceil(textWidth(row) / columns));
      return rest === "" ? [] : [rest];
    });
  }

  /** How many rows that a panel covered were written again. */
  get rewrittenRows(): number {
    return this.#drawing?.writer.rewrittenRows ?? 0;
  }

  /** Takes the new size of the window, and shows the frame in it. That of a larger window is erased first: what is left of it is unknown. */
  adopt(size: Size): void {
    const { columns, rows } = this.#size;
    this.#size = size;
    const isCut = size.rows < rows && this.#painted?.cursor !== undefined;
    if (this.#drawing && (size.columns < columns || isCut)) this.#write(this.eraseFrame());
    this.#isSuspended = false;
    this.#show();
  }

  /** Erases the frame and shows the cursor, because another program gets the terminal. The next frame is written whole. */
  suspend(): void {
    this.#isSuspended = true;
    if (this.#drawing) this.#write(this.leaveFrame() + this.#drawing.writer.show(true));
  }

  /** Shows the latest state, and leaves it to the terminal. */
  end(): void {
    if (!this.#drawing) return;
    this.#show();
    const { writer, unsubscribe } = this.#drawing;
    unsubscribe();
    this.#drawing = undefined;
    this.#write(writer.leave() + writer.show(true));
  }

  #write(text: string | Uint8Array): boolean {
    const startedAt = performance.now();
    const isTaken = this.#terminal.stdout.write(text);
    this.#writeMs = Math.max(performance.now() - startedAt, this.#writeMs * FORGOTTEN);
    return isTaken;
  }
}

/** A frame as it is on the screen: below printed rows that are drawn with it. */
function onScreen(frame: Frame, lines: readonly string[]): Frame {
  const { cursor } = frame;
  const added = lines.length - frame.lines.length;
  return { ...frame, lines, cursor: cursor && { x: cursor.x, y: cursor.y + added } };
}
