import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentText, PartRange } from "../../../src/contracts/documents.ts";
import { convertDocument } from "../../../src/services/documents/convert-document.ts";
import { MarkdownWriter } from "../../../src/services/web/markdown/markdown-writer.ts";
import { visible } from "../../../src/services/web/visible-text.ts";
import { changedArchive } from "../../support/changed-archive.ts";
import { deepTest } from "../../support/deep.ts";
import { glyphPdf, textPdf } from "../../support/text-pdf.ts";

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../../support/documents", name));

const newWriter = () => new MarkdownWriter({ url: "about:blank", keepsAround: true });

function converted(bytes: Uint8Array, range?: PartRange, maxParts = 20, enoughMs = 8_000) {
  return convertDocument({ as: "document", range, maxParts, enoughMs }, bytes, { newWriter, visible });
}

async function reading(bytes: Uint8Array, range?: PartRange): Promise<DocumentText> {
  const answer = await converted(bytes, range);
  if (!("parts" in answer)) throw new Error(JSON.stringify(answer));
  return answer;
}

const textOf = async (bytes: Uint8Array, range?: PartRange) =>
  (await reading(bytes, range)).parts.map(({ text }) => text).join("\n---\n");

async function problem(bytes: Uint8Array): Promise<string> {
  const answer = await converted(bytes);
  return "problem" in answer ? answer.problem : JSON.stringify(answer);
}

/** The facts of the report, which every format of it has to keep. */
const REPORT = [
  "Harvest report",
  "northern",
  "the full report",
  "Early",
  "Pears, all kinds",
  "Größe, naïve",
  "Counted on 3 October.",
];

