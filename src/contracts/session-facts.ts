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
