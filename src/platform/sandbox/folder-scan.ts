import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Folders that one scan looks into, those near the root first. */
const MAX_FOLDERS = 1_000;
const MAX_DEPTH = 5;
/** A folder that was changed this recently may change again within one tick of its clock: it is read again next time. */
const YOUNG_MS = 50;
/** Large, made by tools, and of no interest. */
const SKIPPED = new Set(
  "node_modules bower_components .venv venv __pycache__ target .next dist build out coverage .cache vendor .git".split(
    " ",
  ),
);

export type FoundEntry = {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** 0 for what lies in the root itself. */
  readonly depth: number;
};

type Folder = {
  readonly mtimeMs: number;
  readonly found: readonly FoundEntry[];
  readonly folders: readonly string[];
};

/** Finds entries by name below a folder, level by level, within bounds. What did not change since is not read again. */
export class FolderScan {
  readonly #root: string;
  readonly #isWanted: (name: string, path: string) => boolean;
  #known = new Map<string, Folder>();

  constructor(root: string, isWanted: (name: string, path: string) => boolean) {
    this.#root = root;
    this.#isWanted = isWanted;
  }

  /** What is there now, nearest first. What can't be read is left out. */
  look(): readonly FoundEntry[] {
    const found: FoundEntry[] = [];
    const next = new Map<string, Folder>();
    let level: readonly string[] = [this.#root];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
      const below: string[] = [];
      for (const path of level) {
        if (next.size >= MAX_FOLDERS) break;
        const folder = this.#read(path, depth);
        if (!folder) continue;
        next.set(path, folder);
        found.push(...folder.found);
        below.push(...folder.folders);
      }
      level = below;
    }
    this.#known = next;
    return found;
  }

  #read(path: string, depth: number): Folder | undefined {
    try {
      const { mtimeMs } = statSync(path);
      const known = this.#known.get(path);
      if (known?.mtimeMs === mtimeMs) return known;
      const entries = readdirSync(path, { withFileTypes: true });
      const found = entries.flatMap((entry) => {
        const at = join(path, entry.name);
        return this.#isWanted(entry.name, at) ? [{ path: at, name: entry.name, kind: kindOf(entry), depth }] : [];
      });
      const wanted = new Set(found.map(({ name }) => name));
      const folders = entries
        .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && !wanted.has(entry.name))
        .map(({ name }) => join(path, name));
      return { mtimeMs: Date.now() - mtimeMs < YOUNG_MS ? Number.NaN : mtimeMs, found, folders };
    } catch {
      return undefined;
    }
  }
}

function kindOf(entry: Dirent): FoundEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
