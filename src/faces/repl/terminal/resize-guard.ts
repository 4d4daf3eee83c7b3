import { textWidth } from "@quoll/terminal-text/text-width";
import type { Clock } from "../../../contracts/ports.ts";
import type { Report } from "../input/decode-keys.ts";
import type { Size } from "../repl-screen-state.ts";
import type { Frame } from "../view/live-frame.ts";
import { ERASE_BELOW } from "./erase-below.ts";
import { lateRows, lateSize, type WrittenFrame } from "./late-frame.ts";
import { shiftedRows } from "./shifted-rows.ts";
import { isSameSize, refreshSize, type SizedTerminal, sizeOf } from "./window-size.ts";

/** Asks for the terminal's type (DA2), its size (XTWINOPS 18) and its cursor's row (CPR). */
const QUERY = "\u001b[>c\u001b[18t\u001b[6n";
/** The time for an answer: a local terminal answers within milliseconds; for a slow line, the frame waits this long. */
const ANSWER_MS = 120;
/** Each rest of a window that gets smaller and smaller adds the lines of a frame. */
const MAX_MOVED_LINES = 500;
/** Longer than the time (250 ms) for which tmux delays the sizes of a window that is being dragged. */
const QUIET_MS = 300;
/** After the first change of a window, the next step of a drag follows sooner than this. A frame for the first step would be on its way then. */
const FIRST_QUIET_MS = 150;

/**
 * How a terminal treats long lines when it becomes narrower. `exact`: wraps the lines again, the cursor stays on its
 * character (tmux, VTE, kitty, iTerm2, …). `shifted`: wraps the lines again, but counts rows that were added below the
 * cursor as if they were above (xterm.js). `none`: cuts the lines off (xterm).
 */
export type Reflow = "exact" | "shifted" | "none";

/**
 * Determined from the secondary device attributes: `0;276;0` is xterm.js, 41 is xterm, 77 is an older mintty, 83 is
 * screen.
 */
export function reflowOf(attributes: string): Reflow {
  if (attributes === "0;276;0") return "shifted";
  return /^(41|83);/.test(attributes) ? "none" : "exact";
}

type Narrowed = {
  readonly columns: number;
  readonly rows: number;
  readonly reflow: Reflow;
  /** The number of rows of the screen below the cursor, if known. */
  readonly rowsBelow?: number;
  /** The sizes of the window from the one that the frame was drawn for to the present one, if known. */
  readonly sizes?: readonly Size[];
};

/**
 * The sequence to write before the frame is erased in a window that became narrower: the lines of the old frame now
 * take more rows, and some would remain. The sequence erases all of these rows, and leaves the cursor where the frame's
 * writer expects it.
 */
export function eraseReflowed(frame: Frame, narrowed: Narrowed): string {
  const { length } = frame.lines;
  // No more line feeds than the window has rows, since further ones would move blank rows into its history.
  const down = "\n".repeat(Math.min(length, narrowed.rows - 1));
  return `\r${up(rowsAbove(frame, narrowed))}${ERASE_BELOW}${down}${up(length - cursorLine(frame))}`;
}

/** How many rows above the cursor the first row of the frame is, if it is still on the screen. */
function rowsAbove(frame: Frame, { columns, rows, reflow, rowsBelow, sizes }: Narrowed): number {
  const y = cursorLine(frame);
  if (reflow === "none") return y;
  if (reflow === "shifted") {
    const anyWider = { columns: Number.POSITIVE_INFINITY, rows };
    return shiftedRows(frame, sizes ?? [anyWider, { columns, rows }], rowsBelow);
  }
  return rowsOf(frame.lines.slice(0, y), columns) + Math.floor((frame.cursor?.x ?? 0) / columns);
}

/** The line of the cursor in a frame; without a cursor of its own, it is below the last line. */
function cursorLine({ lines, cursor }: Frame): number {
  return cursor?.y ?? lines.length;
}

function up(count: number): string {
  return count > 0 ? `\u001b[${count}A` : "";
}

/** The number of rows that lines take in a window of this width. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + rowsWide(textWidth(line), columns), 0);
}

function rowsInAll(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + rowsWide(width, columns), 0);
}

function rowsWide(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}

/**
 * The first lines of a frame, above the cursor's row, that the terminal moved into its history, since there are fewer rows
 * above the cursor than the lines take. @returns the width of each; of one that was moved in part, the width of that part.
 * @param cursorRow From 1. Where it is unknown, the window's height: a terminal moves no more than it must.
 */
