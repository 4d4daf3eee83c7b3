/** The columns after which a line below an item with one digit belongs to the item: `1. ` has as many. */
const USUAL_COLUMNS = 3;
const ITEM = /^( *)\d{1,9}[.)] +(?=\S)/;
const FENCE = /^ *(?:```|~~~)/;

/** The least columns before a line that belongs to an ordered item whose text begins at `content`. */
export function nestedColumns({ indent, content }: { readonly indent: number; readonly content: number }): number {
  return Math.min(content, indent + USUAL_COLUMNS);
}

/**
 * Lines of a list, with the lines below `10. ` as far in as its text. Models indent them by three columns, as below `9. `,
 * where CommonMark would begin another list.
 */
export function withWideItems(lines: readonly string[]): readonly string[] {
  const all = [...lines];
  let isCode = false;
  for (const [at, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    // The line itself may have been moved by an item around it.
    const item = isCode ? null : ITEM.exec(all[at] ?? "");
    if (!item) continue;
    const [whole, { length: indent } = ""] = item;
    const least = nestedColumns({ indent, content: whole.length });
    const end = all.findIndex((one, index) => index > at && one.trim() !== "" && columnsBefore(one) < least);
    const below = all.slice(at + 1, end < 0 ? all.length : end);
    const first = below.find((one) => one.trim() !== "");
    const missing = first === undefined ? 0 : whole.length - columnsBefore(first);
    if (missing > 0)
      for (const [offset, one] of below.entries())
        if (one.trim() !== "") all[at + 1 + offset] = " ".repeat(missing) + one;
  }
  return all;
}

function columnsBefore(line: string): number {
  return line.length - line.trimStart().length;
}
