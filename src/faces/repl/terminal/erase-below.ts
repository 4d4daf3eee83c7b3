/**
 * Erases the cursor's row and all rows below it; the cursor ends in the first column. A bare `ESC [ J` in the top-left
 * cell makes tmux move the whole screen into its history (`scroll-on-clear`), so the row is erased first, and the rest
 * from its second column.
 */
export const ERASE_BELOW = "\u001b[K\u001b[C\u001b[J\u001b[D";

/** The sequence that moves all rows of the window into the terminal's history, and the cursor to the first row. */
export function scrolledOut(rows: number): string {
  return `\u001b[${rows};1H${"\n".repeat(rows)}\u001b[H`;
}
