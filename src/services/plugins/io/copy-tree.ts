import { createHash } from "node:crypto";
import { copyFile, lstat, mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { UserFacingError } from "../../../contracts/errors.ts";
import { sha256 } from "../../../platform/digest.ts";
import { isInside, realPathOrSelf } from "../../../platform/paths.ts";

const MAX_FILES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;
const MAX_DEPTH = 40;
const EXECUTABLE = 0o100;
/** A repository's own data, and files that operating systems leave behind. */
const SKIPPED: ReadonlySet<string> = new Set([".git", ".DS_Store"]);

type Entry = { readonly path: string; readonly line: string };

/**
 * The hash of a folder's names, contents, links and executable bits. With `to`, the tree is also copied to that folder.
 * @param from Absolute, links resolved.
 * @throws {UserFacingError} the folder is too large, or has a link out of it or another special entry.
 */
export async function hashTree(from: string, to?: string): Promise<string> {
  const entries: Entry[] = [];
  const walk: Walk = { from, to, entries, bytes: 0 };
  await walkFolder("", walk, 0);
  const hash = createHash("sha256");
  for (const { line } of entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))) hash.update(`${line}\n`);
  return hash.digest("hex");
}

type Walk = { readonly from: string; readonly to: string | undefined; readonly entries: Entry[]; bytes: number };

async function walkFolder(folder: string, walk: Walk, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw refused(folder, "it has too many levels of folders");
  if (walk.to !== undefined) await mkdir(join(walk.to, folder), { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(walk.from, folder))) {
    if (SKIPPED.has(name)) continue;
    const path = join(folder, name);
    const stats = await lstat(join(walk.from, path));
    if (stats.isDirectory()) await walkFolder(path, walk, depth + 1);
    else if (stats.isSymbolicLink()) await takeLink(path, walk);
    else if (stats.isFile()) await takeFile(path, stats, walk);
    else throw refused(path, "it is neither a file nor a folder");
    if (walk.entries.length > MAX_FILES) throw refused(path, `the plugin has more than ${MAX_FILES} files`);
  }
}

async function takeFile(path: string, stats: { readonly size: number; readonly mode: number }, walk: Walk) {
  walk.bytes += stats.size;
  if (walk.bytes > MAX_BYTES) throw refused(path, `the plugin has more than ${MAX_BYTES / 1024 / 1024} MB`);
  const { from, to, entries } = walk;
  if (to !== undefined) await copyFile(join(from, path), join(to, path));
  // The copy is hashed, so that the hash is that of the files that will be used.
  const hash = sha256(await readFile(join(to ?? from, path)));
  entries.push({ path, line: JSON.stringify([path, (stats.mode & EXECUTABLE) !== 0, hash]) });
}

async function takeLink(path: string, { from, to, entries }: Walk): Promise<void> {
  const target = await readlink(join(from, path));
  const real = realPathOrSelf(resolve(from, dirname(path), target));
  if (target.startsWith("/") || !isInside(from, real)) throw refused(path, "it is a link out of the plugin");
  if (to !== undefined) await symlink(target, join(to, path));
  entries.push({ path, line: JSON.stringify([path, "link", target]) });
}

function refused(path: string, why: string): UserFacingError {
  return new UserFacingError(`The plugin can't be installed because of ${JSON.stringify(path)}: ${why}.`);
}
