import { type Stats, statSync } from "node:fs";

/** A text that differs between two states of a file. */
export type PathState = string;

/** The state of a file, links followed; cheap enough to ask before each call. Files that can't be read count as missing. */
export function pathState(path: string): PathState {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? stateOf(stats) : "";
  } catch {
    return "";
  }
}

/** The same, for a file whose facts are known. */
export function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): PathState {
  return [ino, size, mtimeMs, ctimeMs].join(" ");
}
