/** The form of an exported conversation. */
export type ExportFormat = "markdown" | "html" | "json";

/** An answer in the model's original text. `codeBlocks`: the content of its code blocks, in order. */
export type LastAnswer = { readonly text: string; readonly codeBlocks: readonly string[] };

/** `isTaken`: the file exists, and nothing was written. `path`: absolute. */
export type ExportWritten =
  | { readonly isTaken: true; readonly path: string }
  | { readonly isTaken: false; readonly path: string; readonly bytes: number };

/**
 * The conversation since the last `/clear`, including content that the model no longer sees. Credentials are hidden.
 */
export type SessionExport = {
  /**
   * The newest answer that contains text; undefined before the first answer.
   * @throws {UserFacingError} (as a rejection) the log can't be read.
   */
  lastAnswer(): Promise<LastAnswer | undefined>;
  /** The conversation as Markdown; undefined while it is empty. @throws as `lastAnswer`. */
  markdown(): Promise<string | undefined>;
  /**
   * Writes the conversation to a file in the format of its extension.
   * @param file Relative to the working folder, absolute, or below `~`; if empty, the name is made from the session's
   * name.
   * @throws {UserFacingError} (as a rejection) the conversation is empty, the ending is unknown, or the file can't be written.
   */
  write(file: string, mayReplace: boolean, signal: AbortSignal): Promise<ExportWritten>;
};
