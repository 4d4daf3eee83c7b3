import { type CellObject, utils, type WorkSheet } from "@e965/xlsx";
import { namesOf } from "../named.ts";

/** A sheet with more columns is written by the names of its cells, because most of them are empty. */
const MAX_TABLE_COLUMNS = 40;

type Filled = { readonly column: number; readonly text: string };
type Row = { readonly number: number; readonly cells: readonly Filled[] };

/**
 * The cells of a sheet as a table with the letters of its columns and the numbers of its rows, without empty rows.
 * Values are written as the office program shows them; a formula only if the file has no value for it.
 */
export function sheetText(sheet: WorkSheet): string {
  const found = { formulas: 0, comments: [] as string[], links: new Set<string>() };
  const rows: Row[] = [];
  for (const [index, row] of (sheet["!data"] ?? []).entries()) {
    const cells: Filled[] = [];
    // The arrays have holes.
    row?.forEach((cell, column) => {
      const text = cellText(cell);
      if (text !== "") cells.push({ column, text });
      noteCell(cell, utils.encode_cell({ r: index, c: column }), found);
    });
    if (cells.length > 0) rows.push({ number: index + 1, cells });
  }
  const merged = (sheet["!merges"] ?? []).map((range) => utils.encode_range(range));
  const facts = [
    ...(found.formulas > 0 ? [`formulas, of which the values are shown: ${found.formulas}`] : []),
    ...namesOf("merged cells", merged),
    ...namesOf("links", found.links),
  ];
  const about = facts.length > 0 ? `(${facts.join("; ")})\n\n` : "";
  const comments = found.comments.length > 0 ? `\n\nComments:\n${found.comments.join("\n")}` : "";
  return `${about}${rows.length > 0 ? tableOf(rows) : "(no cells)"}${comments}`;
}

function cellText({ w, v, f, t }: CellObject): string {
  // Error values have a number as value and a name as text.
  const value = w ?? (v instanceof Date ? v.toISOString() : v === undefined || t === "z" ? "" : String(v));
  const text = value === "" && f !== undefined ? `=${f}` : value;
  return text
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replaceAll("|", "\\|")
    .trim();
}

function noteCell(
  { f, c, l }: CellObject,
  name: string,
  found: { formulas: number; readonly comments: string[]; readonly links: Set<string> },
): void {
  if (f !== undefined) found.formulas += 1;
  for (const { a, t } of c ?? [])
    found.comments.push(
      `- ${name}${a ? ` (${a})` : ""}: ${String(t ?? "")
        .replace(/\s+/g, " ")
        .trim()}`,
    );
  if (l?.Target) found.links.add(l.Target);
}

function tableOf(rows: readonly Row[]): string {
  const width = rows.reduce((most, { cells }) => Math.max(most, (cells.at(-1)?.column ?? 0) + 1), 0);
  if (width > MAX_TABLE_COLUMNS)
    return rows
      .map(
        ({ number, cells }) =>
          `${number}: ${cells.map(({ column, text }) => `${utils.encode_col(column)}=${text}`).join(" | ")}`,
      )
      .join("\n");
  const letters = Array.from({ length: width }, (_, column) => utils.encode_col(column));
  const lines = rows.map(({ number, cells }) => {
    const texts = Array<string>(width).fill("");
    for (const { column, text } of cells) texts[column] = text;
    return `| ${number} | ${texts.join(" | ")} |`;
  });
  return [`|  | ${letters.join(" | ")} |`, `|${" --- |".repeat(width + 1)}`, ...lines].join("\n");
}
