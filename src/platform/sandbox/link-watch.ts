import { lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { HeldFolder } from "../files/held-folder.ts";

/** A symbolic link that must stay as it is. Nothing can be mounted over a link, so it is looked at afterwards. */
export type WatchedLink = {
  /** Absolute; no links in it but itself. */
  readonly path: string;
  readonly target: string;
  /** The folder that it lies in, so that no other is taken for it. */
  readonly folder: { readonly device: number; readonly inode: number };
};

/** `left`: its folder has gone or is another one by now, or not ours to change; nothing was done. */
export type LinkOutcome = "untouched" | "put back" | "left";

/** @returns undefined when no link is there. */
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
 * Puts a link back that was removed, replaced or pointed elsewhere; what has taken its place is kept under a name beside it.
 * All of it through an open descriptor of the very folder that the link lay in: whoever replaced the link may have put
 * another folder, or a link to one, above it. Where folders can't be held so (not on Linux), nothing is put back. Never throws.
 */
export function restoreLink({ path, target, folder }: WatchedLink): LinkOutcome {
  let held: HeldFolder | undefined;
  try {
    held = HeldFolder.hold(dirname(path));
    const { dev, ino } = lstatSync(held.entry("."));
    if (dev !== folder.device || ino !== folder.inode) return "left";
    const entry = held.entry(basename(path));
    if (targetOf(entry) === target) return "untouched";
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

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
