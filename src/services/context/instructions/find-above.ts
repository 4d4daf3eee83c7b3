import { dirname, join } from "node:path";
import { isOwnFile } from "../../../platform/files/kind-at.ts";
import { isInside } from "../../../platform/paths.ts";
import { PROJECT_NAMES } from "./families.ts";

/** A folder above a project that holds instruction files. */
export type FolderAbove = {
  /** Absolute. */
  readonly folder: string;
  /** Names relative to the folder. */
  readonly names: readonly string[];
};

type Around = {
  /** The topmost folder of the project: absolute, symlinks resolved. */
  readonly top: string;
  /** `$HOME`, symlinks resolved. */
  readonly home: string;
  /** Folders of the person's own files, which count in any case, and other checkouts of the project's repository. */
  readonly others: readonly string[];
};

/**
 * The folders above a project that hold instruction files, the outermost first. In the home folder and above it, hidden
 * folders hold the person's own files and don't count. Files of other users of the machine don't count either.
 */
export function foldersAbove({ top, home, others }: Around): readonly FolderAbove[] {
  const found: FolderAbove[] = [];
  for (let at = dirname(top); at !== dirname(at); at = dirname(at)) {
    if (others.includes(at)) continue;
    const names = namesAbove(at, isInside(at, home));
    if (names.length > 0) found.unshift({ folder: at, names });
  }
  return found;
}

/** The names of the instruction files of a folder above a project. */
export function namesAbove(folder: string, isOfPerson: boolean): readonly string[] {
  return PROJECT_NAMES.flatMap(({ files = [], local = [] }) => [...files, ...local])
    .filter((name) => !(isOfPerson && name.includes("/")))
    .filter((name) => isOwnFile(join(folder, name)));
}
