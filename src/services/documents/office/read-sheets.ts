import { type ParsingOptions, read, type WorkBook } from "@e965/xlsx";
import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { namesOf } from "../named.ts";
import { type PartsWanted, partNumbers } from "../parts-wanted.ts";
import { cutRows, MAX_ROWS } from "./cut-rows.ts";
import { heldThings, linkedThings } from "./held-things.ts";
import type { Archive } from "./open-archive.ts";
import { sheetText } from "./sheet-text.ts";

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
