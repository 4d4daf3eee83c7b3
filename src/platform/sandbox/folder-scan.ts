import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";

/** Folders that one scan looks into, those near the root first. */
export const MAX_FOLDERS = 1_000;
export const MAX_DEPTH = 10;
/** A folder that was changed this recently may change again within one tick of its clock: it is read again next time. */
const YOUNG_MS = 50;
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Large, made by tools, and of no interest. */
const SKIPPED = names("node_modules bower_components .venv venv __pycache__ .next .cache .git");
/** Made by tools too, as a rule; but some keep repositories of others in them. One level is looked at. */
const SHALLOW = names("vendor target dist build out coverage");

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
  /** Folders of which only a `.git` is of interest. */
  readonly probed: readonly string[];
};

type NameTest = (name: string, path: string) => boolean;
type Level = { readonly path: string; readonly depth: number };

/** Finds entries by name below a folder, level by level, within bounds. What did not change since is not read again. */
export class FolderScan {
  readonly #root: string;
  readonly #isWanted: NameTest;
  readonly #isEntered: NameTest;
  #known = new Map<string, Folder>();
  #isCut = false;

  /** @param isEntered Whether a wanted folder is looked into all the same; none by default. */
  constructor(root: string, isWanted: NameTest, isEntered: NameTest = () => false) {
    this.#root = root;
    this.#isWanted = isWanted;
    this.#isEntered = isEntered;
  }

  /**
   * What is there now, nearest first. What can't be read is left out. Folders that were looked into the last time come first:
   * no number of new ones pushes them out.
   */
  look(): readonly FoundEntry[] {
    const found: FoundEntry[] = [];
    const next = new Map<string, Folder>();
    this.#isCut = false;
    const fresh = this.#walk([{ path: this.#root, depth: 0 }], { next, found, isFirst: true });
    this.#walk(fresh, { next, found, isFirst: false });
    this.#known = next;
    return found.sort((a, b) => a.depth - b.depth);
  }

  /** Whether the last look left folders out, since there were too many or they lie too deep. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What is wanted has changed: everything is read anew. */
  forget(): void {
    this.#known = new Map();
  }

  /** @returns the folders that were not looked into, since they are new: with `isFirst` only. */
  #walk(start: readonly Level[], to: Walk): readonly Level[] {
    const { next, found, isFirst } = to;
    const left: Level[] = [];
    const queue = [...start];
    for (let level = queue.shift(); level !== undefined; level = queue.shift()) {
      if (next.size >= MAX_FOLDERS) {
        this.#isCut = true;
        break;
      }
      if (isFirst && !this.#known.has(level.path)) {
        left.push(level);
        continue;
      }
      const folder = this.#read(level.path, level.depth);
      if (!folder) continue;
      next.set(level.path, folder);
      found.push(...folder.found, ...folder.probed.flatMap((path) => this.#probe(path, level.depth + 1)));
      if (level.depth < MAX_DEPTH) queue.push(...folder.folders.map((path) => ({ path, depth: level.depth + 1 })));
      else if (folder.folders.length > 0) this.#isCut = true;
    }
    return left;
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
      const wanted = new Set(found.filter((one) => !this.#isEntered(one.name, one.path)).map(({ name }) => name));
      const folders = entries
        .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && !wanted.has(entry.name))
        .map(({ name }) => join(path, name));
      const isShallow = SHALLOW.has(basename(path)) && path !== this.#root;
      return {
        mtimeMs: Date.now() - mtimeMs < YOUNG_MS ? Number.NaN : mtimeMs,
        found,
        folders: isShallow ? [] : folders,
        probed: isShallow ? folders : [],
      };
    } catch {
      return undefined;
    }
  }

  #probe(folder: string, depth: number): readonly FoundEntry[] {
    const path = join(folder, ".git");
    const stats = this.#isWanted(".git", path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    return stats ? [{ path, name: ".git", kind: kindOf(stats), depth }] : [];
  }
}

type Walk = {
  readonly next: Map<string, Folder>;
  readonly found: FoundEntry[];
  /** Only folders that were looked into the last time. */
  readonly isFirst: boolean;
};

function kindOf(entry: Dirent | Stats): FoundEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
