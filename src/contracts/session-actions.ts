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

/** An answer that is not part of the conversation. `costUsd`: US dollars; undefined if the price is unknown. */
export type SideAnswer = { readonly text: string; readonly tokens: number; readonly costUsd: number | undefined };

/**
 * Asks the conversation's model outside the conversation, also while a turn runs: neither the question nor the answer
 * becomes part of the conversation, and no tool runs.
 */
export type SideQuestions = {
  /** @throws {UserFacingError} (as a rejection) there is no model or no conversation yet, or no answer came. @throws {SpendLimitError} a cap leaves no room. */
  ask(question: string, signal: AbortSignal): Promise<SideAnswer>;
  /**
   * Sends a first short request without the conversation, which shows that the key, the model and the network work. The
   * request fails at the first failure that a conversation would retry.
   * @throws {UserFacingError} (as a rejection) there is no model, or no answer came.
   * @throws {SpendLimitError} a cap leaves no room.
   */
  tryOut(signal: AbortSignal): Promise<SideAnswer>;
  /** Sums up the work so far in a few lines. @throws as `ask`. */
  recap(signal: AbortSignal): Promise<SideAnswer>;
};

/** The folders and state of a session, for a person. Paths are shortened: `~/src/shop`. */
export type SessionFacts = {
  /** The version of Quoll. */
  readonly version: string;
  /** The name that the person gave the session. */
  readonly name?: string;
  /** The file of the conversation; absent if it is not saved. */
  readonly sessionFile?: string;
  readonly folder: string;
  readonly isTrusted: boolean;
  /** The starting folder, if the conversation has moved into a worktree or a subfolder. */
  readonly startedIn?: string;
  /** The mechanism that confines commands; absent without a sandbox. */
  readonly sandbox?: string;
  /** The settings files that were read, lowest first. */
  readonly settingsFiles: readonly string[];
};

/** The folders that a session works in, for a person. Paths in lines are shortened: `~/src/shop`. */
export type SessionFolders = {
  /** Lists every folder; the first is the starting folder. */
  list(): readonly string[];
  /**
   * Adds a folder until the session ends.
   * @param folder Absolute, relative to the working folder, or with `~`.
   * @returns its real path, and lines for the person.
   * @throws {UserFacingError} (as a rejection) the folder is missing or unreadable.
   */
  add(folder: string): Promise<{ readonly path: string; readonly isNew: boolean; readonly lines: readonly string[] }>;
};
