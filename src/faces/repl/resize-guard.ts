import { textWidth } from "@quoll/terminal-text/text-width";
import type { Clock } from "../../contracts/ports.ts";
import type { Report } from "./input/decode-keys.ts";
import type { Size } from "./repl-screen-state.ts";
import type { Frame } from "./view/live-frame.ts";

/** Asks which terminal it is (DA2) and where its cursor stands (CPR). */
const QUERY = "\u001b[>c\u001b[6n";
/** A terminal that is there answers in a few milliseconds; over a slow line the frame waits this long. */
const ANSWER_MS = 120;

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
  readonly reflow: Reflow;
  /** Rows of the screen below the cursor, where that is known. */
  readonly rowsBelow?: number;
};

/**
 * What to write before Ink erases its frame, when the window got narrower: the lines of the old frame take other rows
 * now, and a part of it would stay behind. Erases all of them, and leaves the cursor where Ink will look for it.
 */
export function eraseReflowed({ lines, cursor }: Frame, { columns, reflow, rowsBelow }: Narrowed): string {
  const rowsOf = (line: string) => Math.max(1, Math.ceil(textWidth(line) / columns));
  const rowsIn = (part: readonly string[]) => part.reduce((sum, line) => sum + rowsOf(line), 0);
  const y = cursor?.y ?? lines.length;
  let above = y;
  if (reflow === "exact") above = rowsIn(lines.slice(0, y)) + Math.floor((cursor?.x ?? 0) / columns);
  if (reflow === "shifted") {
    const below = lines.slice(y + 1);
    // In a window that got lower, too, the rows below the cursor went first.
    const isBelowThere = rowsBelow === undefined || rowsBelow >= below.length;
    above = rowsIn(lines.slice(0, y)) + (isBelowThere ? rowsIn(below) - below.length : 0);
  }
  const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : "");
  return `\r${up(above)}\u001b[J${"\n".repeat(lines.length)}${up(lines.length - y)}`;
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
  readonly adopt: (size: Size) => void;
};

/** Lets a new size through at once, or, where lines would be wrapped by it, once the old frame is off the screen. */
export class ResizeGuard {
  readonly #deps: Deps;
  /** Who never answers a query is no terminal of a person, but a test's. Those are xterm.js. */
  #reflow: Reflow = "shifted";
  #waiting: AbortController | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  resized(): void {
    const { stdout, clock, ended, painted, drawnFor, hold, adopt } = this.#deps;
    if (this.#waiting) return;
    const size = sizeOf(stdout);
    const isNarrower = size.columns < drawnFor().columns;
    if (!isNarrower || !painted().lines.some((line) => textWidth(line) > size.columns)) {
      adopt(size);
      return;
    }
    const waiting = new AbortController();
    this.#waiting = waiting;
    hold();
    stdout.write(QUERY);
    clock.sleep(ANSWER_MS, AbortSignal.any([waiting.signal, ended])).then(
      () => this.#settle(undefined),
      () => undefined,
    );
  }

  /** An answer of the terminal. */
  report(report: Report): void {
    if (report.about === "device") this.#reflow = reflowOf(report.attributes);
    else if (this.#waiting) this.#settle(report.row);
  }

  #settle(cursorRow: number | undefined): void {
    const { stdout, painted, adopt } = this.#deps;
    this.#waiting?.abort();
    this.#waiting = undefined;
    const size = sizeOf(stdout);
    const rowsBelow = cursorRow === undefined ? {} : { rowsBelow: size.rows - cursorRow };
    stdout.write(eraseReflowed(painted(), { columns: size.columns, reflow: this.#reflow, ...rowsBelow }));
    adopt(size);
  }
}

export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 };
}
