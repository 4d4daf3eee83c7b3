import { dirname } from "node:path";
import { z } from "zod";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { readStamp } from "../../platform/files/file-stamp.ts";
import { waitForLock } from "../../platform/lock-file.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../platform/private-file.ts";

/** Size limit, far above two thousand folders; a larger file is not a trust list. */
const MAX_STORE_BYTES = 4 * 1024 * 1024;
/** Most folders kept; the oldest are dropped. */
const MAX_TRUSTED_FOLDERS = 2_000;
const LOCK_WAIT_MS = 5_000;
const VERSION = 1;
/** Permission bits that let others write to the file. */
const WRITABLE_BY_OTHERS = 0o022;

const storeSchema = z.object({
  version: z.literal(VERSION),
  folders: z.record(z.string().startsWith("/"), z.object({ trustedAt: z.iso.datetime() })),
});

export type TrustedFolder = {
  /** Absolute, symlinks resolved. */
  readonly root: string;
  /** ISO 8601, UTC. */
  readonly trustedAt: string;
};

/**
 * The folders that a person trusts, by the real path of the project root. Trust in a folder does not cover projects
 * below it.
 */
export interface TrustStore {
  /** Faults of the file, one line each; with a fault, no folder in it is trusted. */
  readonly warnings: readonly string[];
  isTrusted(projectRoot: string): boolean;
  /**
   * Trusts a folder permanently. Never throws.
   * @returns one line when it could not be stored; the folder is then trusted for this session only.
   */
  trust(projectRoot: string): Promise<string | undefined>;
  /** @returns false when the folder was not trusted. @throws {UserFacingError} the file can't be changed. */
  forget(projectRoot: string): Promise<boolean>;
  /** The stored folders, by path. */
  list(): readonly TrustedFolder[];
}

export type TrustStoreOptions = {
  /** `$HOME`: neither this folder nor one above it is ever stored. */
  readonly home?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
};

type Folders = ReadonlyMap<string, string>;

/**
 * Opens the list of trusted folders. A file that is missing, invalid or writable by other users trusts nothing.
 * @param file Absolute; its folder is created at the first write.
 */
export async function createTrustStore(file: string, options: TrustStoreOptions = {}): Promise<TrustStore> {
  const { home, now = Date.now } = options;
  const warnings: string[] = [];
  const ofSession = new Set<string>();
  let folders: Folders = new Map();
  try {
    folders = await readFolders(file);
  } catch (error) {
    warnings.push(`${errorMessage(error)}: no folder is trusted. Fix or delete the file.`);
  }
  /** Trust in a folder that holds the list, or a home folder, would let its content add trust itself. */
  const isTooBroad = (root: string) => [file, home].some((path) => path !== undefined && holds(root, path));
  return {
    warnings,
    isTrusted: (projectRoot) => {
      const root = realPathOrSelf(projectRoot);
      return ofSession.has(root) || (folders.has(root) && !isTooBroad(root));
    },
    trust: async (projectRoot) => {
      const root = realPathOrSelf(projectRoot);
      ofSession.add(root);
      if (isTooBroad(root)) return `${root} contains other projects: it is trusted for this session only.`;
      try {
        folders = await change(file, (known) => new Map([...known, [root, new Date(now()).toISOString()]]));
        return undefined;
      } catch (error) {
        return `${errorMessage(error)}: ${root} is trusted for this session only.`;
      }
    },
    forget: async (projectRoot) => {
      const root = realPathOrSelf(projectRoot);
      const wasTrusted = ofSession.delete(root) || folders.has(root);
      try {
        folders = await change(file, (known) => new Map([...known].filter(([path]) => path !== root)));
      } catch (error) {
        throw new UserFacingError(`${errorMessage(error)}: ${root} is still trusted.`, 1, { cause: error });
      }
      return wasTrusted;
    },
    list: () => [...folders].map(([root, trustedAt]) => ({ root, trustedAt })).sort(byRoot),
  };
}

function holds(root: string, path: string): boolean {
  return isInside(root, path) || isInside(root, realPathOrSelf(path));
}

/** @throws {Error} with one phrase: the file is invalid, too large, or writable by others. */
async function readFolders(file: string): Promise<Folders> {
  const text = await readText(file);
  if (text === undefined) return new Map();
  const stamp = await readStamp(realPathOrSelf(file));
  if (stamp && (stamp.mode & WRITABLE_BY_OTHERS) !== 0) throw new Error(`${file} can be written by other users`);
  const parsed = storeSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${file} is not a list of trusted folders that this version can read`);
  return new Map(Object.entries(parsed.data.folders).map(([root, { trustedAt }]) => [root, trustedAt]));
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readSmallText(file, MAX_STORE_BYTES);
  } catch (error) {
    throw new Error(`${file} could not be read (${errorMessage(error)})`, { cause: error });
  }
}

/** @returns undefined when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces the whole file, under a lock, with the result of `edit` on its current content. */
async function change(file: string, edit: (folders: Folders) => Folders): Promise<Folders> {
  let attempt: Awaited<ReturnType<typeof waitForLock>>;
  try {
    makePrivateFolder(dirname(file));
    attempt = await waitForLock(`${file}.lock`, LOCK_WAIT_MS);
  } catch (error) {
    throw new Error(`${file} could not be locked (${errorMessage(error)})`, { cause: error });
  }
  if (!("lock" in attempt)) throw new Error(`${file} is being changed by another program`);
  try {
    const before = await readFolders(file);
    const after = newest(edit(before));
    try {
      replacePrivateFile(file, storeText(after));
    } catch (error) {
      throw new Error(`${file} could not be written (${errorMessage(error)})`, { cause: error });
    }
    return after;
  } finally {
    attempt.lock.release();
  }
}

function newest(folders: Folders): Folders {
  if (folders.size <= MAX_TRUSTED_FOLDERS) return folders;
  const byAge = [...folders].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  return new Map(byAge.slice(0, MAX_TRUSTED_FOLDERS));
}

function storeText(folders: Folders): string {
  const entries = [...folders].map(([root, trustedAt]) => [root, { trustedAt }] as const);
  return `${JSON.stringify({ version: VERSION, folders: Object.fromEntries(entries) }, null, 2)}\n`;
}

function byRoot(a: TrustedFolder, b: TrustedFolder): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}