export function movedWidths(frame: Frame, narrowed: Narrowed, cursorRow: number): readonly number[] {
  const { columns } = narrowed;
  const above = frame.lines.slice(0, cursorLine(frame));
  let left = rowsAbove(frame, narrowed) + 1 - cursorRow;
  const widths: number[] = [];
  for (const line of above) {
    if (left <= 0) break;
    widths.push(Math.min(textWidth(line), left * columns));
    left -= rowsOf([line], columns);
  }
  return widths;
}

/** The lines that remain when their last rows were erased. */
function withoutRows(widths: readonly number[], erased: number, columns: number): readonly number[] {
  const kept = [...widths];
  for (let left = erased; left > 0; ) {
    const last = kept.pop();
    if (last === undefined) break;
    const rows = rowsWide(last, columns);
    if (rows > left) kept.push((rows - left) * columns);
    left -= rows;
  }
  return kept;
}

type Deps = SizedTerminal & {
  readonly clock: Clock;
  readonly ended: AbortSignal;
  /** The frame on the screen. */
  readonly painted: () => Frame;
  /** That frame as it was written. */
  readonly written: () => WrittenFrame;
  /** Has the rows that were printed with that frame printed again with the next one, but for those that are in the history. */
  readonly printAgain: (rowsInHistory: number, columns: number) => void;
  /** The size for which the frame was drawn. */
  readonly drawnFor: () => Size;
  /** After this, nothing may be drawn until `adopt`. */
  readonly hold: () => void;
  /** The sequence that erases the frame on the screen, which may be older than the painted one. */
  readonly erase: () => string;
  /** Has no frame drawn. The frame on the screen is erased, and the cursor moves to its first row. */
  readonly clear: () => void;
  /** Takes the widths of lines of the frame that went into the history. @returns those that are to be erased when they come back. */
  readonly moved: (widths: readonly number[]) => readonly number[];
  readonly adopt: (size: Size) => void;
  /** How many rows were printed above the frame so far. */
  readonly printed: () => number;
  /** True if another screen is shown meanwhile. It gets the size, and `uncovered` is called after it. */
  readonly covered: () => boolean;
};

/** Lines of earlier frames in the terminal's history, right above the frame as long as nothing else is printed. */
type Moved = {
  readonly widths: readonly number[];
  readonly printed: number;
  /** The window's size at that time. */
  readonly size: Size;
};
const NONE_MOVED: Moved = { widths: [], printed: 0, size: { columns: 0, rows: 0 } };
type Sides = Extract<Report, { readonly about: "size" }>["sides"];
type Answer = { readonly row?: number; readonly column?: number };
/** @param answer The place of the cursor on the screen, from 1; empty: the terminal gave no answer in time. */
type Answered = (answer: Answer) => void;

/**
 * Passes a new size on when the window rests: frames that are on their way while it changes are written into a window of another size.
 * If lines were wrapped, the old frame is erased before. What it left in the history is erased when a larger window brings it back.
 */
