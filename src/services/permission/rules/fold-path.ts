import { isInside } from "../../../platform/paths.ts";

/** A path as a case-insensitive, Unicode-normalising file system compares it. */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** True if a path is one of these folders or is inside one. All paths are absolute and resolved. */
export function isWithin(path: string, folders: readonly string[], isCaseInsensitive = false): boolean {
  if (folders.some((folder) => isInside(folder, path))) return true;
  if (!isCaseInsensitive) return false;
  const folded = foldPath(path);
  return folders.some((folder) => isInside(foldPath(folder), folded));
}
