import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";

/** The maximum number of folders that one scan reads, starting near the root. */
export const MAX_FOLDERS = 1_000;
export const MAX_DEPTH = 10;
const LIMITS = { folders: MAX_FOLDERS, depth: MAX_DEPTH };
/** A folder changed this recently may change again with the same timestamp, so it is read again next time. */
const YOUNG_MS = 50;
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Large folders made by tools, scanned only for rules. */
const SKIPPED = names("node_modules bower_components .venv venv __pycache__ .next .cache .git");
/**
 * Folders usually made by tools that may also hold repositories. The scan reads one level; for rules it reads all
 * levels.
 */
const SHALLOW = names("vendor target dist build out coverage");

export type FoundEntry = {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** 0 for entries of the root itself. */
  readonly depth: number;
};

/**
 * The origin of a folder: `work` belongs to the person, `output` lies in a build folder, `packages` lies in a folder of a
 * package manager or cache.
 */
export type Maker = "work" | "output" | "packages";

/** A folder that tools made. */
export type MadeFolder = { readonly path: string; readonly maker: Maker };

type Folder = {
  readonly mtimeMs: number;
  readonly found: readonly FoundEntry[];
  readonly folders: readonly MadeFolder[];
  /** Folders in which only a `.git` entry matters. */
  readonly probed: readonly string[];
};

type NameTest = (name: string, path: string) => boolean;

export type ScanOptions = {
  /** True if a matching folder is also scanned inside; none by default. */
  readonly isEntered?: NameTest;
  /** Names that rules search in tool-made folders; without rules these folders are not scanned. */
  readonly ruled?: {
    isNeeded(): boolean;
    /** The tool-made folders to scan; all by default. */
    readonly makers?: readonly Maker[];
    isWanted(name: string, path: string, maker: Maker): boolean;
  };
  /** Other limits than `MAX_FOLDERS` and `MAX_DEPTH`. */
  readonly limits?: { readonly folders: number; readonly depth: number };
};

/** @property top The outermost folder by the same maker. */
type Level = MadeFolder & { readonly depth: number; readonly top: string };
type Known = ReadonlyMap<string, Folder>;

/** Finds entries by name below a folder, level by level, within limits. Unchanged folders are not read again. */
export class FolderScan {
  readonly #root: string;
  readonly #isWanted: NameTest;
  readonly #options: ScanOptions;
  #known: Known = new Map();
  #knownMade: Known = new Map();
  #ruledEntries: readonly FoundEntry[] = [];
  #isCut = false;
  #cutFolders: readonly MadeFolder[] = [];

  constructor(root: string, isWanted: NameTest, options: ScanOptions = {}) {
    this.#root = root;
    this.#isWanted = isWanted;
    this.#options = options;
  }

  /**
   * Scans the current state and returns the entries, nearest first. Unreadable folders are left out. Folders of the
   * previous scan come first, so that new folders can't push them out.
   */
  look(): readonly FoundEntry[] {
    const root: Level = { path: this.#root, depth: 0, maker: "work", top: this.#root };
    const work = this.#walkAll([root], this.#known, (level) => level.maker === "work");
    this.#known = work.next;
    this.#isCut = work.cut.size > 0;
    // Tool-made folders have their own limits, so that build output can't push out other folders.
    const { ruled } = this.#options;
    const makers = ruled?.makers;
    const levels = ruled?.isNeeded() ? work.others.filter(({ maker }) => makers?.includes(maker) ?? true) : [];
    const made = this.#walkAll(levels, this.#knownMade, ({ maker }) => makers?.includes(maker) ?? true);
    this.#knownMade = made.next;
    this.#ruledEntries = made.found;
    this.#cutFolders = [...made.cut].map(([path, maker]) => ({ path, maker }));
    return work.found.sort((a, b) => a.depth - b.depth);
  }

  /** Entries that the last scan found for rules in tool-made folders, in addition to its result. */
  get ruledEntries(): readonly FoundEntry[] {
    return this.#ruledEntries;
  }

  /** True if the last scan skipped folders because there were too many or they were too deep. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The tool-made folders that the last scan covered only in part, for the same reasons. */
  get cutFolders(): readonly MadeFolder[] {
    return this.#cutFolders;
  }

  /** Discards the cache after a change of the wanted names. */
  forget(): void {
    this.#known = new Map();
    this.#knownMade = new Map();
  }

  /** @param isOurs True if a level belongs to this walk; other levels are returned. */
  #walkAll(start: readonly Level[], known: Known, isOurs: (level: Level) => boolean): Walk {
    const walk: Walk = { known, isOurs, next: new Map(), found: [], others: [], cut: new Map() };
    this.#walk(this.#walk(start, walk, true), walk, false);
    return walk;
  }

