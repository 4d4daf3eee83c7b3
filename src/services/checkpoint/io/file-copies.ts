import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { StoredCopies, StoredEntry } from "../../../contracts/checkpoint.ts";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** A file may change twice without another time stamp: within this time, or where a file system counts whole seconds. */
const UNSURE_MS = 50;
const UNSURE_SECONDS_MS = 2_000;

const MODE_BITS = 0o7777;
/** Most files whose last copy is remembered. */
const MAX_KNOWN = 5_000;
const MAX_ATTEMPTS = 2;

type Known = { readonly stats: Stats; readonly entry: StoredEntry; readonly isSure: boolean };

/** `problems`: one printable phrase for each path that could not be stored. */
export type CopyResult = { readonly copies: StoredCopies; readonly problems: readonly string[] };

/** Stores single files. A file that didn't change since its last copy is not read again. */
export class FileCopies {
  readonly #objects: ObjectStore;
  readonly #maxFileBytes: number;
  readonly #known = new Map<string, Known>();

  constructor(objects: ObjectStore, maxFileBytes: number) {
    this.#objects = objects;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Stores the files at these paths, and notes which folders above them are missing. */
  async keep(paths: Iterable<string>, signal: AbortSignal): Promise<CopyResult> {
    const copies = new Map<string, StoredEntry | null>();
    const problems: string[] = [];
    for (const path of paths) {
      signal.throwIfAborted();
      try {
        const entry = await this.entryAt(path, signal);
        copies.set(path, entry);
        if (entry === null) for (const folder of missingAbove(path)) copies.set(folder, null);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`${path} can't be stored (${errorCode(error) ?? errorMessage(error)})`);
      }
    }
    return { copies, problems };
  }

  /** Stores what is at a path. Sockets, FIFOs and devices count as missing. @throws {Error} it can't be stored. */
  async entryAt(path: string, signal: AbortSignal): Promise<StoredEntry | null> {
    for (let attempt = 1; ; attempt += 1) {
      const stats = statsAt(path);
      if (!stats) return null;
      const mode = stats.mode & MODE_BITS;
      if (stats.isDirectory()) return { kind: "folder", mode };
      if (stats.isSymbolicLink()) return { kind: "link", oid: this.#objects.writeLink(path), mode: 0 };
      if (!stats.isFile()) return null;
      const known = this.#known.get(path);
      if (known?.isSure && isSame(known.stats, stats) && this.#objects.has(oidOf(known.entry))) return known.entry;
      if (stats.size > this.#maxFileBytes) throw new Error("it is too large");
      const entry = await this.#store(path, stats, signal).catch((error: unknown) => {
        if (attempt >= MAX_ATTEMPTS) throw error;
        return undefined;
      });
      if (entry) return entry;
    }
  }

  /** @returns undefined if the file changed meanwhile. */
  async #store(path: string, stats: Stats, signal: AbortSignal): Promise<StoredEntry | undefined> {
    const startedMs = Date.now();
    const oid = await this.#objects.writeFile(path, stats.size, signal);
    const after = statsAt(path);
    if (!after || !isSame(after, stats)) throw new Error("it changed while it was stored");
    const entry: StoredEntry = { kind: "file", oid, mode: stats.mode & MODE_BITS };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(path, { stats, entry, isSure: isSure(stats, startedMs) });
    return entry;
  }
}

function oidOf(entry: StoredEntry): string {
  return entry.kind === "folder" ? "" : entry.oid;
}

/** The folders above a path that don't exist, the deepest first. */
function missingAbove(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = dirname(path); dirname(at) !== at && !statsAt(at); at = dirname(at)) missing.push(at);
  return missing;
}

function statsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A part of the path is a file, or a link to itself.
    if (errorCode(error) === "ENOTDIR" || errorCode(error) === "ELOOP") return undefined;
    throw error;
  }
}

/**
 * True if these stat data will differ after the next change. Nobody can set the time of a file's last change of status to
 * an earlier one.
 * @param startedMs When the file was looked at: milliseconds since the epoch, or earlier.
 */
function isSure(stats: Stats | undefined, startedMs: number): boolean {
  if (!stats) return false;
  const { ctimeMs } = stats;
  return startedMs - ctimeMs > (ctimeMs % 1_000 === 0 ? UNSURE_SECONDS_MS : UNSURE_MS);
}

/** True if a file did not change between two looks, as far as stat data tell. Undefined: it was not there. */
function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode
  );
}
