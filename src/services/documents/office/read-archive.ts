import type { DocumentText } from "../../../contracts/documents.ts";
import { DocumentProblem } from "../document-order.ts";
import type { NewWriter, PartsWanted } from "../parts-wanted.ts";
import { openArchive } from "./open-archive.ts";
import { elementsNamed } from "./xml-events.ts";

/**
 * The text of a document that is a ZIP file.
 * @throws {DocumentProblem} encrypted, damaged, too large, or of an unknown kind.
 */
export async function readArchive(bytes: Uint8Array, wanted: PartsWanted, newWriter: NewWriter): Promise<DocumentText> {
  const archive = openArchive(bytes);
  if (archive.has("word/document.xml") || archive.has("word/document2.xml"))
    return (await import("./read-word.ts")).readWord(archive, newWriter);
  if (archive.has("xl/workbook.xml") || archive.has("xl/workbook.bin"))
    return (await import("./read-sheets.ts")).readSheets(archive, wanted);
  if (archive.has("ppt/presentation.xml"))
    return (await import("./read-slides.ts")).readSlides(archive, wanted, newWriter);
  if (archive.has("META-INF/container.xml"))
    return (await import("./read-book.ts")).readBook(archive, wanted, newWriter);
  if (archive.has("content.xml")) {
    const isEncrypted = elementsNamed(archive.text("META-INF/manifest.xml"), "manifest:encryption-data").length > 0;
    if (isEncrypted) throw new DocumentProblem(NEEDS_PASSWORD);
    const type = archive.text("mimetype") ?? "";
    if (type.includes("spreadsheet")) return (await import("./read-sheets.ts")).readSheets(archive, wanted);
    return (await import("./read-open-document.ts")).readOpenDocument(archive, wanted, newWriter);
  }
  throw new DocumentProblem("is a ZIP archive and no document that can be read. List it with `unzip -l FILE`.");
}

export const NEEDS_PASSWORD =
  "is encrypted and needs a password. A person who knows it can save a copy without one in an office program.";
