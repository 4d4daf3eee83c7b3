import { isInside, realPathOrSelf } from "../../platform/paths.ts";

/**
 * True if answers about a folder must not be stored: the folder holds the file of the answers, or a home folder, so its
 * content could add answers itself.
 */
export function isTooBroad(root: string, paths: readonly (string | undefined)[]): boolean {
  return paths.some((path) => path !== undefined && holds(root, path));
}

function holds(root: string, path: string): boolean {
  return isInside(root, path) || isInside(root, realPathOrSelf(path));
}
