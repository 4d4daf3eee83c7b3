/**
 * A PDF of pages with lines of text in Helvetica, as simple as ISO 32000-1 allows (7.5): for documents of any length.
 * @param content The content stream of a page, instead of its lines.
 */
export function textPdf(
  pages: number,
  line: (page: number, index: number) => string,
  lines = 50,
  content?: string,
): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  for (let page = 1; page <= pages; page += 1) {
    const texts = Array.from(
      { length: lines },
      (_, index) => `(${line(page, index).replace(/[()\\]/g, "\\$&")}) Tj T*`,
    );
    const stream = content ?? `BT /F1 11 Tf 15 TL 50 800 Td ${texts.join(" ")} ET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${resources} /Contents ${objects.length + 2} 0 R >>`,
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  return joined(objects);
}

/** A PDF of one line, of which each glyph stands for a text by the font's own map to Unicode (ISO 32000-1, 9.10.3). */
export function glyphPdf(glyphs: readonly string[]): Buffer {
  const codes = glyphs.map((_, index) => (0x21 + index).toString(16));
  const hex = (text: string) => Buffer.from(text, "utf16le").swap16().toString("hex");
  const entries = glyphs.map((text, index) => `<${codes[index]}> <${hex(text)}>`).join(" ");
  const range = "1 begincodespacerange <00> <ff> endcodespacerange";
  const map = `begincmap ${range} ${glyphs.length} beginbfchar ${entries} endbfchar endcmap`;
  const widths = glyphs.map(() => 500).join(" ");
  const line = `BT /F1 11 Tf 50 800 Td <${codes.join("")}> Tj ET`;
  const stream = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;
  return joined([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R /FirstChar 33 /LastChar ${32 + glyphs.length} /Widths [${widths}] >>`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    stream(line),
    stream(map),
  ]);
}

function joined(objects: readonly string[]): Buffer {
  const pieces = ["%PDF-1.4\n"];
  const places: number[] = [];
  let at = pieces.join("").length;
  for (const [index, object] of objects.entries()) {
    const piece = `${index + 1} 0 obj\n${object}\nendobj\n`;
    places.push(at);
    pieces.push(piece);
    at += piece.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`);
  const size = objects.length + 1;
  pieces.push(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join("")}`);
  pieces.push(`trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`);
  return Buffer.from(pieces.join(""), "latin1");
}
