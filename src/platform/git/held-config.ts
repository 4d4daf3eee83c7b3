import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { HeldFolder } from "../files/held-folder.ts";

const MAX_BYTES = 1024 * 1024;
const NAME = "config";
const LOCK = "config.lock";

/** A repository's own settings file, with its folder's and its own identity (device and inode). */
export type ConfigFile = {
  /** The folder that the repository's work trees share; absolute, without links. */
  readonly commonDir: string;
  readonly identity: string;
};

/** @returns undefined if there is no writable file: it is a link, has a second name, or is too large. */
export function findConfigFile(commonDir: string): ConfigFile | undefined {
  return withFile(commonDir, constants.O_RDONLY, (_, identity) => ({ commonDir, identity }));
}

/** @returns undefined if another file or folder has taken its place. */
export function readConfigFile({ commonDir, identity }: ConfigFile): Buffer | undefined {
  return withFile(commonDir, constants.O_RDONLY, (file, now) => (now === identity ? readFileSync(file) : undefined));
}

/**
 * Overwrites the file in place: running confined programs have it mounted, and could write to a new file in its place.
 * git's lock and the file are reached through one held folder, and the function is synchronous.
 * @returns false without a change if another program holds the lock, if the file was replaced, or if its content is not
 * `before`.
 */
export function replaceConfigText({ commonDir, identity }: ConfigFile, before: Buffer, after: Buffer): boolean {
  const replace = (file: number, now: string, folder: HeldFolder) => {
    if (now !== identity) return false;
    const lock = openSync(folder.entry(LOCK), "wx", 0o600);
    try {
      if (!readFileSync(file).equals(before)) return false;
      overwrite(file, before, after);
      return true;
    } finally {
      closeSync(lock);
      rmSync(folder.entry(LOCK), { force: true });
    }
  };
  return withFile(commonDir, constants.O_RDWR, replace) ?? false;
}

type FileUse<Result> = (file: number, identity: string, folder: HeldFolder) => Result;

/** @returns undefined also when the system refuses. */
function withFile<Result>(commonDir: string, access: number, use: FileUse<Result>): Result | undefined {
  let folder: HeldFolder | undefined;
  let file: number | undefined;
  try {
    folder = HeldFolder.hold(commonDir);
    const stamp = folder.stampOf(".");
    file = openSync(folder.entry(NAME), access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.nlink !== 1 || stats.size > MAX_BYTES) return undefined;
    return use(file, [stamp?.device, stamp?.inode, stats.dev, stats.ino].join(":"), folder);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
    folder?.close();
  }
}

/** Writes only the differing part, in one call if the system allows; a failed write is undone. */
function overwrite(file: number, before: Buffer, after: Buffer): void {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  try {
    writeFrom(file, after, same);
  } catch (error) {
    writeFrom(file, before, same);
    throw error;
  }
}

function writeFrom(file: number, bytes: Buffer, from: number): void {
  for (let at = from; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
  ftruncateSync(file, bytes.length);
  fsyncSync(file);
}
