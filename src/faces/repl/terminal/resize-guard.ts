import { textWidth } from "@quoll/terminal-text/text-width";
import type { Clock } from "../../../contracts/ports.ts";
import type { Report } from "../input/decode-keys.ts";
import type { Size } from "../repl-screen-state.ts";
import type { Frame } from "../view/live-frame.ts";
import { ERASE_BELOW } from "./erase-below.ts";

/** Asks for the terminal's type (DA2) and its cursor's row (CPR). */
const QUERY = "\u001b[>c\u001b[6n";
/** A local terminal answers within milliseconds; for a slow line, the frame waits this long. */
const ANSWER_MS = 120;
/** Longer than the time (250 ms) for which tmux delays the sizes of a window that is being dragged. */
const QUIET_MS = 300;

/**
 * How a terminal treats long lines when it gets narrower. `exact`: wraps them again, the cursor stays on its character
 * (tmux, VTE, kitty, iTerm2, …). `shifted`: wraps them again, but counts rows that were added below the cursor as if
 * they were above (xterm.js). `none`: cuts them off (xterm).
 */
export type Reflow = "exact" | "shifted" | "none";

/** From the secondary device attributes: `0;276;0` is xterm.js, 41 is xterm, 77 is an older mintty, 83 is screen. */
export function reflowOf(attributes: string): Reflow {
  if (attributes === "0;276;0") return "shifted";
  return /^(41|83);/.test(attributes) ? "none" : "exact";
}

type Narrowed = {
  readonly columns: number;
  readonly rows: number;
  readonly reflow: Reflow;
  /** Rows of the screen below the cursor, if known. */
  readonly rowsBelow?: number;
};

/**
 * The sequence to write before Ink erases its frame in a window that got narrower: the lines of the old frame now take
 * more rows, and some would remain. Erases all of them, and leaves the cursor where Ink expects it.
 */
export function eraseReflowed({ lines, cursor }: Frame, { columns, rows, reflow, rowsBelow }: Narrowed): string {
  const rowsIn = (part: readonly string[]) => rowsOf(part, columns);
  const y = cursor?.y ?? lines.length;
  let above = y;
  if (reflow === "exact") above = rowsIn(lines.slice(0, y)) + Math.floor((cursor?.x ?? 0) / columns);
  if (reflow === "shifted") {
    const below = lines.slice(y + 1);
    // When the window also got lower, the rows below the cursor disappeared first.
    const isBelowThere = rowsBelow === undefined || rowsBelow >= below.length;
    above = rowsIn(lines.slice(0, y)) + (isBelowThere ? rowsIn(below) - below.length : 0);
  }
  const up = (count: number) => (count > 0 ? `\u001b[${count}A` : "");
  // No more line feeds than the window has rows, since further ones would move blank rows into its history.
  const down = Math.min(lines.length, rows - 1);
  return `\r${up(above)}${ERASE_BELOW}${"\n".repeat(down)}${up(lines.length - y)}`;
}

/** The number of rows that lines take in a window of this width. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}

/** The first lines of a frame: those that a window of this size has no room for, above the cursor's row. */
export function movedLines({ lines, cursor }: Frame, { columns, rows }: Size): readonly string[] {
  const above = lines.slice(0, cursor?.y ?? lines.length);
  let left = rowsOf(above, columns) + 1 - rows;
  let count = 0;
  for (const line of above) {
    if (left <= 0) break;
    left -= rowsOf([line], columns);
    count += 1;
  }
  return above.slice(0, count);
}

type Deps = {
  readonly stdout: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly ended: AbortSignal;
  /** The frame on the screen. */
  readonly painted: () => Frame;
  /** The size for which it was drawn. */
  readonly drawnFor: () => Size;
  /** Nothing may be drawn until `adopt`. */
  readonly hold: () => void;
  /** Erases the frame as Ink does. */
  readonly clear: () => void;
  readonly adopt: (size: Size) => void;
};

/**
 * Passes a new size on at once, or, if lines would be wrapped, after the old frame is erased. A frame that no longer
 * fits is drawn again when the window rests: each one before that would leave a part in the history.
 */
