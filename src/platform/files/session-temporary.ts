import { readlinkSync } from "node:fs";
import { lstat, opendir, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { SessionTemporary } from "../../contracts/ports.ts";
import { entryExists, isInside, realPathOrSelf } from "../paths.ts";
import { makePrivateFolder } from "../private-file.ts";

const MAX_LINKS = 40;
/** The folder that the sandbox replaces by the session's own, where it can. */
const SHARED_TEMPORARY = "/tmp";

/** The session's folder for temporary files; it is kept and removed with the session's artefacts. */
export function temporaryIn(artifacts: string): string {
  return join(artifacts, "tmp");
}

/** The path of the folder that the sandbox replaces: absolute, without links. */
export function sharedTemporary(): string {
  return realPathOrSelf(SHARED_TEMPORARY);
}

/** Larger folders are not worth their room when the session ends. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_ENTRIES = 5_000;

/** Removes the session's folder for temporary files if it is large or empty; a resumed session finds it otherwise. */
export async function limitTemporary(artifacts: string): Promise<void> {
  const folder = temporaryIn(artifacts);
  let bytes = 0;
  let entries = 0;
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      entries += 1;
      if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
      if (bytes > MAX_KEPT_BYTES || entries > MAX_KEPT_ENTRIES) break;
    }
    const isKept = entries > 0 && bytes <= MAX_KEPT_BYTES && entries <= MAX_KEPT_ENTRIES;
    if (!isKept) await rm(folder, { recursive: true, force: true });
  } catch {
    // The folder does not exist, or a command has closed a part of it: it ends with the session's other files.
  }
}

/** The name by which rules know a file in the session's folder; any other path is unchanged. */
export function temporaryName(path: string, artifacts: string): string {
  return nameInside(path, { folder: temporaryIn(artifacts), inside: sharedTemporary() }) ?? path;
}

/** A path that may lie in a folder for temporary files. */
const MAY_BE_TEMPORARY = /\/tmp(?:\/|$)/;

export function mayBeTemporary(path: string): boolean {
  return MAY_BE_TEMPORARY.test(path);
}

/** `name` is absent for a path that a link in the session's folder leads to. */
export type TemporaryPlace = { readonly path: string; readonly name?: string };

/**
 * Finds the file of the session that a path means: a file in the session's folder, or a new one if the machine has no
 * file of this name either.
 * @param path Absolute.
 * @param isWrite True for a file that a confined command writes: that is always the session's own.
 * @returns undefined if the path means a file of the machine.
 * @throws {ToolFailedError} the links form a circle.
 */
export function findTemporary(path: string, view: SessionTemporary, isWrite = false): TemporaryPlace | undefined {
  const name = nameInside(path, view) ?? path;
  if (!isReplaced(name, view)) return undefined;
  const found = walk(name, view, 0);
  if (found.name === view.inside) makePrivateFolder(view.folder);
  if (found.name === undefined || isWrite || found.name === view.inside) return found;
  return entryExists(found.path) || !entryExists(name) || view.inside === view.folder ? found : undefined;
}

/** The name inside the sandbox of a path in the session's folder; undefined for another path. */
export function nameInside(
  path: string,
  { folder, inside }: Pick<SessionTemporary, "folder" | "inside">,
): string | undefined {
  return isInside(folder, path) ? join(inside, relative(folder, path)) : undefined;
}

/** True for a name that means another file inside the sandbox than outside. */
export function isReplaced(name: string, { inside, kept }: SessionTemporary): boolean {
  return isInside(inside, name) && !kept.some((folder) => isInside(folder, name));
}

/** Follows the links as a program inside the sandbox would. */
function walk(name: string, view: SessionTemporary, links: number): TemporaryPlace {
  if (links > MAX_LINKS) throw new ToolFailedError(`${name}: symbolic links form a circle.`);
  if (!isReplaced(name, view)) return { path: name };
  const parts = relative(view.inside, name).split("/");
  let at = view.folder;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const target = orUndefined(() => readlinkSync(at));
    if (target === undefined) continue;
    const from = dirname(join(view.inside, relative(view.folder, at)));
    return walk(resolve(from, target, ...parts.slice(index + 1)), view, links + 1);
  }
  return { path: at, name };
}
