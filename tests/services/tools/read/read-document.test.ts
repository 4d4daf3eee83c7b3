import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { DocumentBlock, ToolResultContent } from "../../../../src/contracts/message.ts";
import { changedArchive } from "../../../support/changed-archive.ts";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { documentReader } from "../../../support/test-documents.ts";
import { textPdf } from "../../../support/text-pdf.ts";
import { failure, fileTools } from "../call-tool.ts";

setDefaultTimeout(60_000);

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../../../support/documents", name));
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const neither = () => ({ images: false, documents: false });
const imagesOnly = () => ({ images: true, documents: false });

const kinds = (content: ToolResultContent) =>
  typeof content === "string" ? ["text"] : content.map(({ type }) => type);
const lastLine = (text: string) => text.split("\n").at(-1);

describe("a PDF", () => {
  test("is read as text with a heading for each page", async () => {
    await using project = await tempProject({ "report.pdf": fixture("report.pdf") });
    const text = await fileTools(project.dir).read("report.pdf");
    const lines = text.split("\n");
    expect(lines[0]).toStartWith("report.pdf: PDF document, 2 pages, 32,840 bytes");
    expect(lines[1]).toBe("--- page 1 of 2 ---");
    expect(lines[2]).toBe("Harvest report");
    expect(lines).toContain("--- page 2 of 2 ---");
    expect(lastLine(text)).toBe("[links of these pages: https://orchard.example/report]");
  });

  test("gives the pages of a call, and the answer says how to go on", async () => {
    await using project = await tempProject({ "a.pdf": textPdf(50, (page) => `Words of page ${page}.`, 3) });
    const { read, prepare } = fileTools(project.dir);
    const pagesOf = (text: string) =>
      [...text.matchAll(/^--- page (\d+) of 50 ---$/gm)].map(([, number]) => Number(number));

    const first = await read("a.pdf");
    expect(pagesOf(first)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(lastLine(first)).toBe('[pages 1–20 of 50; go on with pages: "21-"]');
    const some = await read({ file_path: "a.pdf", pages: "3-4" });
    expect(pagesOf(some)).toEqual([3, 4]);
    expect(some).toEndWith("--- page 4 of 50 ---\nWords of page 4.\nWords of page 4.\nWords of page 4.");
    expect((await prepare.read({ file_path: "a.pdf", pages: "3-4" })).title).toBe("a.pdf, pages 3-4");
    expect((await prepare.read({ file_path: "a.pdf", pages: "3" })).title).toBe("a.pdf, page 3");
  });

  deepTest("has an answer for pages that it does not have", async () => {
    await using project = await tempProject({ "a.pdf": textPdf(3, () => "Words.", 1) });
    const { read } = fileTools(project.dir);
    const last = await read({ file_path: "a.pdf", pages: "2-" });
    expect([...last.matchAll(/^--- page (\d)/gm)].map(([, number]) => number)).toEqual(["2", "3"]);
    expect(last).not.toContain("go on");
    expect(await failure(read({ file_path: "a.pdf", pages: "60" }))).toBe("a.pdf has no page 60: it has 3.");
    expect(await failure(read({ file_path: "a.pdf", pages: "two" }))).toContain('pages takes one range, such as "1-5"');
  });

  deepTest("with more text than a call gives ends with a whole page", async () => {
    await using project = await tempProject({ "a.pdf": textPdf(20, () => "words and more ".repeat(10), 60) });
    const text = await fileTools(project.dir).read("a.pdf");
    expect(text.length).toBeLessThan(101_000);
    const pages = [...text.matchAll(/^--- page (\d+)/gm)].length;
    expect(lastLine(text)).toBe(`[go on with pages: "${pages + 1}-"]`);
    expect(text.split("\n").at(-2)).toStartWith("words and more");
  });

  deepTest("that was read is not sent again unchanged, and can't be edited", async () => {
    await using project = await tempProject({ "report.pdf": fixture("report.pdf") });
    const { read, edit } = fileTools(project.dir);
    const page = { file_path: "report.pdf", pages: "2" };
    expect(await read(page)).toContain("Second page");
    expect(await read(page)).toContain("unchanged");
    expect(await read({ file_path: "report.pdf", pages: "1" })).toContain("Harvest report");
    const change = { file_path: "report.pdf", old_string: "Second", new_string: "Third" };
    expect(await failure(edit(change))).toStartWith("report.pdf is binary; Edit changes text only.");
    expect(readFileSync(project.path("report.pdf")).equals(fixture("report.pdf"))).toBe(true);
  });

  deepTest("with a password, or broken, is one line", async () => {
    await using project = await tempProject({ "locked.pdf": fixture("locked.pdf"), "broken.pdf": "%PDF-1.7\nhello" });
    const { read } = fileTools(project.dir);
    expect(await failure(read("locked.pdf"))).toMatch(
      /^locked\.pdf is encrypted and needs a password\.[^\n]*"locked\.pdf"[^\n]*$/,
    );
    expect(await failure(read("broken.pdf"))).toMatch(/^broken\.pdf is damaged[^\n]*$/);
  });

  test("of more than 64 MB is refused before it is loaded", async () => {
    await using project = await tempProject({ "large.pdf": fixture("report.pdf") });
    truncateSync(project.path("large.pdf"), 65 * 1024 * 1024);
    expect(await failure(fileTools(project.dir).read("large.pdf"))).toMatch(
      /^large\.pdf is a document of 65 MB; at most 64 MB[^\n]*qpdf/,
    );
  });
});

describe("pages without text", () => {
  test("are attached as a PDF of these pages for a model that takes PDFs", async () => {
    await using project = await tempProject({ "scan.pdf": fixture("scan.pdf") });
    const { content } = await fileTools(project.dir).result("read", { file_path: "scan.pdf", pages: "2" });
    expect(kinds(content)).toEqual(["text", "document"]);
    const [, block] = content as readonly [unknown, DocumentBlock];
    expect({ title: block.title, pages: block.pages }).toEqual({ title: "scan.pdf, page 2", pages: 1 });
    expect(Buffer.from(block.data, "base64").toString("latin1")).toMatch(/^%PDF-/);
  });

  test("are drawn for a model that takes pictures", async () => {
    await using project = await tempProject({ "scan.pdf": fixture("scan.pdf") });
    // A drawer that gives each page the same picture.
    await using bin = await tempProject({ "page.png": PNG });
    chmodSync(await bin.write("pdftoppm", `#!/bin/sh\ncat '${bin.path("page.png")}'\n`), 0o755);
    const documents = async () => documentReader({ environment: { PATH: `${bin.dir}:/usr/bin:/bin` } });
    const tools = fileTools(project.dir, { accepts: imagesOnly, documents });
    const { content } = await tools.result("read", { file_path: "scan.pdf" });
    expect(kinds(content)).toEqual(["text", "text", "image", "text", "image"]);
  });

  deepTest("are named where neither is possible", async () => {
    await using project = await tempProject({ "scan.pdf": fixture("scan.pdf") });
    const drawless = await fileTools(project.dir, { accepts: imagesOnly }).read("scan.pdf");
    expect(lastLine(drawless)).toMatch(/^\[pages 1, 2: not shown\. .*pdftoppm/);
    const blind = await fileTools(project.dir, { accepts: neither }).read("scan.pdf");
    expect(lastLine(blind)).toMatch(/^\[pages 1, 2: not shown\. This model takes neither PDFs nor pictures/);
  });

  deepTest("are told apart from pages with few letters, whose text is shown", async () => {
    await using project = await tempProject({
      "a.pdf": textPdf(3, (page) => (page === 2 ? "" : "Page of 12 letters"), 1),
    });
    const { read } = fileTools(project.dir, { accepts: neither });
    const lines = (await read("a.pdf")).split("\n");
    expect(lines).toContain("Page of 12 letters");
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^\[page 2: not shown\. This model takes neither/),
      "[pages 1, 3: only the text is shown, no pictures]",
    ]);
    expect(lastLine(await read({ file_path: "a.pdf", pages: "1" }))).toMatch(
      /^\[page 1: only the text is shown, no pictures\. This model takes neither/,
    );
  });

  deepTest("are at most 10 in a call", async () => {
    await using project = await tempProject({ "a.pdf": textPdf(15, () => "", 0) });
    const { content } = await fileTools(project.dir).result("read", { file_path: "a.pdf" });
    const [text, block] = content as readonly [{ text: string }, DocumentBlock];
    expect(block.pages).toBe(10);
    expect(lastLine(text.text)).toBe('[10 pages are shown at once; go on with pages: "11-"]');
  });

  deepTest("are attached as far as they fit a message", async () => {
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
      .toString("base64")
      .repeat(19);
    await using project = await tempProject({ "a.pdf": textPdf(4, () => "", 0, `% ${noise}`) });
    const { content } = await fileTools(project.dir).result("read", { file_path: "a.pdf" });
    const [text, block] = content as readonly [{ text: string }, DocumentBlock];
    expect(block.pages).toBe(3);
    expect(text.text.split("\n").slice(-2)).toEqual([
      "[pages 1, 2, 3: attached as a PDF, as they look]",
      '[more would be too large; go on with pages: "4-"]',
    ]);
  });

  deepTest("and pages with text are attached on request", async () => {
    await using project = await tempProject({ "report.pdf": fixture("report.pdf") });
    const { content } = await fileTools(project.dir).result("read", {
      file_path: "report.pdf",
      pages: "1 as pictures",
    });
    expect(kinds(content)).toEqual(["text", "document"]);
  });
});

describe("other documents", () => {
  test.each([
    ["report.docx", "Word document", "# Harvest report"],
    ["report.odt", "OpenDocument text", "# Harvest report"],
    ["budget.xlsx", "workbook, 3 sheets", "--- sheet 1 of 3: Sales ---"],
    ["plan.pptx", "PowerPoint presentation, 3 slides", "--- slide 1 of 3: Orchard plan ---"],
    ["report.epub", "EPUB book, 1 chapter", "--- chapter 1 of 1: Harvest report ---"],
  ])("%s is read as text", async (name, kind, line) => {
    await using project = await tempProject({ [name]: fixture(name) });
    const lines = (await fileTools(project.dir).read(name)).split("\n");
    expect(lines[0]).toStartWith(`${name}: ${kind}, `);
    expect(lines[1]).toBe(line);
  });

  test("take pages for sheets, slides and chapters", async () => {
    await using project = await tempProject({ "budget.xlsx": fixture("budget.xlsx") });
    const text = await fileTools(project.dir).read({ file_path: "budget.xlsx", pages: "2" });
    expect(text).toContain("--- sheet 2 of 3: Notes ---");
    expect(text).not.toContain("--- sheet 1");
    expect(lastLine(text)).toBe("[other sheets: Sales (1), Empty (3)]");
  });

  deepTest("of one long text go on by lines, and no line is cut", async () => {
    const paragraph = (index: number) =>
      `<w:p><w:r><w:t>Paragraph ${index}. ${"many words ".repeat(400)}end ${index}.</w:t></w:r></w:p>`;
    const body = Array.from({ length: 60 }, (_, index) => paragraph(index)).join("");
    const long = changedArchive(fixture("report.docx"), {
      "word/document.xml": (xml) => xml.replace(/<w:body>[\s\S]*<\/w:body>/, `<w:body>${body}</w:body>`),
    });
    await using project = await tempProject({ "long.docx": long });
    const { read } = fileTools(project.dir);
    let [text, offset, calls] = ["", 1, 0];
    for (; calls < 10; calls += 1) {
      const part = await read({ file_path: "long.docx", offset });
      text += part;
      const next = /go on with offset: (\d+)\]$/.exec(part)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(calls).toBe(2);
    for (let index = 0; index < 60; index += 1) expect(text).toContain(`end ${index}.`);
  });

  deepTest("whose sheet is longer than a call go on by its lines", async () => {
    const rows = Array.from(
      { length: 3_000 },
      (_, index) => `<row r="${index + 9}"><c r="A${index + 9}"><v>${index}</v></c></row>`,
    );
    const long = changedArchive(fixture("budget.xlsx"), {
      "xl/worksheets/sheet1.xml": (xml) => xml.replace("</sheetData>", `${rows.join("")}</sheetData>`),
    });
    await using project = await tempProject({ "long.xlsx": long });
    const text = await fileTools(project.dir).read("long.xlsx");
    expect(text).toContain("go on with offset: 2001]");
    const rest = await fileTools(project.dir).read({ file_path: "long.xlsx", offset: 2001 });
    expect(rest).toContain("| 3008 | 2999 |");
  });

  test("with the name of a document and another content keep their kind", async () => {
    await using project = await tempProject({
      "notes.docx": "just text\n",
      "a.zip": changedArchive(fixture("report.docx"), {}),
    });
    const { read } = fileTools(project.dir);
    expect(await read("notes.docx")).toContain("just text");
    await using plain = await tempProject({ "a.jar": Buffer.from("PK\x03\x04 and more", "latin1") });
    expect(await failure(fileTools(plain.dir).read("a.jar"))).toContain("is a ZIP archive");
  });
});
