import type { DocumentReader, PagePicture } from "../../../contracts/documents.ts";
import { errorMessage, ToolFailedError } from "../../../contracts/errors.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { AcceptedMedia, DocumentBlock, ImageBlock, TextBlock } from "../../../contracts/message.ts";
import { MORE_PAGES_WORDS } from "../../../contracts/read-words.ts";
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
type Pages = {
  readonly name: string;
  readonly bytes: Buffer;
  readonly pages: readonly number[];
  /** Those of the pages whose text is given. */
  readonly texts: readonly number[];
};
type ShownPages = {
  readonly blocks: readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly notes: readonly string[];
  /** True if further pages would be too large. */
  readonly isPart?: boolean;
};

/**
 * Pages of a PDF as the model can see them: as a PDF of these pages, else as pictures; else a note on how to read them.
 * A failure becomes a note, because the text of other pages is there.
 * @throws the abort reason of `signal`.
 */
export async function showPages(given: Pages, { reader, taken, signal }: Showing): Promise<ShownPages> {
  const { pages } = given;
  const which = whichOf(pages);
  try {
    const native = taken.documents ? await takenPages(given, reader, signal) : undefined;
    if (native && native.length <= MAX_NATIVE_BYTES) return attached(given, native);
    const pictures = taken.images ? await reader.drawPages(given, pages, signal) : undefined;
    if (pictures) {
      const blocks = (await Promise.all(pictures.map(pictureBlocks))).flat();
      return { blocks, notes: [`${which}: shown as pictures below`] };
    }
    return (
      (native && (await fewerPages(given, native.length, reader, signal))) ?? {
        blocks: [],
        notes: notShown(given, adviceFor(taken)),
      }
    );
  } catch (error) {
    signal.throwIfAborted();
    return { blocks: [], notes: notShown(given, errorMessage(error)) };
  }
}

function notShown({ pages, texts }: Pages, why: string): readonly string[] {
  const bare = pages.filter((page) => !texts.includes(page));
  const missing = [
    ...(bare.length > 0 ? [`${whichOf(bare)}: not shown`] : []),
    ...(texts.length > 0 ? [`${whichOf(texts)}: only the text is shown, no pictures`] : []),
  ];
  return missing.map((note, at) => (at === 0 ? `${note}. ${why}` : note));
}

function whichOf(pages: readonly number[]): string {
  return `${pages.length === 1 ? "page" : "pages"} ${pages.join(", ")}`;
}

function attached({ name, pages }: Pages, part: Buffer): ShownPages {
  const about = { title: `${name}, ${whichOf(pages)}`, pages: pages.length };
  const block = { type: "document", mediaType: "application/pdf", data: part.toString("base64"), ...about } as const;
  return { blocks: [block], notes: [`${whichOf(pages)}: attached as a PDF, as they look`] };
}

/** As many of the first pages as fit a message by their average size; undefined if none does. */
async function fewerPages(
  given: Pages,
  bytes: number,
  reader: DocumentReader,
  signal: AbortSignal,
): Promise<ShownPages | undefined> {
  const { pages } = given;
  const fewer = { ...given, pages: pages.slice(0, Math.floor((pages.length * MAX_NATIVE_BYTES) / bytes)) };
  const part = fewer.pages.length > 0 ? await takenPages(fewer, reader, signal) : undefined;
  if (!part || part.length > MAX_NATIVE_BYTES) return undefined;
  const { blocks, notes } = attached(fewer, part);
  return {
    isPart: true,
    blocks,
    notes: [...notes, `more would be too large; ${MORE_PAGES_WORDS} "${pages[fewer.pages.length]}-"`],
  };
}

/** @returns undefined if they can't be taken out of the PDF. */
async function takenPages(
  { pages, ...request }: Pages,
  reader: DocumentReader,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  try {
    const part = await reader.takePages(request, pages, signal);
    return part.length > 0 ? part : undefined;
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
