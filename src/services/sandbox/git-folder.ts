/** True if a path exists and is not just a mount point made by Quoll. */
export type Exists = (path: string) => boolean;

export type GitFolder = {
  /** The repository's data folder: `.git`, or the folder that a `.git` file names. Absolute, without links. */
  readonly gitFolder: string;
  /** Base folder of relative paths in git's settings. */
  readonly workTree: string;
  readonly homes: readonly string[];
  readonly exists: Exists;
  /** True if git searches the work tree for submodules. */
  readonly hasSubmodules: boolean;
};
