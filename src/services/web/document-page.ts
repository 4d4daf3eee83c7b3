import type { DocumentReader, DocumentText } from "../../contracts/documents.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { OutlineItem, WebAddress, WebDocument } from "../../contracts/web.ts";
import { outlineOf } from "./visible-text.ts";

/** Pages of a PDF and parts of other documents that are read at once; the time limit usually ends it earlier. */
const MAX_DOCUMENT_PARTS = 1_000;

type DocumentPage = Pick<WebDocument, "title" | "text" | "outline" | "notes">;

/**
 * The text of a PDF or an office document from the web, with its pages as the outline.
 * @throws {ToolFailedError} it can't be read, or it has no text.
 */
export async function documentPage(
  { url }: WebAddress,
  bytes: Buffer,
  { documents }: { documents(): Promise<DocumentReader> },
  signal: AbortSignal,
): Promise<DocumentPage> {
  const reader = await documents();
  const document = await reader.read({ name: url, bytes, maxParts: MAX_DOCUMENT_PARTS }, signal);
  const { kind, unit, parts, notes: facts } = document;
  if (parts.every((part) => part.text.trim() === ""))
    throw new ToolFailedError(
      `${url} is a ${kind} without text, probably scanned. Download the file: Read shows its pages.`,
    );
  const outline: OutlineItem[] = [];
  const pieces: string[] = [];
  let length = 0;
  for (const { number, title, text } of parts) {
    const heading = title === "" ? `${unit} ${number}` : `${unit} ${number}: ${title}`;
    if (unit !== "text") outline.push({ offset: length, level: 2, text: heading });
    const piece = unit === "text" ? `${text}\n\n` : `## ${heading}\n\n${text}\n\n`;
    length += piece.length;
    pieces.push(piece);
  }
  // What the file says of itself is material as its text is.
  const about = facts.length > 0 ? `(About the file: ${facts.join("; ")})` : "";
  const text = `${pieces.join("")}${about}`.trimEnd();
  return { title: "", text, outline: unit === "text" ? outlineOf(text) : outline, notes: notesOf(document) };
}

function notesOf({ unit, total, parts }: DocumentText): readonly string[] {
  const last = parts.at(-1)?.number ?? 0;
  if (unit === "text" || last >= total) return [];
  return [`There was time for the ${unit}s 1 to ${last} of ${total}. Download the file: Read shows the others.`];
}
