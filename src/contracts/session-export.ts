/** The form of an exported conversation. */
export type ExportFormat = "markdown" | "html" | "json";

/** An answer as the model wrote it. `codeBlocks`: the content of its code blocks, in order. */
export type LastAnswer = { readonly text: string; readonly codeBlocks: readonly string[] };

/** `isTaken`: there is such a file, and nothing was written. `path`: absolute. */
export type ExportWritten =
  | { readonly isTaken: true; readonly path: string }
  | { readonly isTaken: false; readonly path: string; readonly bytes: number };

/** The conversation since it was last cleared, with what the model no longer sees. Credentials are hidden. */
export type SessionExport = {
  /** The newest answer with text; undefined before the first. @throws {UserFacingError} (as a rejection) the log can't be read. */
  lastAnswer(): Promise<LastAnswer | undefined>;
  /** The conversation as Markdown; undefined while it is empty. @throws as `lastAnswer`. */
  markdown(): Promise<string | undefined>;
  /**
   * Writes the conversation to a file in the format of its ending.
   * @param file Relative to the working folder, or absolute, or below `~`; empty for a name made from the session's.
   * @throws {UserFacingError} (as a rejection) the conversation is empty, the ending is unknown, or the file can't be written.
   */
  write(file: string, mayReplace: boolean, signal: AbortSignal): Promise<ExportWritten>;
};
