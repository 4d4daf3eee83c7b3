import { resolve } from "node:path";
import type { DocumentReader } from "../../src/contracts/documents.ts";
import { createDocumentReader, type DocumentReaderDeps } from "../../src/services/documents/create-document-reader.ts";

/** The program that starts Quoll itself from its sources. */
export const SELF = [process.execPath, resolve(import.meta.dir, "../../src/main.ts")];

/** A reader of documents with the real child; it finds no program that draws pages unless the test gives a search path. */
export function documentReader(more: Partial<DocumentReaderDeps> = {}): DocumentReader {
  return createDocumentReader({ selfCommand: SELF, environment: {}, isTrusted: () => true, ...more });
}

export const testDocuments = async (): Promise<DocumentReader> => documentReader();
