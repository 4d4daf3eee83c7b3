/** Writing fewer unchanged lines again costs no more than moving them. */
const MIN_MOVED = 2;

type Inserted = {
  /** From the row below the frame, and back to the row below the longer frame. */
  readonly sequence: string;
  /** The lines on the screen after it, with empty lines where the new ones belong. */
  readonly lines: readonly string[];
};

/**
 * Moves the end of a frame that has grown down, instead of writing it again: below text that streams, the prompt stays the same.
 * Both frames end with an empty line, the row below them. The last line before it changes often, so it need not be the same.
 * @returns undefined if too few lines would move.
 */
export function insertedRows(previous: readonly string[], next: readonly string[]): Inserted | undefined {
  const count = next.length - previous.length;
  if (count <= 0 || previous.at(-1) !== "" || next.at(-1) !== "") return undefined;
  let moved = 2;
  while (moved < previous.length && previous.at(-moved - 1) === next.at(-moved - 1)) moved += 1;
  if (moved - 2 < MIN_MOVED) return undefined;
  const at = previous.length - moved;
  const up = moved - 1 + count;
  return {
    // At the bottom of the terminal the line feeds scroll; below the frame there is nothing that could be moved away.
    sequence: `${"\n".repeat(count)}\u001b[${up}A\u001b[${count}L\u001b[${up}B`,
    lines: [...previous.slice(0, at), ...Array.from({ length: count }, () => ""), ...previous.slice(at)],
  };
}
