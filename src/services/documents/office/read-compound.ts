import type { DocumentText } from "../../../contracts/documents.ts";
import { DocumentProblem } from "../document-order.ts";
import type { PartsWanted } from "../parts-wanted.ts";
import { NEEDS_PASSWORD } from "./read-archive.ts";

/** The names of streams in the directory of a compound file ([MS-CFB] 2.6.1) are UTF-16. */
const named = (name: string) => Buffer.from(name, "utf16le");
const ENCRYPTED = named("EncryptedPackage");
const WORKBOOKS = [named("Workbook\0"), named("Book\0")];
const WORD = named("WordDocument");
const SLIDES = named("PowerPoint Document");
const MACROS = named("_VBA_PROJECT");

/**
 * The text of an old Excel workbook. Encrypted new documents have the same outer form.
 * @throws {DocumentProblem} it is encrypted, or of a kind that can't be read.
 */
export async function readCompound(bytes: Uint8Array, wanted: PartsWanted): Promise<DocumentText> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.includes(ENCRYPTED)) throw new DocumentProblem(NEEDS_PASSWORD);
  if (file.includes(WORD)) throw new DocumentProblem(oldFormat("Word document", "docx"));
  if (file.includes(SLIDES)) throw new DocumentProblem(oldFormat("PowerPoint presentation", "pptx"));
  if (!WORKBOOKS.some((name) => file.includes(name)))
    throw new DocumentProblem("is a compound file (such as a mail or an installer), which can't be read.");
  const { workbookText } = await import("./read-sheets.ts");
  try {
    return workbookText(bytes, wanted, file.includes(MACROS) ? ["it holds macros, which were not run"] : []);
  } catch (error) {
    if (error instanceof Error && /password/i.test(error.message)) throw new DocumentProblem(NEEDS_PASSWORD);
    throw error;
  }
}

function oldFormat(kind: string, format: string): string {
  return `is a ${kind} in the old binary format. Convert it and read the copy: soffice --headless --convert-to ${format} FILE.`;
}
