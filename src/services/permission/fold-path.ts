import { isInside } from "../../platform/paths.ts";

/** A path as a file system compares it that takes `A` and `a`, and both forms of `é`, for one. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Whether a path is one of these folders or lies inside of one. All absolute and resolved. */
export function isWithin(path: string, folders: readonly string[], isCaseInsensitive = false): boolean {
  if (folders.some((folder) => isInside(folder, path))) return true;
  if (!isCaseInsensitive) return false;
  const folded = foldPath(path);
  return folders.some((folder) => isInside(foldPath(folder), folded));
}
