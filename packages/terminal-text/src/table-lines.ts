import { textWidth } from "./text-width.ts";
import { padText } from "./truncate-text.ts";

/**
 * Rows as lines of columns, each as wide as its widest cell.
 * @param right The columns whose cells end below each other, for example numbers.
 */
export function tableLines(rows: readonly (readonly string[])[], indent = "", right: readonly number[] = []) {
  const columns = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => textWidth(row[at] ?? ""))));
  const padded = (cell: string, at: number) => padText(cell, widths[at] ?? 0, right.includes(at) ? "right" : "left");
  return rows.map((row) => `${indent}${row.map(padded).join("  ")}`.trimEnd());
}

const MIN_COLUMNS = 6;

/**
 * Narrows the widest columns first, until all of them and the gaps of two blanks fit into `columns`.
 * @returns undefined if even the narrowest form does not fit.
 */
export function fittedWidths(natural: readonly number[], columns: number): readonly number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1)) - columns;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_COLUMNS) return undefined;
    const second = Math.max(MIN_COLUMNS, ...widths.filter((_, at) => at !== widest));
    const taken = Math.max(1, Math.min(excess, width - Math.min(second, width - 1), width - MIN_COLUMNS));
    widths[widest] = width - taken;
    excess -= taken;
  }
  return widths;
}
