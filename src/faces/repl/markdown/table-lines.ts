import { textWidth } from "@quoll/terminal-text/text-width";
import { padText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Tokens } from "marked";
import type { Theme } from "../view/theme.ts";
import { inlineText } from "./inline.ts";

const GAP = "  ";
const MIN_COLUMNS = 6;

/** A table in columns; if they would be too narrow, each row as `head: cell` lines. */
export function tableLines(table: Tokens.Table, columns: number, theme: Theme): readonly string[] {
  const head = table.header.map((cell) => theme.strong(inlineText(cell.tokens, theme)));
  const rows = table.rows.map((row) => row.map((cell) => inlineText(cell.tokens, theme)));
  const widths = fit(
    head.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? "")].map(textWidth))),
    columns - GAP.length * (head.length - 1),
  );
  if (!widths) return stacked(head, rows, columns);
  const line = (cells: readonly string[]) => tableRow(cells, widths, table.align);
  return [...line(head), theme.dim(widths.map((width) => "─".repeat(width)).join(GAP)), ...rows.flatMap(line)];
}

/** Narrows the widest columns first. @returns undefined if even the narrowest form does not fit. */
function fit(natural: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
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

function tableRow(
  cells: readonly string[],
  widths: readonly number[],
  align: Tokens.Table["align"],
): readonly string[] {
  const wrapped = widths.map((width, at) => wrapText(cells[at] ?? "", width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, at) => padText(wrapped[at]?.[row] ?? "", width, align[at] === "right" ? "right" : "left"))
      .join(GAP)
      .trimEnd(),
  );
}

function stacked(head: readonly string[], rows: readonly (readonly string[])[], columns: number): readonly string[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [""] : []),
    ...row.flatMap((cell, at) => wrapText(`${head[at] ?? ""}: ${cell}`, columns)),
  ]);
}