  /**
   * @param isFirst Scan only folders of the previous scan.
   * @returns the folders skipped because they are new; empty without `isFirst`.
   */
  #walk(start: readonly Level[], walk: Walk, isFirst: boolean): readonly Level[] {
    const { known, next, found, others, cut, isOurs } = walk;
    const { folders: maxFolders, depth: maxDepth } = this.#options.limits ?? LIMITS;
    const left: Level[] = [];
    const queue = [...start];
    for (let level = queue.shift(); level !== undefined; level = queue.shift()) {
      if (next.size >= maxFolders) {
        for (const { top, maker } of [level, ...queue]) cut.set(top, maker);
        break;
      }
      if (isFirst && !known.has(level.path)) {
        left.push(level);
        continue;
      }
      const folder = this.#read(level, known.get(level.path));
      if (!folder) continue;
      const { depth } = level;
      next.set(level.path, folder);
      found.push(...folder.found, ...folder.probed.flatMap((path) => this.#probe(path, depth + 1)));
      for (const inner of folder.folders.map((one) => levelBelow(level, one))) {
        if (!isOurs(inner)) others.push(inner);
        else if (depth < maxDepth) queue.push(inner);
        else cut.set(inner.top, inner.maker);
      }
    }
    return left;
  }

  #read({ path, depth, maker }: Level, known: Folder | undefined): Folder | undefined {
    try {
      const { mtimeMs } = statSync(path);
      if (known?.mtimeMs === mtimeMs) return known;
      const entries = readdirSync(path, { withFileTypes: true });
      const found = entries.flatMap((entry) => {
        const at = join(path, entry.name);
        return this.#isWantedBy(maker, entry.name, at)
          ? [{ path: at, name: entry.name, kind: kindOf(entry), depth }]
          : [];
      });
      const { isEntered = () => false } = this.#options;
      const wanted = new Set(found.filter((one) => !isEntered(one.name, one.path)).map(({ name }) => name));
      const isShallow = maker === "work" && SHALLOW.has(basename(path)) && path !== this.#root;
      const folders = entries
        .filter((entry) => entry.isDirectory() && entry.name !== ".git" && !wanted.has(entry.name))
        .map(({ name }): MadeFolder => {
          const inner = maker === "packages" || SKIPPED.has(name) ? "packages" : isShallow ? "output" : maker;
          return { path: join(path, name), maker: inner };
        });
      return {
        mtimeMs: Date.now() - mtimeMs < YOUNG_MS ? Number.NaN : mtimeMs,
        found,
        folders,
        probed: isShallow ? folders.flatMap((one) => (one.maker === "output" ? [one.path] : [])) : [],
      };
    } catch {
      return undefined;
    }
  }

  #isWantedBy(maker: Maker, name: string, path: string): boolean {
    if (maker === "work") return this.#isWanted(name, path);
    return this.#options.ruled?.isWanted(name, path, maker) ?? false;
  }

  #probe(folder: string, depth: number): readonly FoundEntry[] {
    const path = join(folder, ".git");
    const stats = this.#isWanted(".git", path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    return stats ? [{ path, name: ".git", kind: kindOf(stats), depth }] : [];
  }
}

type Walk = {
  /** Cached listings of the previous scan and of this one. */
  readonly known: Known;
  readonly next: Map<string, Folder>;
  readonly found: FoundEntry[];
  readonly others: Level[];
  /** The outermost folders scanned only in part, with their makers. */
  readonly cut: Map<string, Maker>;
  isOurs(level: Level): boolean;
};

function levelBelow(level: Level, { path, maker }: MadeFolder): Level {
  const depth = level.depth + 1;
  if (maker === level.maker) return { path, maker, depth, top: level.top };
  // Everything in a build folder counts as build output.
  return { path, maker, depth, top: maker === "output" ? level.path : path };
}

function kindOf(entry: Dirent | Stats): FoundEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
