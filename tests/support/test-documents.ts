import type { DocumentReader } from "../../src/contracts/documents.ts";
import { createDocumentReader, type DocumentReaderDeps } from "../../src/services/documents/create-document-reader.ts";
import { builtArtefacts } from "./built.ts";

/** The program that starts Quoll itself from its sources. */
export const SELF = [(await builtArtefacts()).executable];

/** A reader of documents with the real child; it finds no program that draws pages unless the test gives a search path. */
export function documentReader(more: Partial<DocumentReaderDeps> = {}): DocumentReader {
  return createDocumentReader({ selfCommand: SELF, environment: {}, isTrusted: () => true, ...more });
}

export const testDocuments = async (): Promise<DocumentReader> => documentReader();
