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

/** A repository's own file of settings, known by its folder's and its own identity (device and inode). */
export type ConfigFile = {
  /** The folder that the repository's work trees share; absolute, without links. */
  readonly commonDir: string;
  readonly identity: string;
};

/** @returns undefined when there is none that may be written to: a link, a file with a second name, one that is too large. */
export function findConfigFile(commonDir: string): ConfigFile | undefined {
  return withFile(commonDir, constants.O_RDONLY, (_, identity) => ({ commonDir, identity }));
}

/** @returns undefined when another file or folder stands there now. */
export function readConfigFile({ commonDir, identity }: ConfigFile): Buffer | undefined {
  return withFile(commonDir, constants.O_RDONLY, (file, now) => (now === identity ? readFileSync(file) : undefined));
}

/**
 * Overwrites the file in place: confined programs that run have it mounted, and a new file in its place would be open to them.
 * git's lock, the file and the release of the lock are reached through one held folder, and nobody else of this process gets a
 * turn meanwhile.
 * @returns false, with nothing changed, when somebody holds the lock, the file is another one now, or holds something other
 * than `before`.
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

/** @returns undefined when the system refuses something too. */
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

/** Touches only what differs, in one call where the system takes it; a write that fails is taken back. */
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
