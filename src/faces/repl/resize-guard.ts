import { textWidth } from "@quoll/terminal-text/text-width";
import type { Clock } from "../../contracts/ports.ts";
import { ERASE_BELOW } from "./erase-below.ts";
import type { Report } from "./input/decode-keys.ts";
import type { Size } from "./repl-screen-state.ts";
import type { Frame } from "./view/live-frame.ts";

/** Asks which terminal it is (DA2) and where its cursor stands (CPR). */
const QUERY = "\u001b[>c\u001b[6n";
/** A terminal that is there answers in a few milliseconds; over a slow line the frame waits this long. */
const ANSWER_MS = 120;
/** Longer than tmux keeps the sizes of a window that is dragged to itself (250 ms). */
const QUIET_MS = 300;

/**
 * What a terminal does with long lines when it gets narrower.
 * `exact`: wraps them anew, the cursor stays on its character (tmux, VTE, kitty, iTerm2, …).
 * `shifted`: wraps them anew, but counts the rows that came below the cursor as if they had come above (xterm.js).
 * `none`: cuts them off (xterm).
 */
export type Reflow = "exact" | "shifted" | "none";

/** By the secondary device attributes: `0;276;0` is xterm.js, 41 is xterm, 77 mintty's older, 83 screen. */
export function reflowOf(attributes: string): Reflow {
  if (attributes === "0;276;0") return "shifted";
  return /^(41|83);/.test(attributes) ? "none" : "exact";
}

type Narrowed = {
  readonly columns: number;
  readonly rows: number;
  readonly reflow: Reflow;
  /** Rows of the screen below the cursor, where that is known. */
  readonly rowsBelow?: number;
};

/**
 * What to write before Ink erases its frame, when the window got narrower: the lines of the old frame take other rows
 * now, and a part of it would stay behind. Erases all of them, and leaves the cursor where Ink will look for it.
 */
export function eraseReflowed({ lines, cursor }: Frame, { columns, rows, reflow, rowsBelow }: Narrowed): string {
  const rowsIn = (part: readonly string[]) => rowsOf(part, columns);
  const y = cursor?.y ?? lines.length;
  let above = y;
  if (reflow === "exact") above = rowsIn(lines.slice(0, y)) + Math.floor((cursor?.x ?? 0) / columns);
  if (reflow === "shifted") {
    const below = lines.slice(y + 1);
    // In a window that got lower, too, the rows below the cursor went first.
    const isBelowThere = rowsBelow === undefined || rowsBelow >= below.length;
    above = rowsIn(lines.slice(0, y)) + (isBelowThere ? rowsIn(below) - below.length : 0);
  }
  const up = (count: number) => (count > 0 ? `\u001b[${count}A` : "");
  // No more line feeds than the window has rows: they would move blank rows into its history.
  const down = Math.min(lines.length, rows - 1);
  return `\r${up(above)}${ERASE_BELOW}${"\n".repeat(down)}${up(lines.length - y)}`;
}

/** The rows that lines take in a window of these columns. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}

type Deps = {
  readonly stdout: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly ended: AbortSignal;
  /** The frame that is on the screen. */
  readonly painted: () => Frame;
  /** The size that it was drawn for. */
  readonly drawnFor: () => Size;
  /** Nothing may be drawn until `adopt`. */
  readonly hold: () => void;
  /** Takes the frame off the screen, as Ink knows it. */
  readonly clear: () => void;
  readonly adopt: (size: Size) => void;
};

/**
 * Lets a new size through at once, or, where lines would be wrapped by it, once the old frame is off the screen. A frame that
 * has no room any more is drawn anew when the window rests: each one between would leave a part of itself in the history.
 */
export class ResizeGuard {
  readonly #deps: Deps;
  /** Who never answers a query is no terminal of a person, but a test's. Those are xterm.js. */
  #reflow: Reflow = "shifted";
  #asking: AbortController | undefined;
  /** The size that the terminal was asked at. */
  #askedFor: Size | undefined;
  #resting: AbortController | undefined;
  /** What is done once the window rests. */
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
      // Each frame of a window that is being dragged would be drawn for a size that it has no more.
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
    else if (isCut) this.#clear();
    else adopt(size);
  }

  /** An answer of the terminal. */
  report(report: Report): void {
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
    if (isCut) this.#clear();
    else adopt(size);
  }

  #clear(): void {
    const { clear, adopt, stdout } = this.#deps;
    clear();
    this.#rest(() => adopt(sizeOf(stdout)));
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
