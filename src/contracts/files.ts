/** The metadata that distinguishes states of a file without reading the content. */
export type FileStamp = {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since the epoch, with fractions where the file system has them. */
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** Bytes. */
  readonly size: number;
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
};

/**
 * The encoding of a file's text. `bom`: a byte order mark precedes the text (the mark is never part of the text). A
 * `utf-8` text may contain bytes that are not valid UTF-8: each such byte is kept as a lone surrogate U+DC80…U+DCFF, so
 * that it can be written back (the scheme of Python's "surrogateescape", PEP 383). `unknown`: only the ASCII letters
 * are certain, and every other byte is kept in that way.
 */
export type Encoding = {
  readonly name: "utf-8" | "utf-16le" | "utf-16be" | "unknown" | LegacyEncoding;
  readonly bom: boolean;
};

/** The encodings of texts from before Unicode that Quoll detects, and their names for people and models. */
export const LEGACY_ENCODINGS = {
  shift_jis: "Shift_JIS",
  "euc-jp": "EUC-JP",
  gbk: "GBK",
  gb18030: "GB18030",
  big5: "Big5",
  "euc-kr": "EUC-KR",
  "windows-1250": "Windows-1250",
  "windows-1251": "Windows-1251",
  "windows-1252": "Windows-1252",
  "windows-1253": "Windows-1253",
  "windows-1254": "Windows-1254",
  "windows-1256": "Windows-1256",
  "windows-1257": "Windows-1257",
  "iso-8859-2": "ISO-8859-2",
  "koi8-r": "KOI8-R",
} as const;
export type LegacyEncoding = keyof typeof LEGACY_ENCODINGS;

export type NumberedLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** The number of bytes of the line after `text`; 0 if the line is complete. */
  readonly cutBytes: number;
};

export type LineWindow = {
  /** From 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** The maximum for one line, in UTF-16 units. */
  readonly maxLineChars: number;
  /** The maximum for all lines together, in UTF-16 units, including 8 units per line for the number. */
  readonly maxChars: number;
};

export type LinesRead = {
  readonly stamp: FileStamp;
  readonly encoding: Encoding;
  readonly lines: readonly NumberedLine[];
  /** The reason why the lines end: the file ended, or a limit of the window was reached. */
  readonly stoppedBy: "end" | "lines" | "chars";
  /** The number of lines; undefined if the file was too large to count them. */
  readonly lineCount: number | undefined;
  /** The size in bytes; for a file without a size (under /proc), the number of bytes read. */
  readonly size: number;
  /** SHA-256 of the whole content; undefined if the file was not read completely or is larger than 16 MiB. */
  readonly hash: string | undefined;
  readonly hasStray: boolean;
  readonly hasCrLf: boolean;
  readonly endsWithNewline: boolean;
};

/** A binary file. `head`: the file's first bytes, which identify the format. */
export type BinaryRead = { readonly stamp: FileStamp; readonly head: Buffer };

export type LoadedBytes = { readonly bytes: Buffer; readonly stamp: FileStamp };

export type FileWrite = {
  /** The absolute, resolved path: writing to a link would replace it, so a link is refused. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The state that the file must still have; undefined if the file must not exist. */
  readonly expected: FileStamp | undefined;
  readonly signal: AbortSignal;
};

/** The files that Read, Edit and Write work on: files on the disk, or an editor's unsaved text. */
export interface Files {
  /** The stamp of the entry at a path (a link is not followed); undefined if there is none. */
  stamp(path: string): Promise<FileStamp | undefined>;
  /**
   * A whole file.
   * @throws {ToolFailedError} the file can't be read, or is larger than `maxBytes`; the abort reason when `signal` aborts.
   */
  load(path: string, maxBytes: number, signal: AbortSignal): Promise<LoadedBytes>;
  /** The lines of one window of a text file, or the first bytes of a binary file. Throws as `load`. */
  readLines(path: string, window: LineWindow, signal: AbortSignal): Promise<LinesRead | BinaryRead>;
  /**
   * Writes a file completely or not at all.
   * @returns the stamp of the written file.
   * @throws {ToolFailedError} the file is not in the expected state, or can't be written.
   */
  write(request: FileWrite): Promise<FileStamp>;
}
