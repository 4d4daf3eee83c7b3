import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inSlices } from "./in-slices.ts";

/** Folders that changed less than this before a look may change again without another time stamp. */
const UNSURE_MS = 50;
/** Most folders to open below one folder without stored files. */
const MAX_OPENED = 200;
const MODE_BITS = 0o7777;

type Known = {
  readonly changedMs: number;
  readonly folders: readonly string[];
  /** True if it has entries other than folders. */
  readonly hasFiles: boolean;
  /** False if the folder may have changed while it was read. */
  readonly isSure: boolean;
};

/** The folders of a work tree: which have no files, and their modes. Paths are relative; the top is "". */
export type ScannedFolders = {
  /** Folders without any file, also those that hold only such folders, with their modes. */
  readonly empty: ReadonlyMap<string, number>;
  /** Modes of folders with files, if they are not the usual one. */
  readonly modes: ReadonlyMap<string, number>;
  readonly usualMode: number;
};

/** Follows the folders of a work tree from one state to the next. A folder that didn't change is not read again. */
export class FolderScan {
  readonly #top: string;
  readonly #prefix: string;
  /** Folders with stored files below them. */
  readonly #holding = new Set<string>();
  readonly #known = new Map<string, Known>();

  /** @param prefix The folder to look at, relative to the top; "" for the top. */
  constructor(top: string, prefix: string) {
    this.#top = top;
    this.#prefix = prefix;
  }

  /** Adds the folders above these files. */
  addAbove(paths: Iterable<string>): void {
    const prefix = this.#prefix;
    this.#holding.add(prefix);
    for (const path of paths) {
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
        const folder = path.slice(0, at);
        if (this.#holding.has(folder) || folder === prefix) break;
        this.#holding.add(folder);
      }
    }
  }

  async look(signal: AbortSignal): Promise<ScannedFolders> {
    const modes = new Map<string, number>();
    const counts = new Map<number, number>();
    const others = new Set<string>();
    await inSlices([...this.#holding], signal, (folder) => {
      const mode = this.#lookAt(folder, others);
      if (mode === undefined) return;
      modes.set(folder, mode);
      counts.set(mode, (counts.get(mode) ?? 0) + 1);
    });
    const usualMode = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0o755;
    for (const [folder, mode] of modes) if (mode === usualMode) modes.delete(folder);
    const empty = new Map<string, number>();
    for (const folder of others) for (const [path, mode] of emptyBelow(this.#top, folder)) empty.set(path, mode);
    this.#addEmptied(empty, (folder) => modes.get(folder) ?? usualMode);
    return { empty, modes, usualMode };
  }

  /** Adds folders that have lost their last file, the deepest first. */
  #addEmptied(empty: Map<string, number>, modeOf: (folder: string) => number): void {
    const bare = [...this.#known].filter(([folder, { hasFiles }]) => !hasFiles && folder !== this.#prefix);
    for (const [folder, { folders }] of bare.sort(([a], [b]) => b.length - a.length))
      if (folders.every((one) => empty.has(one))) empty.set(folder, modeOf(folder));
  }

  /** Reads a folder if it changed, and adds its folders without stored files to `others`. @returns its mode. */
  #lookAt(folder: string, others: Set<string>): number | undefined {
    const startedMs = Date.now();
    const path = join(this.#top, folder);
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats?.isDirectory()) return this.#forget(folder);
      let known = this.#known.get(folder);
      if (!known?.isSure || known.changedMs !== stats.mtimeMs) {
        const entries = readdirSync(path, { withFileTypes: true });
        const folders = foldersIn(entries).map((name) => inside(folder, name));
        const isSure = startedMs - stats.mtimeMs > UNSURE_MS;
        known = { changedMs: stats.mtimeMs, folders, hasFiles: folders.length < entries.length, isSure };
        this.#known.set(folder, known);
      }
      for (const one of known.folders) if (!this.#holding.has(one)) others.add(one);
      return stats.mode & MODE_BITS;
    } catch {
      return this.#forget(folder);
    }
  }

  #forget(folder: string): undefined {
    this.#known.delete(folder);
    this.#holding.delete(folder);
    return undefined;
  }
}

function foldersIn(entries: readonly Dirent[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.isDirectory() && entry.name !== ".git" && !entry.name.includes("\ufffd") ? [entry.name] : [],
  );
}

function inside(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** A folder and those in it, with their modes, unless a file is anywhere below. */
function emptyBelow(top: string, folder: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    try {
      const path = join(top, at);
      const entries = readdirSync(path, { withFileTypes: true });
      if (entries.some((entry) => !entry.isDirectory() || entry.name === ".git")) return new Map();
      found.set(at, lstatSync(path).mode & MODE_BITS);
      if (found.size > MAX_OPENED) return new Map();
      for (const { name } of entries) waiting.push(inside(at, name));
    } catch {
      return new Map();
    }
  }
  return found;
}
