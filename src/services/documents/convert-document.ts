import { type DocumentText, documentKind } from "../../contracts/documents.ts";
import { type DocumentAnswer, type DocumentOrder, DocumentProblem } from "./document-order.ts";
import type { NewWriter, PartsWanted } from "./parts-wanted.ts";

type Tools = {
  readonly newWriter: NewWriter;
  /** Removes characters that a reader does not see. */
  visible(text: string): string;
};

/** What the converting child makes of the bytes of a document. The code for each format is loaded when it is needed. */
export async function convertDocument(
  order: DocumentOrder,
  bytes: Uint8Array,
  { newWriter, visible }: Tools,
): Promise<DocumentAnswer> {
  try {
    if (order.as === "part-of-pdf") {
      const { takePdfPages } = await import("./pdf/open-pdf.ts");
      return { base64: Buffer.from(await takePdfPages(bytes, order.pages)).toString("base64") };
    }
    const { range, maxParts, enoughMs } = order;
    const until = performance.now() + enoughMs;
    const wanted = { range, maxParts, isEnough: () => performance.now() > until };
    const made = await textOf(bytes, wanted, newWriter);
    return tidied(made, visible);
  } catch (error) {
    if (error instanceof DocumentProblem) return { problem: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `is damaged (${visible(reason).replace(/\s+/g, " ").slice(0, 200)}).` };
  }
}

function tidied({ parts, contents, notes, ...rest }: DocumentText, visible: Tools["visible"]): DocumentText {
  const line = (text: string) => visible(text).replace(/\s+/g, " ").trim();
  return {
    ...rest,
    parts: parts.map(({ number, title, text }) => ({ number, title: line(title), text: visible(text).trimEnd() })),
    contents: contents.map(({ number, title }) => ({ number, title: line(title) })),
    notes: notes.map(line),
  };
}

async function textOf(bytes: Uint8Array, wanted: PartsWanted, newWriter: NewWriter): Promise<DocumentText> {
  switch (documentKind(bytes, "a.docx")) {
    case "pdf":
      return (await import("./pdf/read-pdf.ts")).readPdf(bytes, wanted);
    case "archive":
      return (await import("./office/read-archive.ts")).readArchive(bytes, wanted, newWriter);
    case "compound":
      return (await import("./office/read-compound.ts")).readCompound(bytes, wanted);
    default:
      throw new DocumentProblem("is no document that can be read.");
  }
}
