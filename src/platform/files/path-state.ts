import { statSync } from "node:fs";

/** A text that differs between two states of a file. */
export type PathState = string;

/** The state of a file, links followed; cheap enough to ask before each call. Files that can't be read count as missing. */
export function pathState(path: string): PathState {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ") : "";
  } catch {
    return "";
  }
}
