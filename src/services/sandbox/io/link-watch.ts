import { lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { HeldFolder } from "../../../platform/files/held-folder.ts";

/** A symbolic link that must not change. Links can't be mounted over, so they are checked after the run. */
export type WatchedLink = {
  /** Absolute; no other link in the path. */
  readonly path: string;
  readonly target: string;
  /** Identity of the parent folder, to detect a replacement. */
  readonly folder: { readonly device: number; readonly inode: number };
};

/** `left`: the parent folder no longer exists, or was replaced or is not writable, so nothing was done. */
export type LinkOutcome = "untouched" | "put back" | "left";

/** @returns undefined when the path is not a link. */
export function watchLink(path: string): WatchedLink | undefined {
  try {
    const target = readlinkSync(path);
    const { dev, ino } = lstatSync(dirname(path));
    return { path, target, folder: { device: dev, inode: ino } };
  } catch {
    return undefined;
  }
}

/**
 * Restores a link that was removed, replaced or retargeted; its replacement is moved aside. Works through an open
 * descriptor of the original parent folder, because a program that replaced the link may also have replaced a folder
 * above it. Systems without such descriptors (not Linux) restore nothing. Never throws.
 */
export function restoreLink({ path, target, folder }: WatchedLink): LinkOutcome {
  let held: HeldFolder | undefined;
  try {
    held = HeldFolder.hold(dirname(path));
    const { dev, ino } = lstatSync(held.entry("."));
    if (dev !== folder.device || ino !== folder.inode) return "left";
    const entry = held.entry(basename(path));
    if (orUndefined(() => readlinkSync(entry)) === target) return "untouched";
    if (!held.isByHandle) return "left";
    if (lstatSync(entry, { throwIfNoEntry: false }))
      renameSync(entry, held.entry(`${basename(path)}.changed-in-sandbox-${Date.now()}`));
    symlinkSync(target, entry);
    return "put back";
  } catch {
    return "left";
  } finally {
    held?.close();
  }
}
