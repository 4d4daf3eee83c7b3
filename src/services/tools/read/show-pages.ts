import type { DocumentReader, PagePicture } from "../../../contracts/documents.ts";
import { errorMessage, ToolFailedError } from "../../../contracts/errors.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { AcceptedMedia, DocumentBlock, ImageBlock, TextBlock } from "../../../contracts/message.ts";
import { fitImage } from "./read-image.ts";

/** Pages of a PDF that are shown themselves in one call; each costs about 2,000 tokens. */
export const MAX_SHOWN_PAGES = 10;
/** A larger PDF in a message would be refused by some provider, and is sent again with each request. */
const MAX_NATIVE_BYTES = 4 * 1024 * 1024;

type Showing = {
  readonly reader: DocumentReader;
  readonly taken: AcceptedMedia;
  readonly signal: AbortSignal;
};
type Pages = { readonly name: string; readonly bytes: Buffer; readonly pages: readonly number[] };
type ShownPages = {
  readonly blocks: readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly notes: readonly string[];
};

/**
 * Pages of a PDF as the model can see them: as a PDF of these pages, else as pictures; else a note on how to read them.
 * A failure becomes a note, because the text of other pages is there.
 * @throws the abort reason of `signal`.
 */
export async function showPages(given: Pages, { reader, taken, signal }: Showing): Promise<ShownPages> {
  const { name, pages } = given;
  const which = `${pages.length === 1 ? "page" : "pages"} ${pages.join(", ")}`;
  try {
    const native = taken.documents ? await nativePages(given, reader, signal) : undefined;
    if (native) {
      const data = native.toString("base64");
      const about = { title: `${name}, ${which}`, pages: pages.length };
      const block = { type: "document", mediaType: "application/pdf", data, ...about } as const;
      return { blocks: [block], notes: [`${which}: attached as a PDF, as they look`] };
    }
    const pictures = taken.images ? await reader.drawPages(given, pages, signal) : undefined;
    if (pictures) {
      const blocks = (await Promise.all(pictures.map(pictureBlocks))).flat();
      return { blocks, notes: [`${which}: shown as pictures below`] };
    }
    return { blocks: [], notes: [`${which}: not shown. ${adviceFor(taken)}`] };
  } catch (error) {
    signal.throwIfAborted();
    return { blocks: [], notes: [`${which}: not shown. ${errorMessage(error)}`] };
  }
}

/** @returns undefined if they are too large for a message, or can't be taken out of the PDF. */
async function nativePages(
  { pages, ...request }: Pages,
  reader: DocumentReader,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  try {
    const part = await reader.takePages(request, pages, signal);
    return part.length > 0 && part.length <= MAX_NATIVE_BYTES ? part : undefined;
  } catch (error) {
    if (error instanceof ToolFailedError) return undefined;
    throw error;
  }
}

async function pictureBlocks({ page, bytes }: PagePicture): Promise<readonly (TextBlock | ImageBlock)[]> {
  const header = imageHeader(bytes);
  const shown = header && (await fitImage(bytes, header));
  if (!shown) return [{ type: "text", text: `[page ${page}: its picture can't be shown]` }];
  return [
    { type: "text", text: `page ${page}:` },
    { type: "image", mediaType: shown.mediaType, data: shown.bytes.toString("base64") },
  ];
}

function adviceFor({ images }: Showing["taken"]): string {
  const copy = "`ocrmypdf FILE out.pdf` writes the text of scanned pages into a copy";
  return images
    ? `Ask for fewer pages, or install poppler-utils (pdftoppm), with which Read draws pages; ${copy}.`
    : `This model takes neither PDFs nor pictures; ${copy}.`;
}
