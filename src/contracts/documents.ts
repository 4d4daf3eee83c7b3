/** The parts into which a kind of document is divided; a text document has one part. */
export type DocumentUnit = "page" | "slide" | "sheet" | "chapter" | "text";

/** Parts from `first` to `last`, both included, counted from 1. `last` undefined: to the end. */
export type PartRange = { readonly first: number; readonly last?: number | undefined };

export type DocumentPart = {
  /** From 1. */
  readonly number: number;
  /** Empty if the part has no name. */
  readonly title: string;
  readonly text: string;
};

/** The text of a document, or of the parts that were asked for. */
export type DocumentText = {
  /** `PDF document`, `Word document` */
  readonly kind: string;
  readonly unit: DocumentUnit;
  /** The number of all parts. */
  readonly total: number;
  readonly parts: readonly DocumentPart[];
  /** The names of parts and where they begin, for a reader who looks for a place; empty if all parts are there. */
  readonly contents: readonly { readonly title: string; readonly number: number }[];
  /** Facts that the text does not show, such as macros and embedded files: a phrase each. */
  readonly notes: readonly string[];
};

export type DocumentRequest = {
  /** The name for messages. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly range?: PartRange | undefined;
  /** The most parts of one call. */
  readonly maxParts: number;
};

export type PagePicture = {
  readonly page: number;
  readonly mediaType: "image/jpeg" | "image/png";
  readonly bytes: Buffer;
};

/** Reads documents without opening what they link to or hold: links, macros and embedded files are only named. */
export interface DocumentReader {
  /**
   * The text of a document.
   * @throws {ToolFailedError} encrypted, damaged, too large for the limits, or without such parts; one line.
   * @throws the abort reason of `signal`.
   */
  read(request: DocumentRequest, signal: AbortSignal): Promise<DocumentText>;
  /** A PDF of some pages of a PDF. Throws as `read`. */
  takePages(
    request: Pick<DocumentRequest, "name" | "bytes">,
    pages: readonly number[],
    signal: AbortSignal,
  ): Promise<Buffer>;
  /** Pictures of pages of a PDF; undefined if no program that draws pages is installed. Throws as `read`. */
  drawPages(
    request: Pick<DocumentRequest, "name" | "bytes">,
    pages: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly PagePicture[] | undefined>;
}

/** The kinds of files that a `DocumentReader` reads, by the first bytes and the name; undefined for another file. */
export function documentKind(head: Uint8Array, name: string): "pdf" | "archive" | "compound" | undefined {
  const start = Buffer.from(head.subarray(0, 200)).toString("latin1");
  if (start.startsWith("%PDF-")) return "pdf";
  if (start.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return "compound";
  if (!start.startsWith("PK\x03\x04")) return undefined;
  const isNamed = ARCHIVE_NAME.test(name);
  return isNamed || FIRST_ENTRY.test(start.slice(NAME_AT)) ? "archive" : undefined;
}

const ARCHIVE_NAME =
  /\.(?:docx|docm|dotx|dotm|xlsx|xlsm|xlsb|xltx|xltm|pptx|pptm|ppsx|ppsm|potx|odt|ott|ods|ots|odp|otp|epub)$/i;
/** The first entry of an OpenDocument or EPUB file is its type; that of an Office file usually lists the types. */
const FIRST_ENTRY = /^(?:\[Content_Types\]\.xml|mimetypeapplication\/(?:vnd\.oasis\.opendocument|epub))/;
/** Where the name of the first entry begins (APPNOTE 4.3.7). */
const NAME_AT = 30;
