/** Whether something is there by itself, and not because a mount point was made. */
export type Exists = (path: string) => boolean;

export type GitFolder = {
  /** The repository's data: `.git`, or what a `.git` file names. Absolute, without links. */
  readonly gitFolder: string;
  /** What relative paths in the settings are relative to. */
  readonly workTree: string;
  readonly homes: readonly string[];
  readonly exists: Exists;
  /** Whether git looks for other repositories in the work tree. */
  readonly hasSubmodules: boolean;
};