describe("a PDF", () => {
  test.each([
    ["signs of units, full-width forms and exponents", [..."5µm, 20Å, 3\u2126, 4\u212b, Ａ，①, x²½"], undefined],
    ["ligatures", [..."ﬁﬂ oﬃce ﬀ ﬆ"], "fifl office ff st"],
    ["letters that several glyphs or one stand for", ["e\u0301", "\u00e9", "fi"], undefined],
    [
      "glyph forms of Hebrew, from the right",
      ["\ufb2a", "\u05d0", "\ufb4b", "\u05d1"],
      "\u05d1\u05d5\u05b9\u05d0\u05e9\u05c1",
    ],
    ["glyph forms of Arabic, from the right", ["\ufea2", "\ufefc", "\ufeb3"], "\u0633\u0644\u0627\u062d"],
    ["blanks of every width", [..."a\u00a0b\u2009c\u3000d"], "a b c d"],
  ])("keeps %s as a reader copies them", async (_, glyphs, expected = glyphs.join("")) => {
    expect(await textOf(glyphPdf(glyphs))).toBe(expected);
  });

  test("gives its pages with the words where they stand", async () => {
    const { kind, unit, total, parts, notes } = await reading(fixture("report.pdf"));
    expect({ kind, unit, total, numbers: parts.map(({ number }) => number) }).toEqual({
      kind: "PDF document",
      unit: "page",
      total: 2,
      numbers: [1, 2],
    });
    const [first, second] = parts;
    for (const fact of REPORT.slice(0, 5)) expect(first?.text).toContain(fact);
    expect(second?.text).toStartWith("Second page: Größe, naïve.");
    // The columns of a table begin in the same place.
    const rows = first?.text.split("\n").filter((line) => /^(?:Variety|Apples {2}|Pears)/.test(line)) ?? [];
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => row.search(/(?:Price|4\.50|5\.25)/))).size).toBe(1);
    expect(first?.text).toContain("last year1. See");
    expect(notes).toContain("links of these pages: https://orchard.example/report");
  });

  test("gives only the pages that were asked for", async () => {
    const pdf = textPdf(30, (page) => `This is page ${page}.`, 2);
    const numbers = async (range?: PartRange) => (await reading(pdf, range)).parts.map(({ number }) => number);
    expect(await numbers({ first: 3, last: 5 })).toEqual([3, 4, 5]);
    expect(await numbers({ first: 29 })).toEqual([29, 30]);
    expect(await numbers({ first: 4, last: 4 })).toEqual([4]);
    expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await textOf(pdf, { first: 4, last: 4 })).toBe("This is page 4.\nThis is page 4.");
    expect(await converted(pdf, { first: 31 })).toEqual({ problem: "has no page 31: it has 30." });
  });

  test("begins no further page when the time is used up", async () => {
    const answer = await converted(
      textPdf(5, () => "words", 2),
      undefined,
      20,
      -1,
    );
    expect("parts" in answer && answer.parts.map(({ number }) => number)).toEqual([1]);
  });

  test("of two columns is read one column after the other", async () => {
    const text = await textOf(fixture("columns.pdf"));
    const places = ["A title that runs", "L1 The", "L4 The", "R1 The", "R4 The"].map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(text).toContain("L1 The orchard lies on a slope above\nthe river");
  });

  test("shows the values of its form, and names embedded files and JavaScript", async () => {
    const { parts, notes } = await reading(fixture("form.pdf"));
    expect(parts[0]?.text).toBe("Name:  Ada Lovelace\n\nOrganic:  [x]");
    expect(notes).toEqual([
      "title: Order form",
      "embedded files, not opened: prices.csv",
      "it holds JavaScript, which was not run",
    ]);
  });

  test("of scanned pages has pages without text", async () => {
    expect((await reading(fixture("scan.pdf"))).parts.map(({ text }) => text)).toEqual(["", ""]);
  });

  test.each([
    ["with a password", fixture("locked.pdf"), "is encrypted and needs a password"],
    ["that was cut off", fixture("report.pdf").subarray(0, 9_000), "is damaged"],
    ["of one line", Buffer.from("%PDF-1.7\nhello"), "is damaged"],
    [
      "whose pages contain themselves",
      Buffer.from(
        textPdf(1, () => "a")
          .toString("latin1")
          .replace("/Kids [4 0 R]", "/Kids [2 0 R]"),
        "latin1",
      ),
      "is damaged",
    ],
  ])("%s is refused in one line", async (_, bytes, words) => {
    const line = await problem(bytes);
    expect(line).toStartWith(words);
    expect(line).not.toContain("\n");
  });

  test("gives some of its pages as a PDF", async () => {
    const order = { as: "part-of-pdf", pages: [2] } as const;
    const answer = await convertDocument(order, fixture("report.pdf"), { newWriter, visible });
    const part = Buffer.from("base64" in answer ? answer.base64 : "", "base64");
    expect(await textOf(part)).toStartWith("Second page");
    expect((await reading(part)).total).toBe(1);
  });
});

