import type { Display } from "./display.ts";

/** The change of one file. `path`: the path in the form that a person reads. */
export type ChangedFile = Extract<Display, { readonly kind: "diff" }>;

/** A file in a group of changes. */
export type GroupedFile = ChangedFile & { readonly isDeleted?: true };

/** Changes of files with one origin. */
export type ChangeGroup = { readonly title: string; readonly files: readonly GroupedFile[] };

/** The changes of a session, for a person. */
export type SessionChanges = {
  /** The files that Edit and Write changed, including those of agents, each with all its changes in order. */
  ofSession(): readonly ChangedFile[];
  /**
   * The differences between the work tree and the last commit. `notes`: one line for each kind of file whose text can't
   * be shown.
   * @returns undefined outside a repository.
   * @throws {UserFacingError} (as a rejection) git failed.
   */
  ofTree(signal: AbortSignal): Promise<TreeChanges | undefined>;
};

export type TreeChanges = { readonly files: readonly ChangedFile[]; readonly notes: readonly string[] };
