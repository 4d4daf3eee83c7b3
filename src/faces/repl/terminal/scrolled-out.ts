/** The sequence that moves all rows of the window into the terminal's history, and the cursor to the first row. */
export function scrolledOut(rows: number): string {
  return `\u001b[${rows};1H${"\n".repeat(rows)}\u001b[H`;
}