describe("a text document", () => {
  test.each(["report.docx", "report.odt"])(
    "%s becomes Markdown with headings, lists, tables, notes and comments",
    async (name) => {
      const { unit, total, parts } = await reading(fixture(name));
      const text = parts[0]?.text ?? "";
      expect({ unit, total }).toEqual({ unit: "text", total: 1 });
      for (const fact of REPORT) expect(text).toContain(fact);
      expect(text).toContain("# Harvest report");
      expect(text).toContain("## Varieties");
      expect(text).toContain("- Apples\n  - Early\n  - Late\n- Pears");
      expect(text).toContain("1. Pick\n2. Wash");
      expect(text).toContain("**northern**");
      expect(text).toContain("[the full report](https://orchard.example/report)");
      expect(text).toContain("| Pears, all kinds |  | 5.25 |");
      expect(text).toContain("| Plums | 30 | 6.00 |\n|  | 12 | 7.00 |");
      expect(text).toContain("Is this still true?");
    },
  );

  test("names macros, embedded and linked files", async () => {
    const relation = (id: string, type: string, target: string) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}" TargetMode="External"/></Relationships>`;
    const docm = changedArchive(fixture("report.docx"), {
      "word/vbaProject.bin": "macros",
      "word/embeddings/oleObject1.bin": "object",
      "word/_rels/document.xml.rels": (xml) =>
        xml.replace("</Relationships>", relation("rx", "attachedTemplate", "http://evil.example/t.dotm")),
    });
    expect((await reading(docm)).notes).toEqual([
      "it holds macros, which were not run",
      "embedded files, not opened: word/embeddings/oleObject1.bin",
      "linked files, not opened: http://evil.example/t.dotm",
    ]);
  });

  test("leaves deleted text of tracked changes out", async () => {
    const changed =
      "<text:tracked-changes><text:changed-region><text:deletion><text:p>old words</text:p></text:deletion></text:changed-region></text:tracked-changes>";
    const odt = changedArchive(fixture("report.odt"), {
      "content.xml": (xml) => xml.replace(/(<office:text[^>]*>)/, `$1${changed}`),
    });
    expect(await textOf(odt)).not.toContain("old words");
  });

  test("in the old binary format says how to convert it", async () => {
    expect(await problem(fixture("report.doc"))).toContain("soffice --headless --convert-to docx");
  });

  test("has no characters that a person does not see", async () => {
    const docx = changedArchive(fixture("report.docx"), {
      "word/document.xml": (xml) => xml.replace("foreman", "fore&#x200b;man&#xE0041;\u202e"),
    });
    expect(await textOf(docx)).toMatch(/the foreman(?!\u202e)/);
  });
});

describe("a workbook", () => {
  test.each(["budget.xlsx", "budget.ods", "budget.xls"])("%s gives its sheets as tables of values", async (name) => {
    const { unit, total, parts } = await reading(fixture(name));
    expect({ unit, total, titles: parts.map(({ title }) => title) }).toEqual({
      unit: "sheet",
      total: 3,
      titles: ["Sales", "Notes", "Empty"],
    });
    expect(parts[0]?.text).toBe(
      [
        "(formulas, of which the values are shown: 2; merged cells: A1:C1)",
        "",
        "|  | A | B | C | D |",
        "| --- | --- | --- | --- | --- |",
        "| 1 | Sales 2026 |  |  |  |",
        "| 2 | Day | Crates | Share | Sold |",
        "| 3 | 2026-10-03 | 120 | 60.0% | TRUE |",
        "| 4 | 2026-10-04 | 80.5 | 40.0% | FALSE |",
        "| 8 | Sum \\| all | 200.5 |  | #DIV/0! |",
      ].join("\n"),
    );
    expect(parts[1]?.text).toContain("| 1 | Two lines ⏎ in one cell |");
    expect(parts[1]?.text).toContain("- A1 (Ada): Ask Bob.");
    expect(parts[2]?.text).toBe("(no cells)");
  });

  test("gives one sheet and names the others", async () => {
    const { parts, contents } = await reading(fixture("budget.xlsx"), { first: 2, last: 2 });
    expect(parts.map(({ title }) => title)).toEqual(["Notes"]);
    expect(contents).toContainEqual({ title: "Sales", number: 1 });
  });

  const sheet = (change: (xml: string) => string) =>
    changedArchive(fixture("budget.xlsx"), { "xl/worksheets/sheet1.xml": change });

  test("shows a formula that has no value yet, as programs write it", async () => {
    const xlsx = sheet((xml) =>
      xml.replace(
        "</sheetData>",
        '<row r="9"><c r="A9"><f>SUM(B3:B4)</f></c><c r="B9"><f>B8*2</f><v></v></c></row></sheetData>',
      ),
    );
    expect(await textOf(xlsx, { first: 1, last: 1 })).toContain("| 9 | =SUM(B3:B4) | =B8*2 |");
  });

  deepTest("with a cell in the last row and column stays small", async () => {
    const far = '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData>';
    const text = await textOf(
      sheet((xml) => xml.replace("</sheetData>", far)),
      { first: 1, last: 1 },
    );
    expect(text).toContain("1048576: XFD=7");
    expect(text.length).toBeLessThan(1_000);
  });

  deepTest("leaves rows after the first 20,000 out and says so", async () => {
    const rows = Array.from(
      { length: 25_000 },
      (_, index) => `<row r="${index + 9}"><c r="A${index + 9}"><v>${index}</v></c></row>`,
    );
    const { parts, notes } = await reading(
      sheet((xml) => xml.replace("</sheetData>", `${rows.join("")}</sheetData>`)),
      {
        first: 1,
        last: 1,
      },
    );
    expect(notes[0]).toMatch(/^only the first 20000 rows .* 50\d\d more/);
    expect(parts[0]?.text.match(/^\| \d/gm)?.length).toBeGreaterThan(19_000);
  });
});