export class ResizeGuard {
  readonly #deps: Deps;
  /** A terminal that never answers a query belongs to a test. Test terminals behave like xterm.js. */
  #reflow: Reflow = "shifted";
  #asking: AbortController | undefined;
  /** The terminal's size at the time of the query. */
  #askedFor: Size | undefined;
  #resting: AbortController | undefined;
  /** The action for when the window rests. */
  #afterRest: () => void = () => undefined;
  #resizedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  resized(): void {
    const { clock, hold } = this.#deps;
    const isDragged = clock.monotonicMs() - this.#resizedAt < QUIET_MS;
    this.#resizedAt = clock.monotonicMs();
    if (this.#asking) return;
    if (this.#resting) this.#rest();
    else if (isDragged) {
      // During a drag, each frame would be drawn for an outdated size.
      hold();
      this.#rest(() => this.#settle());
    } else this.#settle();
  }

  #settle(): void {
    const { stdout, painted, drawnFor, hold, adopt } = this.#deps;
    const size = sizeOf(stdout);
    const { lines } = painted();
    const isWrapped = size.columns < drawnFor().columns && lines.some((line) => textWidth(line) > size.columns);
    const isCut = lines.length >= size.rows;
    if (isWrapped || isCut) hold();
    if (isWrapped) this.#ask();
    else if (isCut) this.#clear(movedLines(painted(), size));
    else adopt(size);
  }

  /** Handles an answer of the terminal. */
  report(report: Extract<Report, { readonly about: "device" | "cursor" }>): void {
    if (report.about === "device") this.#reflow = reflowOf(report.attributes);
    else if (this.#asking) this.#erase(report.row);
  }

  #ask(): void {
    this.#asking = new AbortController();
    this.#askedFor = sizeOf(this.#deps.stdout);
    this.#deps.stdout.write(QUERY);
    this.#after(ANSWER_MS, this.#asking.signal, () => this.#erase(undefined));
  }

  #erase(cursorRow: number | undefined): void {
    const { stdout, painted, adopt } = this.#deps;
    this.#asking?.abort();
    this.#asking = undefined;
    const size = sizeOf(stdout);
    if (size.columns !== this.#askedFor?.columns || size.rows !== this.#askedFor.rows) {
      this.#rest(() => this.#settle());
      return;
    }
    const rowsBelow = cursorRow === undefined ? {} : { rowsBelow: size.rows - cursorRow };
    const isCut = rowsOf(painted().lines, size.columns) >= size.rows;
    stdout.write(eraseReflowed(painted(), { ...size, reflow: this.#reflow, ...rowsBelow }));
    // For a terminal that counts rows in its own way, the number of moved lines is unknown.
    if (isCut) this.#clear(this.#reflow === "exact" ? movedLines(painted(), size) : []);
    else adopt(size);
  }

  /**
   * Erases a frame that the window has no room for. When the window gets higher again, the terminal may bring back the lines that it
   * moved into its history: then they are erased too. A terminal that brings none back has the cursor in its first row.
   * @param moved Lines of the frame that went into the history.
   */
  #clear(moved: readonly string[]): void {
    const { clear, adopt, stdout } = this.#deps;
    clear();
    this.#rest(() => {
      const size = sizeOf(stdout);
      const back = rowsOf(moved, size.columns);
      if (back > 0) stdout.write(`\u001b[${back}A${ERASE_BELOW}`);
      adopt(size);
    });
  }

  #rest(then = this.#afterRest): void {
    this.#afterRest = then;
    this.#resting?.abort();
    this.#resting = new AbortController();
    this.#after(QUIET_MS, this.#resting.signal, () => {
      this.#resting = undefined;
      this.#afterRest();
    });
  }

  #after(ms: number, signal: AbortSignal, then: () => void): void {
    const { clock, ended } = this.#deps;
    clock.sleep(ms, AbortSignal.any([signal, ended])).then(then, () => undefined);
  }
}

export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 };
}
