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
