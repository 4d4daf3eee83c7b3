/** Further rows of a sheet are left out: a program reads them better. */
export const MAX_ROWS = 20_000;

const ROW_END = Buffer.from("</row>");
const SHEET_END = Buffer.from("</sheetData>");

/**
 * The XML of a sheet of an Excel workbook without the rows after the first `MAX_ROWS`, because parsing all of them can
 * take more memory than there is.
 * @returns the XML, and the number of rows that were left out.
 */
export function cutRows(xml: Uint8Array<ArrayBuffer>): {
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
