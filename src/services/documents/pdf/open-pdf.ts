import { getDocument, PasswordResponses, VerbosityLevel } from "unpdf/pdfjs";
import { DocumentProblem } from "../document-order.ts";

export type Pdf = Awaited<ReturnType<typeof getDocument>["promise"]>;
export type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

/**
 * Opens a PDF. Its scripts never run, and no font is loaded.
 * @throws {DocumentProblem} it needs a password, or it is damaged.
 */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocument({
      // The library takes the memory of the array for itself.
      data: new Uint8Array(bytes),
      verbosity: VerbosityLevel.ERRORS,
      useSystemFonts: false,
      disableFontFace: true,
      isEvalSupported: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      useWorkerFetch: false,
      useWasm: false,
      enableXfa: false,
    }).promise;
  } catch (error) {
    if (isPasswordError(error))
      throw new DocumentProblem(
        "is encrypted and needs a password. A person who knows it can make a readable copy, for example with qpdf --decrypt --password=… FILE copy.pdf.",
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new DocumentProblem(`is damaged: no PDF reader can open it (${reason.slice(0, 200)}).`);
  }
}

function isPasswordError(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "PasswordException" || !("code" in error)) return false;
  return error.code === PasswordResponses.NEED_PASSWORD || error.code === PasswordResponses.INCORRECT_PASSWORD;
}

/** A PDF of some pages of a PDF. Throws as `openPdf`. @param pages From 1. */
export async function takePdfPages(bytes: Uint8Array, pages: readonly number[]): Promise<Uint8Array> {
  const pdf = await openPdf(bytes);
  return pdf.extractPages([{ document: null, includePages: pages.map((page) => page - 1) }]);
}
