import type { Display } from "./display.ts";
import type { Encoding } from "./files.ts";

/** The change of one file. `path`: the path in the form that a person reads. */
export type ChangedFile = Extract<Display, { readonly kind: "diff" }>;

/** A file in a group of changes. */
export type GroupedFile = ChangedFile & {
  readonly isDeleted?: true;
  /** For each hunk, the command that takes the hunk back, for a key to type. */
  readonly takeBack?: readonly string[];
};

/** Changes of files with one origin. */
export type ChangeGroup = { readonly title: string; readonly files: readonly GroupedFile[] };

/** A hunk as text, with its line ends. */
export type FilePart = {
  readonly before: string;
  readonly after: string;
  /** The first line of `after` in the file when the change was read, from 1. */
  readonly line: number;
};

/** A changed file whose hunks can be taken back one by one. */
export type PartedFile = ChangedFile & {
  /** Absolute. */
  readonly file: string;
  readonly isDeleted?: true;
  /** The permission bits before the change. */
  readonly mode?: number;
  /** The encoding before the change, if it was not plain UTF-8: a deleted file comes back in it. */
  readonly encoding?: Encoding;
  /** One for each hunk, in order; absent if a hunk is not known completely. */
  readonly parts?: readonly FilePart[];
};

/** `notes`: one line for each kind of file whose text can't be shown. */
export type TreeChanges = { readonly files: readonly PartedFile[]; readonly notes: readonly string[] };

/**
 * The changes of the agent's calls, commands included. `now`: from before the prompt until now; `turn`: until the next
 * prompt. Without `messageId`: since the first prompt.
 */
export type ChangeRange = { readonly messageId?: string; readonly until: "now" | "turn" };

/** The changes of a session, for a person. */
export type SessionChanges = {
  /** The path in the form that a person reads. */
  shown(path: string): string;
  /**
   * The files that this session changed. Without checkpoints, the files that Edit and Write changed, each with all its
   * changes in order.
   */
  ofSession(signal: AbortSignal): Promise<TreeChanges>;
  /** @throws {UserFacingError} (as a rejection) there is no checkpoint for the prompt. */
  ofRange(range: ChangeRange, signal: AbortSignal): Promise<TreeChanges>;
  /**
   * The differences between the work tree and the last commit.
   * @returns undefined outside a repository.
   * @throws {UserFacingError} (as a rejection) git failed.
   */
  ofTree(signal: AbortSignal): Promise<TreeChanges | undefined>;
  /**
   * Writes the file without one hunk, if it still holds it. `/redo` takes this back.
   * @throws {UserFacingError} (as a rejection) nothing has changed.
   */
  takeBack(file: PartedFile, part: FilePart, signal: AbortSignal): Promise<void>;
};
