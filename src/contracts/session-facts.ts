/** Where a session is and works, for a person. Paths are short: `~/src/shop`. */
export type SessionFacts = {
  /** The version of Quoll. */
  readonly version: string;
  /** The file of the conversation; absent if it is not saved. */
  readonly sessionFile?: string;
  readonly folder: string;
  readonly isTrusted: boolean;
  /** The folder of the start, if the conversation has moved: into a worktree, or below. */
  readonly startedIn?: string;
  /** The kind of confinement of commands; absent without one. */
  readonly sandbox?: string;
  /** The settings files that were read, lowest first. */
  readonly settingsFiles: readonly string[];
};
