import type { Display } from "./display.ts";

/** The change of one file. `path`: as a person reads it. */
export type ChangedFile = Extract<Display, { readonly kind: "diff" }>;

/** Changes of files with one origin. */
export type ChangeGroup = { readonly title: string; readonly files: readonly ChangedFile[] };

/** The changes, for a person. */
export type SessionChanges = {
  /** The files that Edit and Write changed, of agents too, each with all its changes, in order. */
  ofSession(): readonly ChangedFile[];
  /**
   * The changes of the work tree against the last commit. `notes`: one line for each kind of files without a text to show.
   * @returns undefined outside of a repository. @throws {UserFacingError} (as a rejection) git failed.
   */
  ofTree(signal: AbortSignal): Promise<TreeChanges | undefined>;
};

export type TreeChanges = { readonly files: readonly ChangedFile[]; readonly notes: readonly string[] };
