import { lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";

/** A symbolic link that must stay as it is. Nothing can be mounted over a link, so it is looked at afterwards. */
export type WatchedLink = { readonly path: string; readonly target: string };

/** @returns undefined when no link is there. */
export function watchLink(path: string): WatchedLink | undefined {
  try {
    return { path, target: readlinkSync(path) };
  } catch {
    return undefined;
  }
}

/**
 * Puts a link back that was removed, replaced or pointed elsewhere; what has taken its place is kept under a name beside it.
 * Never throws.
 * @returns whether it had to.
 */
export function restoreLink({ path, target }: WatchedLink): boolean {
  try {
    if (watchLink(path)?.target === target) return false;
    if (lstatSync(path, { throwIfNoEntry: false })) renameSync(path, `${path}.changed-in-sandbox-${Date.now()}`);
    symlinkSync(target, path);
    return true;
  } catch {
    // Its folder is gone, or not ours to change: nothing is left that could be put back.
    return false;
  }
}
