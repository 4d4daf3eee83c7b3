import { type CellObject, type ParsingOptions, read, utils, type WorkBook, type WorkSheet } from "@e965/xlsx";
import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { namesOf } from "../named.ts";
import { type PartsWanted, partNumbers } from "../parts-wanted.ts";
import type { Archive } from "./open-archive.ts";
import { heldThings, linkedThings } from "./relations.ts";

/** Entries with text of a workbook: no pictures, macros and embedded files. */
const NEEDED = /\.(?:xml|rels)$|^xl\/.*\.bin$|^mimetype$/i;
const UNNEEDED =
  /vbaProject\.bin$|^xl\/(?:media|embeddings|activeX|ctrlProps|printerSettings|drawings\/(?!vml)|charts|customProperty)/i;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;
const EXTERNAL = /^xl\/externalLinks\/externalLink\d+\.(?:xml|bin)$/;

/** The sheets of a workbook as tables. */
export function readSheets(archive: Archive, wanted: PartsWanted): DocumentText {
  let left = 0;
  const bytes = archive.only(
    (name) => NEEDED.test(name) && !UNNEEDED.test(name),
    (name, entry) => {
      if (!SHEET.test(name)) return entry;
      const cut = cutRows(entry);
      left += cut.left;
      return cut.xml;
    },
  );
  const links = archive.names.filter((name) => EXTERNAL.test(name));
  const isConnected = archive.has("xl/connections.xml");
  return workbookText(bytes, wanted, [
    ...(left > 0 ? [`only the first ${MAX_ROWS} rows of a sheet are read; ${left} more rows are left out`] : []),
    ...heldThings(archive),
    ...linkedThings(archive, links),
    ...(isConnected ? ["it holds data connections, which were not opened"] : []),
  ]);
}

/** The sheets of a workbook in any of the formats that the library knows. */
export function workbookText(bytes: Uint8Array, wanted: PartsWanted, notes: readonly string[]): DocumentText {
  const options: ParsingOptions = {
    type: "array",
    dense: true,
    cellHTML: false,
    cellFormula: true,
    cellText: true,
    dateNF: "yyyy-mm-dd",
    // A formula without a value is a stub.
    sheetStubs: true,
  };
  const { SheetNames: names } = read(bytes, { type: "array", bookSheets: true });
  const numbers = partNumbers(wanted, names.length, "sheet");
  const book = read(bytes, { ...options, sheets: numbers.map((number) => number - 1) });
  const parts: DocumentPart[] = [];
  for (const number of numbers) {
    if (parts.length > 0 && wanted.isEnough()) break;
    const name = names[number - 1] ?? "";
    const sheet = book.Sheets[name];
    const title = isHidden(book, number) ? `${name} (hidden)` : name;
    parts.push({ number, title, text: sheet ? sheetText(sheet) : "(no cells)" });
  }
  const isPart = parts.length < names.length;
  const contents = isPart ? names.map((title, index) => ({ title, number: index + 1 })) : [];
  return {
    kind: "workbook",
    unit: "sheet",
    total: names.length,
    parts,
    contents,
    notes: [...notes, ...namedRanges(book)],
  };
}

function isHidden({ Workbook }: WorkBook, number: number): boolean {
  return Boolean(Workbook?.Sheets?.[number - 1]?.Hidden);
}

function namedRanges({ Workbook }: WorkBook): readonly string[] {
  const names = (Workbook?.Names ?? []).filter(({ Name }) => !Name.startsWith("_xlnm"));
  return namesOf(
    "named ranges",
    names.map(({ Name, Ref }) => `${Name} = ${Ref}`),
  );
}

/** Further rows of a sheet are left out: a program reads them better. */
const MAX_ROWS = 20_000;

const ROW_END = Buffer.from("</row>");
const SHEET_END = Buffer.from("</sheetData>");

/**
 * The XML of a sheet of an Excel workbook without the rows after the first `MAX_ROWS`, because parsing all of them can
 * take more memory than there is.
 * @returns the XML, and the number of rows that were left out.
 */
function cutRows(xml: Uint8Array<ArrayBuffer>): {
  readonly xml: Uint8Array<ArrayBuffer>;
  readonly left: number;
} {
  const sheet = Buffer.from(xml.buffer, xml.byteOffset, xml.byteLength);
  let at = 0;
  for (let rows = 0; rows < MAX_ROWS; rows += 1) {
    const end = sheet.indexOf(ROW_END, at);
    if (end < 0) return { xml, left: 0 };
    at = end + ROW_END.length;
  }
  const end = sheet.indexOf(SHEET_END, at);
  if (end < 0) return { xml, left: 0 };
  let left = 0;
  for (let row = sheet.indexOf(ROW_END, at); row >= 0 && row < end; row = sheet.indexOf(ROW_END, row + 1)) left += 1;
  return { xml: Buffer.concat([sheet.subarray(0, at), sheet.subarray(end)]), left };
}

/** A sheet with more columns is written by the names of its cells, because most of them are empty. */
const MAX_TABLE_COLUMNS = 40;

type Filled = { readonly column: number; readonly text: string };
type Row = { readonly number: number; readonly cells: readonly Filled[] };

/**
 * The cells of a sheet as a table with the letters of its columns and the numbers of its rows, without empty rows.
 * Values are written as the office program shows them; a formula only if the file has no value for it.
 */
function sheetText(sheet: WorkSheet): string {
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
