import { openPdf } from "./open-pdf.ts";

/** A PDF of some pages of a PDF. Throws as `openPdf`. @param pages From 1. */
export async function takePdfPages(bytes: Uint8Array, pages: readonly number[]): Promise<Uint8Array> {
  const pdf = await openPdf(bytes);
  return pdf.extractPages([{ document: null, includePages: pages.map((page) => page - 1) }]);
}
