/** The metadata that tells one state of a file from another without reading the file. */
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
 * How the text of a file is written. `bom`: a byte order mark stands before it (never part of the text).
 * A `utf-8` text may hold stray bytes that are not UTF-8: each is kept as a lone surrogate U+DC80…U+DCFF, so that it can
 * be written back (the scheme of Python's "surrogateescape", PEP 383).
 */
export type Encoding = { readonly name: "utf-8" | "utf-16le" | "utf-16be" | "latin-1"; readonly bom: boolean };

export type NumberedLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Bytes of the line that follow `text`; 0 for a line that is shown whole. */
  readonly cutBytes: number;
};

export type LineWindow = {
  /** From 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** UTF-16 units of one line. */
  readonly maxLineChars: number;
  /** UTF-16 units of all lines together, with 8 a line for its number. */
  readonly maxChars: number;
};

export type LinesRead = {
  readonly stamp: FileStamp;
  readonly encoding: Encoding;
  readonly lines: readonly NumberedLine[];
  /** Why there are no more lines: the file is over, or one of the window's limits. */
  readonly stoppedBy: "end" | "lines" | "chars";
  /** Undefined when the file was too large to be counted. */
  readonly lineCount: number | undefined;
  /** Bytes; for a file without a size of its own (under /proc) what was read. */
  readonly size: number;
  /** SHA-256 of the whole content; undefined when it was not read whole or is above 16 MiB. */
  readonly hash: string | undefined;
  readonly hasStray: boolean;
  readonly hasCrLf: boolean;
  readonly endsWithNewline: boolean;
};

/** A file that is no text. `head`: its first bytes, to say what it is. */
export type BinaryRead = { readonly stamp: FileStamp; readonly head: Buffer };

export type LoadedBytes = { readonly bytes: Buffer; readonly stamp: FileStamp };

export type FileWrite = {
  /** Absolute and resolved: a link here would be replaced, so it is refused. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The state that the file must still be in; undefined: it must not exist. */
  readonly expected: FileStamp | undefined;
  readonly signal: AbortSignal;
};

/** The files that Read, Edit and Write work on: those on the disk, or an editor that holds text which is not saved yet. */
export interface Files {
  /** The stamp of the entry at a path (a link is not followed); undefined if there is none. */
  stamp(path: string): Promise<FileStamp | undefined>;
  /**
   * A whole file.
   * @throws {ToolFailedError} the file can't be read, or is larger than `maxBytes`; the abort reason when `signal` aborts.
   */
  load(path: string, maxBytes: number, signal: AbortSignal): Promise<LoadedBytes>;
  /** The lines of one window of a text file, or the first bytes of a file that is no text. Throws as `load`. */
  readLines(path: string, window: LineWindow, signal: AbortSignal): Promise<LinesRead | BinaryRead>;
  /**
   * Writes a file whole or not at all.
   * @returns the stamp of the file as written.
   * @throws {ToolFailedError} the file is not in the expected state, or can't be written.
   */
  write(request: FileWrite): Promise<FileStamp>;
}
