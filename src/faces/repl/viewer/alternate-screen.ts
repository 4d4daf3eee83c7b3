import { drawnLine } from "@quoll/terminal-text/drawn-line";

/**
 * Alternate screen with the cursor saved (xterm's mode 1049). Kitty's keyboard flags are kept separately for each
 * screen, so they are set here too.
 */
const ENTER = "\u001b[?1049h\u001b[>1u\u001b[?25l\u001b[2J";
const LEAVE = "\u001b[<u\u001b[?1049l";
const SHOW_CURSOR = "\u001b[?25h";
const HIDE_CURSOR = "\u001b[?25l";
/** Synchronised output (DEC mode 2026): the terminal shows the frame as a whole. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

export type AlternateFrame = {
  /** One line for each row of the window, at most as wide as the window. */
  readonly lines: readonly string[];
  readonly cursor?: { readonly x: number; readonly y: number };
};

/** The terminal's alternate screen, which has no history. Only changed rows are written. */
export class AlternateScreen {
  readonly #stdout: Pick<NodeJS.WriteStream, "write">;
  #drawn: readonly string[] | undefined;

  constructor(stdout: Pick<NodeJS.WriteStream, "write">) {
    this.#stdout = stdout;
  }

  get isOpen(): boolean {
    return this.#drawn !== undefined;
  }

  draw({ lines, cursor }: AlternateFrame): void {
    const before = this.#drawn;
    const rows = lines.flatMap((line, at) =>
      before?.[at] === line ? [] : [`\u001b[${at + 1};1H\u001b[2K${drawnLine(line)}\u001b[0m`],
    );
    const place = cursor ? `\u001b[${cursor.y + 1};${cursor.x + 1}H${SHOW_CURSOR}` : HIDE_CURSOR;
    this.#drawn = lines;
    if (before && rows.length === 0 && !cursor) return;
    this.#stdout.write(`${before ? "" : ENTER}${BEGIN}${rows.join("")}${place}${END}`);
  }

  /** The next frame is drawn completely, because the window has a new size. */
  forget(): void {
    if (!this.#drawn) return;
    this.#drawn = [];
    this.#stdout.write("\u001b[2J");
  }

  /**
   * Shows the main screen again unchanged.
   * @param hasCursor True if the cursor of the main screen was visible: the terminal does not keep this state.
   */
  leave(hasCursor: boolean): void {
    if (!this.#drawn) return;
    this.#drawn = undefined;
    this.#stdout.write(`${LEAVE}${hasCursor ? SHOW_CURSOR : HIDE_CURSOR}`);
  }
}