export class ResizeGuard {
  readonly #deps: Deps;
  /** A terminal that never answers a query is a test terminal. Test terminals behave like xterm.js. */
  #reflow: Reflow = "shifted";
  /** Waits for the answer to a query. */
  #asking: { readonly abort: AbortController; readonly size: Size | undefined; readonly then: Answered } | undefined;
  /** The size that the terminal told with its last answer, and with the answer before. */
  #told: Sides | undefined;
  #toldBefore: Sides | undefined;
  #resting: AbortController | undefined;
  /** The action to run when the window has come to rest. */
  #afterRest: () => void = () => undefined;
  #resizedAt = Number.NEGATIVE_INFINITY;
  #moved = NONE_MOVED;
  /** The sizes that were told since a frame was drawn. */
  #path: { readonly frame: Frame; readonly sizes: Size[] } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  resized(): void {
    const { clock, hold } = this.#deps;
    this.#sizes();
    const isDragged = clock.monotonicMs() - this.#resizedAt < QUIET_MS;
    this.#resizedAt = clock.monotonicMs();
    if (this.#asking) return;
    if (this.#resting) this.#rest();
    else {
      // During a drag, each frame would be drawn for an outdated size.
      hold();
      this.#rest(() => this.#settle(), isDragged ? QUIET_MS : FIRST_QUIET_MS);
    }
  }

  /** Adapts to a size that the window got while another screen was shown. */
  uncovered(): void {
    this.#sizes();
    if (!this.#asking && !this.#resting) this.#settle();
  }

  /** The sizes since the frame on the screen was drawn. */
  #sizes(): readonly Size[] {
    const { painted, drawnFor, stdout } = this.#deps;
    const frame = painted();
    if (this.#path?.frame !== frame) this.#path = { frame, sizes: [drawnFor()] };
    const { sizes } = this.#path;
    const size = sizeOf(stdout);
    const last = sizes.at(-1);
    if (last?.columns !== size.columns || last.rows !== size.rows) sizes.push(size);
    return sizes;
  }

  /** Something else is written to the terminal, and then a frame for the present size. */
  forget(): void {
    this.#moved = NONE_MOVED;
    this.#asking?.abort.abort();
    this.#resting?.abort();
    this.#asking = undefined;
    this.#resting = undefined;
  }

  #settle(): void {
    const { stdout, painted, drawnFor, hold, adopt, erase } = this.#deps;
    const size = sizeOf(stdout);
    const { lines } = painted();
    const sizes = this.#sizes();
    // In xterm.js, the cursor does not return to its line when the window is as wide as before.
    const narrowest = this.#reflow === "shifted" ? Math.min(...sizes.map(({ columns }) => columns)) : size.columns;
    const isWrapped = narrowest < drawnFor().columns && lines.some((line) => textWidth(line) > narrowest);
    const isCut = lines.length >= size.rows;
    if (isWrapped || isCut) hold();
    if (isWrapped) this.#ask((answer) => this.#erase(answer));
    else if (isCut) this.#eraseCut(size);
    else if (this.#hasMoved) {
      hold();
      stdout.write(erase());
      this.#clear([], this.#moved.size);
    } else adopt(size);
  }

  /** Handles an answer of the terminal. */
  report(report: Extract<Report, { readonly about: "device" | "cursor" | "size" }>): void {
    if (report.about === "device") this.#reflow = reflowOf(report.attributes);
    else if (report.about === "size") this.#told = report.sides;
    else this.#answered(report);
  }

  /** @param after What is written with the query. The answer then counts although the size changes in between. */
  #ask(then: Answered, after = ""): void {
    const abort = new AbortController();
    this.#toldBefore = this.#told;
    this.#told = undefined;
    this.#asking = { abort, size: after === "" ? sizeOf(this.#deps.stdout) : undefined, then };
    this.#deps.stdout.write(QUERY + after);
    this.#after(ANSWER_MS, abort.signal, () => this.#answered({}));
  }