describe("a presentation", () => {
  test("gives its slides with titles, lists, tables, notes and hidden slides", async () => {
    const { kind, unit, total, parts, notes } = await reading(fixture("plan.pptx"));
    expect({ kind, unit, total, titles: parts.map(({ title }) => title) }).toEqual({
      kind: "PowerPoint presentation",
      unit: "slide",
      total: 3,
      titles: ["Orchard plan", "Costs", "Spare (hidden)"],
    });
    expect(parts[0]?.text).toBe(
      "- Plant in March\n  - Only apples\n- Water daily, see [the guide](https://orchard.example/water)\n\nNotes: Say hello to the guests.\nThen begin.".replace(
        "\nThen",
        " Then",
      ),
    );
    expect(parts[1]?.text).toContain("| Item | Cost \\| year |\n| --- | --- |\n| Trees, all |  |\n| Water | 120 |");
    expect(parts[1]?.text).toContain("[picture: A pear tree]");
    expect(notes.join("; ")).toContain("Microsoft_Excel_Worksheet1.xlsx");
  });

  test("of OpenDocument gives its slides with notes", async () => {
    const { total, parts } = await reading(fixture("talk.odp"), { first: 1, last: 1 });
    expect(total).toBe(2);
    expect(parts[0]?.text).toContain("- Plant in March");
    expect(parts[0]?.text).toContain("  - Only apples");
    expect(parts[0]?.text).toContain("Notes: Say hello to the guests.");
  });
});

describe("an EPUB book", () => {
  test("gives its chapters in the order of reading, with their titles", async () => {
    const { kind, unit, total, parts } = await reading(fixture("report.epub"));
    expect({ kind, unit, total, title: parts[0]?.title }).toEqual({
      kind: "EPUB book",
      unit: "chapter",
      total: 1,
      title: "Harvest report",
    });
    for (const fact of REPORT) expect(parts[0]?.text).toContain(fact);
    expect(parts[0]?.text).toContain("| Apples | 120 | 4.50 |");
  });

  test("follows the order of its spine and not of its files, and takes titles of its NCX", async () => {
    const epub = changedArchive(fixture("report.epub"), {
      "OEBPS/z.xhtml": "<html><body><p>The beginning.</p><script>x()</script></body></html>",
      "OEBPS/content.opf": (xml) =>
        xml
          .replace("</manifest>", '<item id="z" href="z.xhtml" media-type="application/xhtml+xml"/></manifest>')
          .replace(/<spine([^>]*)>/, '<spine$1><itemref idref="z"/>'),
      "OEBPS/toc.ncx": (xml) =>
        xml.replace(
          "<navMap>",
          '<navMap><navPoint id="p0"><navLabel><text>Opening</text></navLabel><content src="z.xhtml#a"/></navPoint>',
        ),
    });
    const { parts } = await reading(epub, { first: 1, last: 1 });
    expect(parts).toEqual([{ number: 1, title: "Opening", text: "The beginning." }]);
  });

  test("gives its title and the names of its chapters without characters that a person does not see", async () => {
    const hidden = "\u200b\u{e0041}\x1b[31m";
    const epub = changedArchive(fixture("report.epub"), {
      "OEBPS/z.xhtml": "<html><body><p>The end.</p></body></html>",
      "OEBPS/content.opf": (xml) =>
        xml
          .replace(/(?<=<dc:title[^>]*>)/, hidden)
          .replace("</manifest>", '<item id="z" href="z.xhtml" media-type="application/xhtml+xml"/></manifest>')
          .replace("</spine>", '<itemref idref="z"/></spine>'),
      "OEBPS/toc.ncx": (xml) =>
        xml.replace(
          "<navMap>",
          `<navMap><navPoint id="p0"><navLabel><text>${hidden}Ending</text></navLabel><content src="z.xhtml"/></navPoint>`,
        ),
    });
    const { contents, notes } = await reading(epub, { first: 1, last: 1 });
    expect(contents.map(({ title }) => title)).toContain("Ending");
    expect(notes.join()).toMatch(/^title: [\w ,]+$/);
  });

  test("with copy protection is refused", async () => {
    const epub = changedArchive(fixture("report.epub"), {
      "META-INF/encryption.xml":
        '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></enc:EncryptedData></encryption>',
    });
    expect(await problem(epub)).toStartWith("is protected against copying");
  });
});

