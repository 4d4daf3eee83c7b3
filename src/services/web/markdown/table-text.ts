import { Flow } from "./flow.ts";

export type Cell = { readonly flow: Flow; readonly columns: number; readonly rows?: number };
export type Row = readonly Cell[];

/** More columns of one cell are no table for a reader. */
const MAX_SPAN = 50;
/** Cells that reach below their row count in so many columns. */
const MAX_COVERED_COLUMNS = 200;

/** The columns or the rows that a cell covers, from its attribute. */
export function spanOf(attribute: string | undefined): number {
  const span = Number(attribute);
  return Number.isInteger(span) && span > 0 ? Math.min(span, MAX_SPAN) : 1;
}

/** A table in GitHub's Markdown, or its cells one below the other if one of them holds more than a line of text. */
export function tableText(rows: readonly Row[], caption: string): string {
  const filled = withCovered(rows).filter((row) => row.some(({ flow }) => !flow.isEmpty));
  const isLayout = filled.some((row) => row.some(({ flow }) => flow.isComplex));
  const width = filled.reduce((most, row) => Math.max(most, columnsOf(row)), 0);
  if (isLayout || width < 2) {
    const cells = filled.flatMap((row) => row.map(({ flow }) => flow.text())).filter((text) => text !== "");
    return [caption, ...cells].filter((text) => text !== "").join("\n\n");
  }
  const [head = "", ...body] = filled.map((row) => rowText(row, width));
  const lines = [head, `|${" --- |".repeat(width)}`, ...body].join("\n");
  return caption === "" ? lines : `${caption}\n\n${lines}`;
}

/** The rows with an empty cell wherever a cell of an earlier row covers the place. */
function withCovered(rows: readonly Row[]): readonly Row[] {
  if (rows.every((row) => row.every((cell) => (cell.rows ?? 1) === 1))) return rows;
  /** How many further rows each column is covered in. */
  const covered: number[] = [];
  return rows.map((row) => {
    const placed: Cell[] = [];
    let column = 0;
    const skip = () => {
      for (; (covered[column] ?? 0) > 0; column += 1) {
        covered[column] = (covered[column] ?? 0) - 1;
        placed.push({ flow: new Flow(), columns: 1 });
      }
    };
    for (const cell of row) {
      skip();
      placed.push(cell);
      for (const end = column + cell.columns; column < end; column += 1)
        if (column < MAX_COVERED_COLUMNS) covered[column] = (cell.rows ?? 1) - 1;
    }
    skip();
    return placed;
  });
}

function columnsOf(row: Row): number {
  return row.reduce((sum, { columns }) => sum + columns, 0);
}

function rowText(row: Row, width: number): string {
  const cells = row.flatMap(({ flow, columns }) => [cellText(flow), ...Array<string>(columns - 1).fill("")]);
  while (cells.length < width) cells.push("");
  return `| ${cells.join(" | ")} |`;
}

function cellText(flow: Flow): string {
  return flow
    .text(" ")
    .replace(/\s*\n\s*/g, " ")
    .replace(/\|/g, "\\|");
}
