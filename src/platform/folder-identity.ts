import { statSync } from "node:fs";

/**
 * Identifies a folder on its file system, also after it was renamed or moved there: inode and time of birth.
 * @returns undefined if the folder is missing or its file system has no times of birth.
 */
export function folderIdentity(path: string): string | undefined {
  const kind = statSync(path, { bigint: true, throwIfNoEntry: false });
  return kind?.isDirectory() && kind.birthtimeNs > 0n ? `${kind.ino}-${kind.birthtimeNs}` : undefined;
}