describe("a fault of an archive", () => {
  const encrypted = changedArchive(fixture("report.odt"), {
    "META-INF/manifest.xml": (xml) =>
      xml.replace("</manifest:manifest>", "<manifest:encryption-data/></manifest:manifest>"),
  });
  const many = changedArchive(
    fixture("report.docx"),
    Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`word/x${index}.xml`, ""])),
  );

  test.each([
    ["a Word document with a password", fixture("locked.docx"), "is encrypted and needs a password"],
    ["an old Excel workbook with a password", fixture("locked.xls"), "is encrypted and needs a password"],
    ["an OpenDocument text with a password", encrypted, "is encrypted and needs a password"],
    ["a document that was cut off", fixture("report.docx").subarray(0, 5_000), "is damaged"],
    [
      "a document whose list of files is garbage",
      Buffer.concat([fixture("report.docx").subarray(0, 5_000), Buffer.alloc(99)]),
      "is damaged",
    ],
    ["too many files", many, "holds more than 20000 files"],
    ["a mail", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 a mail", "latin1"), "is a compound file"],
    [
      "an archive of another kind",
      changedArchive(new Uint8Array(Buffer.from(`504b0506${"00".repeat(18)}`, "hex")), { "a.txt": "a" }),
      "is a ZIP archive and no document",
    ],
  ])("%s is one line", async (_, bytes, words) => {
    const line = await problem(bytes);
    expect(line).toStartWith(words);
    expect(line).not.toContain("\n");
  });

  const LAUGHS = `<!DOCTYPE x [<!ENTITY l "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index} "${(index === 0 ? "&l;" : `&l${index - 1};`).repeat(10)}">`).join("")}]>`;
  const laughing = (name: string, entry: string, word: string) =>
    changedArchive(fixture(name), {
      [entry]: (xml) => xml.replace(/^(?:<\?xml.*?\?>)?\s*/, (head) => head + LAUGHS).replaceAll(word, "&l8;"),
    });

  test.each([
    ["report.docx", "word/document.xml", "foreman"],
    ["report.odt", "content.xml", "foreman"],
    ["plan.pptx", "ppt/slides/slide1.xml", "Plant"],
    ["budget.xlsx", "xl/sharedStrings.xml", "Crates"],
    ["report.epub", "OEBPS/sections/section0001.xhtml", "foreman"],
  ])("entities of %s that stand for billions of words are not replaced", async (name, entry, word) => {
    const answer = JSON.stringify(await converted(laughing(name, entry, word)));
    expect(answer.length).toBeLessThan(10_000);
    expect(answer).not.toContain("haha");
  });
});
