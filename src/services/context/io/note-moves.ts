import { linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../platform/files/list-folder.ts";
import { makePrivateFolder } from "../../../platform/private-file.ts";

/** Forgotten notes that are kept; the oldest are deleted. */
const MAX_KEPT = 50;
/** The time in front of the name of a kept file, in milliseconds since 1970, and its digits. */
const KEPT = /^(\d{15})-(.+)$/;

/** The folders of current and of forgotten notes. Both paths are absolute, links resolved, on one file system. */
export type NoteFolders = { readonly folder: string; readonly kept: string };

/**
 * Moves a note into the folder of forgotten notes.
 * @param nowMs Milliseconds since 1970.
 * @throws {Error} a system error: nothing was moved.
 */
export function moveAway({ folder, kept }: NoteFolders, file: string, nowMs: number): void {
  makePrivateFolder(kept);
  const newest = keptFiles(kept).at(-1);
  const time = Math.max(nowMs, newest ? newest.time + 1 : 0);
  move(join(folder, file), join(kept, `${String(time).padStart(15, "0")}-${file}`));
  for (const { name } of keptFiles(kept).slice(0, -MAX_KEPT)) rmSync(join(kept, name), { force: true });
}

/**
 * Restores the note that was moved away last.
 * @returns the name of the note's file; undefined if no note is kept.
 * @throws {Error} a system error, or a note of this name is there again: nothing was moved.
 */
export function moveBack({ folder, kept }: NoteFolders): string | undefined {
  const newest = keptFiles(kept).at(-1);
  if (!newest) return undefined;
  makePrivateFolder(folder);
  move(join(kept, newest.name), join(folder, newest.file));
  return newest.file;
}

/** Deletes a note. @throws {Error} a system error. */
export function deleteNote({ folder }: NoteFolders, file: string): void {
  rmSync(join(folder, file), { force: true });
}

/** A rename would replace an existing file; creating a link never does. */
function move(from: string, to: string): void {
  linkSync(from, to);
  rmSync(from);
}

function keptFiles(kept: string) {
  const files = (namesIn(kept) ?? []).flatMap((name) => {
    const [, time = "", file] = KEPT.exec(name) ?? [];
    return file === undefined ? [] : [{ name, file, time: Number(time) }];
  });
  return files.sort((a, b) => a.time - b.time);
}