  #answered(answer: Answer): void {
    if (!this.#asking) return;
    refreshSize(this.#deps);
    const { abort, size: asked, then } = this.#asking;
    abort.abort();
    this.#asking = undefined;
    if (this.#deps.covered()) return;
    const size = sizeOf(this.#deps.stdout);
    const isSame = asked && isSameSize(size, asked);
    if (!asked || (isSame && !this.#hasLeft(asked))) then(answer);
    else this.#rest(() => this.#settle());
  }

  /** True if the window has another size by now, of which tmux tells programs late: how its lines are wrapped is unknown. */
  #hasLeft({ columns, rows }: Size): boolean {
    const isTold = (sides: Sides) => String(sides) === `${rows},${columns}` || String(sides) === `${columns},${rows}`;
    if (!this.#told || isTold(this.#told)) return false;
    // A terminal that tells the same again counts in its own way.
    return String(this.#told) !== String(this.#toldBefore);
  }

  #erase({ row: cursorRow, column }: Answer): void {
    const { stdout, painted, adopt } = this.#deps;
    const size = sizeOf(stdout);
    const rowsBelow = cursorRow === undefined ? {} : { rowsBelow: size.rows - cursorRow };
    const frame = painted();
    const sizes = this.#sizes();
    if (this.#reflow === "shifted" && column !== undefined && lateSize(frame, sizes, column)) {
      this.#eraseLate(frame, rowsBelow.rowsBelow ?? 0);
      return;
    }
    const narrowed = { ...size, reflow: this.#reflow, ...rowsBelow, sizes };
    const erase = eraseReflowed(frame, narrowed);
    // Without an answer of xterm.js, or where lines are cut off, the number of moved lines is unknown.
    const isKnown = this.#reflow === "exact" || (this.#reflow === "shifted" && cursorRow !== undefined);
    const widths = isKnown ? movedWidths(frame, narrowed, cursorRow ?? size.rows) : [];
    const isCut = widths.length > 0 || rowsOf(frame.lines, size.columns) >= size.rows;
    if (!isCut && !this.#hasMoved) {
      // Nothing of the frame is left, even if the window is wider than before.
      stdout.write(erase + this.#deps.erase());
      adopt(size);
      return;
    }
    stdout.write(erase + up(cursorLine(frame)));
    this.#clear(widths, isCut ? size : this.#moved.size);
  }

  /** Erases a frame that was written after the window had become narrower, over the one before it, which was wrapped. */
  #eraseLate(frame: Frame, rowsBelow: number): void {
    const { stdout, written, printAgain, erase, adopt } = this.#deps;
    const [drawn, now, ...others] = this.#sizes();
    const isKnown = drawn && now && others.length === 0;
    // After other sizes, how the two frames are wrapped is unknown: better a copy of a row than a lost one.
    const above = isKnown ? lateRows(frame, written(), [drawn, now], rowsBelow) : cursorLine(frame);
    // Rows in the history can't be erased.
    if (isKnown) printAgain(above + 1 - (now.rows - rowsBelow), now.columns);
    erase();
    stdout.write(`\r${up(above)}${ERASE_BELOW}`);
    adopt(sizeOf(stdout));
  }

  /**
   * Erases a frame that the window has no room for. The terminal may have a third size by now, which it tells later: where the cursor
   * stands at the time of the erasing says how much of the frame is in the history.
   */
  #eraseCut(size: Size): void {
    const frame = this.#deps.painted();
    const narrowed = { ...size, reflow: "exact" } as const;
    this.#ask(({ row = size.rows }) => this.#clear(movedWidths(frame, narrowed, row), size), this.#deps.erase());
  }

  /**
   * Draws the next frame when the window rests. The last one is erased.
   * @param widths Of the lines of the frame that went into the history.
   */
  #clear(widths: readonly number[], size: Size): void {
    const { clear, moved, printed } = this.#deps;
    const rest = moved(widths);
    // Lines that are printed by that stand below the earlier ones, which then stay.
    const earlier = this.#hasMoved && rest.length === widths.length ? this.#moved.widths : [];
    this.#moved = { widths: [...earlier, ...rest].slice(-MAX_MOVED_LINES), printed: printed(), size };
    clear();
    this.#rest(() => this.#eraseReturned());
  }

  get #hasMoved(): boolean {
    return this.#moved.widths.length > 0 && this.#moved.printed === this.#deps.printed();
  }

  /** Erases the lines of earlier frames that a larger window brought back from the history, and passes the size on. */
  #eraseReturned(): void {
    const { adopt, stdout } = this.#deps;
    const size = sizeOf(stdout);
    const { widths, size: before } = this.#moved;
    const draw = (back: number) => {
      if (back > 0) stdout.write(up(back) + ERASE_BELOW);
      adopt(size);
    };
    const isLarger = size.columns > before.columns || size.rows > before.rows;
    if (widths.length === 0 || !isLarger) {
      draw(0);
      return;
    }
    this.#ask(({ row: cursorRow }) => {
      const columns = this.#reflow === "none" ? Number.POSITIVE_INFINITY : size.columns;
      const above = cursorRow === undefined ? Number.POSITIVE_INFINITY : cursorRow - 1;
      const back = Math.min(above, rowsInAll(widths, columns));
      this.#moved = { ...this.#moved, widths: withoutRows(widths, back, columns), size };
      draw(back);
    });
  }

  #rest(then = this.#afterRest, ms = QUIET_MS): void {
    this.#afterRest = then;
    this.#resting?.abort();
    this.#resting = new AbortController();
    this.#after(ms, this.#resting.signal, () => {
      if (refreshSize(this.#deps)) return this.#rest();
      this.#resting = undefined;
      if (!this.#deps.covered()) this.#afterRest();
    });
  }

  #after(ms: number, signal: AbortSignal, then: () => void): void {
    const { clock, ended } = this.#deps;
    clock.sleep(ms, AbortSignal.any([signal, ended])).then(then, () => undefined);
  }
}
