const MAX_TITLE_CHARS = 200;

/** A command in one line, cut to a length that fits a list. */
export function titleOf(command: string): string {
  const line = command
    .trim()
    // A continued line counts as one line.
    .replace(/\s*\\\n\s*/g, " ")
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replace(/\s+/g, " ");
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line;
}
