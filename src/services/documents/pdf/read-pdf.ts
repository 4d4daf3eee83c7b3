import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { namesOf, settled } from "../named.ts";
import { type PartsWanted, partNumbers } from "../parts-wanted.ts";
import { openPdf, type Pdf } from "./open-pdf.ts";
import { pageRuns } from "./page-runs.ts";
import { splitColumns } from "./text-columns.ts";
import { type Line, linesOf, type Run } from "./text-lines.ts";

/** The most entries of a table of contents. */
const MAX_CONTENTS = 60;

/**
 * The text of pages of a PDF. Only the pages that are asked for are read.
 * @throws {DocumentProblem} it needs a password, is damaged or has no such page.
 */
export async function readPdf(bytes: Uint8Array, wanted: PartsWanted): Promise<DocumentText> {
  const pdf = await openPdf(bytes);
  const parts: DocumentPart[] = [];
  const links = new Set<string>();
  const files = new Set<string>(Object.keys((await settled(pdf.getAttachments())) ?? {}));
  for (const number of partNumbers(wanted, pdf.numPages, "page")) {
    if (parts.length > 0 && wanted.isEnough()) break;
    const page = await pdf.getPage(number);
    const content = await pageRuns(page);
    for (const link of content.links) links.add(link);
    for (const file of content.files) files.add(file);
    const text = [layoutText(content.runs), ...content.turned].filter((one) => one !== "").join("\n");
    parts.push({ number, title: "", text });
    page.cleanup();
  }
  const isPart = parts.length < pdf.numPages;
  const hasScripts = Boolean(await settled(pdf.getJSActions()));
  return {
    kind: "PDF document",
    unit: "page",
    total: pdf.numPages,
    parts,
    contents: isPart ? await contentsOf(pdf) : [],
    notes: [
      ...(await titleOf(pdf)),
      ...namesOf("links of these pages", links),
      ...namesOf("embedded files, not opened", files),
      ...(hasScripts ? ["it holds JavaScript, which was not run"] : []),
    ],
  };
}

async function titleOf(pdf: Pdf): Promise<readonly string[]> {
  const metadata = await settled(pdf.getMetadata());
  const info: unknown = metadata?.info;
  const title = typeof info === "object" && info !== null && "Title" in info ? info.Title : undefined;
  return typeof title === "string" && title.trim() !== "" ? [`title: ${title.trim().slice(0, 200)}`] : [];
}

/** The chapters that the PDF names, with their pages. */
async function contentsOf(pdf: Pdf): Promise<DocumentText["contents"]> {
  const outline = (await settled(pdf.getOutline())) ?? [];
  const contents: { title: string; number: number }[] = [];
  for (const { title, dest } of outline.slice(0, MAX_CONTENTS)) {
    const target = typeof dest === "string" ? await settled(pdf.getDestination(dest)) : dest;
    const page: unknown = target?.[0];
    const index = isReference(page) ? await settled(pdf.getPageIndex(page)) : page;
    if (typeof index === "number") contents.push({ title: title.trim(), number: index + 1 });
  }
  return contents;
}

function isReference(value: unknown): value is { num: number; gen: number } {
  return typeof value === "object" && value !== null && "num" in value && "gen" in value;
}

/** Wider pages are written closer together. */
const MAX_COLUMNS = 160;
/** A larger distance of two lines, in heights of their font, is written as an empty line. */
const PARAGRAPH_GAP = 1.75;

/** The text of a page as lines whose words stand where they are on the page, so that tables stay tables. */
export function layoutText(runs: readonly Run[]): string {
  return splitColumns(linesOf(runs)).map(blockText).join("\n\n");
}

function blockText(lines: readonly Line[]): string {
  const segments = lines.flatMap((line) => line.segments);
  let [left, right, chars, width] = [Number.POSITIVE_INFINITY, 0, 0, 0];
  for (const { x, end, text } of segments) {
    left = Math.min(left, x);
    right = Math.max(right, end);
    chars += text.length;
    width += end - x;
  }
  const columnWidth = Math.max(width / Math.max(chars, 1), (right - left) / MAX_COLUMNS, 0.1);
  const written: string[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    if (last && line.y - last.y > PARAGRAPH_GAP * Math.max(line.size, last.size)) written.push("");
    written.push(lineText(line, left, columnWidth));
    last = line;
  }
  return written.join("\n");
}

function lineText({ segments }: Line, left: number, columnWidth: number): string {
  let text = "";
  for (const segment of segments) {
    const column = Math.round((segment.x - left) / columnWidth);
    // A gap that is wide on the page stays wide where the text before it is too long for its place.
    const blanks = Math.max(column - text.length, text === "" ? 0 : 2);
    text += " ".repeat(blanks) + segment.text;
  }
  return text;
}
