import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isTop } from "../../../platform/git/repository.ts";
import { inSlices } from "./in-slices.ts";
import type { ObjectStore } from "./object-store.ts";
import { namesIn, type ShadowRun } from "./shadow-git.ts";
import { isSame, isSure } from "./stat-data.ts";
import {
  EXECUTABLE_MODE,
  FILE_MODE,
  type FileEntry,
  foldersAbove,
  LINK_MODE,
  type TreeEntries,
  TreeWriter,
} from "./tree-entries.ts";

/** The most that one look reads; more is left to git. */
const MAX_READ = 200;
const MAX_READ_BYTES = 4 * 1024 * 1024;
const MAX_NEW_NAMES = 100;
/** After this time git looks again, so that its index names all contents before a prune deletes unnamed ones (1 hour). */
const TRUSTED_MS = 30 * 60_000;
const OWNER_EXECUTES = 0o100;
const RULES = ".gitignore";
const LINKED_REPOSITORY = "160000";
const ENTRY = /^(\d{6}) ([0-9a-f]{40}) 0\t([\s\S]+)$/;

type KnownFile = {
  /** Undefined: it was not there any more. */
  readonly stats: Stats | undefined;
  readonly isSure: boolean;
  /** Undefined for a file that is not part of the state, such as a very large one. */
  readonly entry: FileEntry | undefined;
};

type Kind = "file" | "folder" | "other";

/** `names`: what it holds, as far as git was asked about it. */
type KnownFolder = { readonly stats: Stats; readonly isSure: boolean; readonly names: Map<string, Kind> };

export type KnownPlace = {
  /** The work tree, absolute, and the root's path in it. */
  readonly top: string;
  readonly prefix: string;
  readonly objects: ObjectStore;
  readonly limits: { readonly maxFileBytes: number; readonly maxKnown: number };
  /** Runs git on the root's index. */
  git(args: readonly string[], signal: AbortSignal, more?: Pick<ShadowRun, "input" | "isIgnoreCheck">): Promise<Buffer>;
};

export type GitLook = {
  /** When git began to look: milliseconds since the epoch. */
  readonly startedMs: number;
  /** Absolute paths of repositories inside. */
  readonly nested: readonly string[];
  /** Files that git found and did not store. */
  readonly skipped: readonly string[];
  /** The stat data of a file when git looked, or before. */
  statsOf(path: string): Stats | undefined;
};

export type KnownState = {
  readonly tree: string;
  readonly entries: TreeEntries;
  /** The files that were read again. */
  readonly read: readonly string[];
  /** Files of the last state that another file took the place of. */
  readonly replaced: readonly string[];
  /** True if a folder may have changed: its mode, or what is in it. */
  readonly hasFolderChanges: boolean;
};

/**
 * The files of a small work tree as they were stored last. A look at them needs no run of git, except for names that are
 * new. As git does, it trusts the stat data of files (racy-git(7)).
 */
export class KnownTree {
  readonly #place: KnownPlace;
  readonly #learnedMs: number;
  readonly #nested: ReadonlySet<string>;
  readonly #files = new Map<string, KnownFile>();
  readonly #folders = new Map<string, KnownFolder>();
  /** Files with ignore rules that are not part of the state, by path. */
  readonly #rules = new Map<string, Stats | undefined>();
  readonly #writer: TreeWriter;
  readonly #added = new Set<string>();
  #entries: TreeEntries = new Map();
  #tree: string | undefined;

  private constructor(place: KnownPlace, look: GitLook) {
    this.#place = place;
    this.#learnedMs = look.startedMs;
    this.#nested = new Set(look.nested);
    this.#writer = new TreeWriter(place.objects);
  }

