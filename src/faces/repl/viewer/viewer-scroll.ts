/** A line of a block. The blank line that separates blocks is the first line of the lower one. */
export type Place = { readonly block: number; readonly line: number };

/** Blocks as lines. A block is laid out only when it is asked for, so a long transcript opens at once. */
export type LaidOut = { readonly length: number; lines(block: number): readonly string[] };

/** A line on the screen. */
export type PlacedLine = Place & { readonly text: string };

/** The place of the first row if the last line is in the last row. */
export function endTop(blocks: LaidOut, rows: number): Place {
  let left = rows;
  for (let block = blocks.length - 1; block >= 0; block -= 1) {
    const count = blocks.lines(block).length;
    if (count >= left) return { block, line: count - left };
    left -= count;
  }
  return { block: 0, line: 0 };
}

/** The place `by` lines below (above, if negative), no further than the ends. */
export function moved(blocks: LaidOut, from: Place, by: number): Place {
  let { block } = from;
  let line = from.line + by;
  while (line < 0 && block > 0) {
    block -= 1;
    line += blocks.lines(block).length;
  }
  while (block < blocks.length - 1 && line >= blocks.lines(block).length) {
    line -= blocks.lines(block).length;
    block += 1;
  }
  const last = Math.max(0, (blocks.length > 0 ? blocks.lines(block).length : 0) - 1);
  return { block, line: Math.min(Math.max(0, line), last) };
}

/** The lines of a window from `top` on; fewer than `rows` only at the end. */
export function windowLines(blocks: LaidOut, top: Place, rows: number): readonly PlacedLine[] {
  const shown: PlacedLine[] = [];
  for (let { block } = top; block < blocks.length && shown.length < rows; block += 1) {
    const lines = blocks.lines(block);
    for (let line = block === top.block ? top.line : 0; line < lines.length && shown.length < rows; line += 1)
      shown.push({ block, line, text: lines[line] ?? "" });
  }
  return shown;
}

/** True if a place is above another. */
export function isBefore(a: Place, b: Place): boolean {
  return a.block < b.block || (a.block === b.block && a.line < b.line);
}
