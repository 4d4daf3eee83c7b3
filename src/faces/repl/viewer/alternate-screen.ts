/**
 * Alternate screen with the cursor saved (xterm's mode 1049). Kitty's keyboard flags are kept for each screen apart, so
 * they are set there too.
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

/** The terminal's second screen, which has no history. Only rows that changed are written. */
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
      before?.[at] === line ? [] : [`\u001b[${at + 1};1H\u001b[2K${line}\u001b[0m`],
    );
    const place = cursor ? `\u001b[${cursor.y + 1};${cursor.x + 1}H${SHOW_CURSOR}` : HIDE_CURSOR;
    this.#drawn = lines;
    if (before && rows.length === 0 && !cursor) return;
    this.#stdout.write(`${before ? "" : ENTER}${BEGIN}${rows.join("")}${place}${END}`);
  }

  /** The next frame is drawn in full: the window has a new size. */
  forget(): void {
    if (!this.#drawn) return;
    this.#drawn = [];
    this.#stdout.write("\u001b[2J");
  }

  /**
   * Shows the first screen again as it was. @param hasCursor True if its cursor was visible: the terminal does not keep
   * that.
   */
  leave(hasCursor: boolean): void {
    if (!this.#drawn) return;
    this.#drawn = undefined;
    this.#stdout.write(`${LEAVE}${hasCursor ? SHOW_CURSOR : HIDE_CURSOR}`);
  }
}