  /** Reads what git has just stored. @returns undefined if the tree is not small, or not plain. */
  static async learn(place: KnownPlace, look: GitLook, signal: AbortSignal): Promise<KnownTree | undefined> {
    const known = new KnownTree(place, look);
    return (await known.#learn(look, signal)) ? known : undefined;
  }

  /** The stat data that a file had. */
  statsOf(path: string): Stats | undefined {
    return this.#files.get(path)?.stats;
  }

  /** The files that came since git looked, so that its index does not have them. */
  get added(): ReadonlySet<string> {
    return this.#added;
  }

  get entries(): TreeEntries {
    return this.#entries;
  }

  /**
   * Stores what changed since the last look.
   * @returns undefined if git must look; then this object knows nothing any more.
   */
  async next(signal: AbortSignal): Promise<KnownState | undefined> {
    const startedMs = Date.now();
    const age = startedMs - this.#learnedMs;
    if (age < 0 || age > TRUSTED_MS || this.#hasNewRules() || this.#hasLostNested()) return undefined;
    const folders = await this.#lookAtFolders(startedMs, signal);
    const suspects = folders && (await this.#suspects(folders.fresh, signal));
    if (!suspects) return undefined;
    const stored = await this.#storeAll(suspects, startedMs, signal);
    if (!stored) return undefined;
    if (stored.hasChanged) this.#entries = this.#allEntries();
    if (stored.hasChanged || this.#tree === undefined) this.#tree = this.#writer.write(this.#entries);
    return {
      tree: this.#tree,
      entries: this.#entries,
      read: suspects,
      replaced: stored.replaced,
      hasFolderChanges: folders.hasChanges,
    };
  }

  async #learn({ startedMs, skipped, statsOf }: GitLook, signal: AbortSignal): Promise<boolean> {
    const { prefix } = this.#place;
    const listed = await this.#place.git(["ls-files", "-z", "--stage", ...this.#pathspec()], signal);
    const { names, unreadable } = namesIn(listed);
    if (unreadable.length > 0 || names.length + skipped.length > this.#place.limits.maxKnown) return false;
    for (const line of names) {
      const [, mode = "", oid = "", path = ""] = ENTRY.exec(line) ?? [];
      if (path === "" || mode === LINKED_REPOSITORY) return false;
      this.#note(path, { mode, oid }, statsOf(path), startedMs);
    }
    for (const path of skipped) this.#note(path, undefined, this.#lstat(path), startedMs);
    for (const folder of prefix === "" ? [] : ["", ...foldersAbove(prefix)]) this.#noteRules(inside(folder, RULES));
    this.#entries = this.#allEntries();
    return this.#openFolders([prefix], startedMs, signal);
  }

  #note(path: string, entry: FileEntry | undefined, stats: Stats | undefined, startedMs: number): void {
    this.#files.set(path, { stats, entry, isSure: isSure(stats, startedMs) });
  }

  #noteRules(path: string): void {
    this.#rules.set(path, this.#lstat(path));
  }

  #hasNewRules(): boolean {
    return [...this.#rules].some(([path, stats]) => !isSame(stats, this.#lstat(path)));
  }

  #hasLostNested(): boolean {
    return [...this.#nested].some((path) => !isTop(path));
  }

  /** @returns the names that are new or of another kind; undefined if git must look. */
  async #lookAtFolders(startedMs: number, signal: AbortSignal) {
    const fresh: string[] = [];
    let hasChanges = false;
    let isOdd = false;
    await inSlices([...this.#folders], signal, ([folder, known]) => {
      const stats = folder === this.#place.prefix ? this.#lstat(folder) : this.#lstatInside(folder);
      if (known.isSure && isSame(known.stats, stats)) return;
      hasChanges = true;
      if (!stats?.isDirectory()) this.#folders.delete(folder);
      else {
        const now = this.#readFolder(folder, stats, startedMs);
        const came = [...(now?.names ?? [])].filter(([name, kind]) => known.names.get(name) !== kind);
        // New rules may ignore themselves: then git does not list them.
        if (!now || came.some(([name]) => name === RULES)) isOdd = true;
        for (const [name] of came) fresh.push(inside(folder, name));
      }
    });
    // The root itself is gone, or it became a repository of its own.
    if (isOdd || !this.#folders.has(this.#place.prefix) || fresh.length > MAX_NEW_NAMES) return undefined;
    return { fresh, hasChanges };
  }

  /** The files to read again: changed, gone, new, or perhaps changed. */
  async #suspects(fresh: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const suspects: string[] = [];
    let bytes = 0;
    let isOdd = false;
    await inSlices([...this.#files], signal, ([path, { stats, isSure: isCertain, entry }]) => {
      const now = this.#lstatInside(path);
      const isUnchanged = isSame(stats, now);
      if (isUnchanged && isCertain) return;
      // A file that was too large may fit now; new rules may uncover other files.
      if (!entry || (!isUnchanged && nameOf(path) === RULES)) isOdd = true;
      suspects.push(path);
      bytes += now?.size ?? 0;
    });
    if (isOdd) return undefined;
    const added = fresh.length === 0 ? [] : await this.#filesBelow(fresh, signal);
    if (!added || suspects.length + added.length > MAX_READ) return undefined;
    for (const path of added) bytes += this.#lstat(path)?.size ?? 0;
    return bytes > MAX_READ_BYTES ? undefined : [...suspects, ...added];
  }

  /** The new files at and below these names that count. */
  async #filesBelow(fresh: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> {
    const startedMs = Date.now();
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...fresh];
    const { names, unreadable } = namesIn(await this.#place.git(args, signal));
    const files = [...new Set(names)].filter((path) => !this.#files.has(path));
    for (const path of fresh) if (!this.#lstat(path)) this.#forgetName(path);
    const isOdd = (path: string) => path.endsWith("/") || nameOf(path) === RULES;
    const count = this.#files.size + this.#folders.size + files.length;
    if (unreadable.length > 0 || files.some(isOdd) || count > this.#place.limits.maxKnown) return undefined;
    const folders = fresh.filter((path) => this.#lstat(path)?.isDirectory() && nameOf(path) !== ".git");
    return (await this.#openFolders(folders, startedMs, signal, files)) ? files : undefined;
  }

  /** Stores files. @returns undefined if git must look. */
  async #storeAll(paths: readonly string[], startedMs: number, signal: AbortSignal) {
    const replaced: string[] = [];
    let hasChanged = false;
    for (const path of paths) {
      const known = this.#files.get(path);
      const stats = this.#lstatInside(path);
      if (!stats) this.#forgetName(path);
      if (!stats?.isFile() && !stats?.isSymbolicLink()) {
        hasChanged = this.#files.delete(path) || hasChanged;
        continue;
      }
      const entry = await this.#store(path, stats, signal);
      if (!entry) return undefined;
      this.#files.set(path, { stats, entry, isSure: isSure(stats, startedMs) });
      if (!known) this.#added.add(path);
      if (stats.isFile() && known?.stats?.isFile() && known.stats.ino !== stats.ino) replaced.push(path);
      hasChanged ||= known?.entry?.oid !== entry.oid || known.entry.mode !== entry.mode;
    }
    return { replaced, hasChanged };
  }

  /** @returns undefined for a file that can't be stored now: git says why. */
  async #store(path: string, stats: Stats, signal: AbortSignal): Promise<FileEntry | undefined> {
    const { top, objects, limits } = this.#place;
    if (stats.size > limits.maxFileBytes) return undefined;
    try {
      if (stats.isFile()) accessSync(join(top, path), constants.R_OK);
      const oid = stats.isFile()
        ? await objects.writeFile(join(top, path), stats.size, signal)
        : objects.writeLink(join(top, path));
      const mode = stats.isFile() ? (stats.mode & OWNER_EXECUTES ? EXECUTABLE_MODE : FILE_MODE) : LINK_MODE;
      return isSame(stats, this.#lstat(path)) ? { mode, oid } : undefined;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Reads folders and those below that git does not ignore. @returns false if the tree is not small, or not plain. */
  async #openFolders(
    start: readonly string[],
    startedMs: number,
    signal: AbortSignal,
    added: readonly string[] = [],
  ): Promise<boolean> {
    const asked = new Set(added);
    const holding = new Set([...this.#files.keys(), ...added].flatMap(foldersAbove));
    for (const folder of foldersAbove(`${this.#place.prefix}/`)) holding.add(folder);
    const isOpen = (folder: string) => folder === "" || holding.has(folder);
    const unsure = new Set<string>();
    for (let waiting = start; waiting.length > 0; ) {
      const unknown = waiting.filter((folder) => !isOpen(folder));
      const ignored = unknown.length === 0 ? new Set() : await this.#ignoredAmong(unknown, signal);
      const next: string[] = [];
      for (const folder of waiting) {
        if (ignored.has(folder)) continue;
        const stats = this.#lstat(folder);
        if (!stats?.isDirectory()) continue;
        const known = this.#readFolder(folder, stats, startedMs);
        // Perhaps it came after git looked, with all that is in it, whose stat data is old.
        const isCertain = known?.isSure && !unsure.has(folderOf(folder));
        if (!isCertain) unsure.add(folder);
        if (!known || this.#files.size + this.#folders.size > this.#place.limits.maxKnown) return false;
        for (const [name, kind] of known.names) {
          const path = inside(folder, name);
          if (kind === "folder" && name !== ".git" && !this.#nested.has(join(this.#place.top, path))) next.push(path);
          else if (name === RULES && !this.#files.has(path)) this.#noteRules(path);
        }
        const isAsked = (path: string) =>
          this.#files.has(path) || asked.has(path) || isSure(this.#rules.get(path), startedMs);
        // A name that came after git looked is asked about at the next look.
        const isKept = ([name, kind]: [string, Kind]) =>
          isCertain || kind === "folder" || isAsked(inside(folder, name));
        const names = new Map([...known.names].filter(isKept));
        this.#folders.set(folder, { stats, isSure: isCertain === true, names });
      }
      waiting = next;
    }
    return true;
  }

  /** @returns undefined for a folder that can't be read, with odd names, or with a repository of its own. */
  #readFolder(folder: string, stats: Stats, startedMs: number): KnownFolder | undefined {
    try {
      const entries = readdirSync(join(this.#place.top, folder), { withFileTypes: true });
      const names = new Map<string, Kind>();
      for (const entry of entries) {
        const kind = kindOf(entry);
        if (kind === undefined || entry.name.includes("\ufffd")) return undefined;
        names.set(entry.name, kind);
      }
      if (folder !== "" && names.has(".git")) return undefined;
      const known = { stats, names, isSure: isSure(stats, startedMs) };
      this.#folders.set(folder, known);
      return known;
    } catch {
      return undefined;
    }
  }

  async #ignoredAmong(folders: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    // A name that begins with a colon has a meaning of its own (gitglossary(7), pathspec).
    const input = folders.map((folder) => `./${folder}\0`).join("");
    const printed = await this.#place.git(["check-ignore", "-z", "--stdin"], signal, { input, isIgnoreCheck: true });
    return new Set(namesIn(printed).names.map((name) => name.slice(2)));
  }

  #allEntries(): TreeEntries {
    return new Map([...this.#files].flatMap(([path, { entry }]) => (entry ? [[path, entry] as const] : [])));
  }

  /** A name that is gone is a new name when it comes back, also if its folder was read before it went. */
  #forgetName(path: string): void {
    this.#folders.get(folderOf(path))?.names.delete(nameOf(path));
  }

  /** Undefined for what is below a link that took the place of a folder: git does not look through links. */
  #lstatInside(path: string): Stats | undefined {
    return this.#folders.has(folderOf(path)) ? this.#lstat(path) : undefined;
  }

  #lstat(path: string): Stats | undefined {
    try {
      return lstatSync(join(this.#place.top, path), { throwIfNoEntry: false });
    } catch {
      // A parent of the path is a file now.
      return undefined;
    }
  }

  #pathspec(): readonly string[] {
    return this.#place.prefix === "" ? [] : ["--", this.#place.prefix];
  }
}

/** @returns undefined if the file system does not say it. */
function kindOf(entry: Dirent): Kind | undefined {
  if (entry.isFile() || entry.isSymbolicLink()) return "file";
  if (entry.isDirectory()) return "folder";
  const isSpecial = entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
  return isSpecial ? "other" : undefined;
}

function inside(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
