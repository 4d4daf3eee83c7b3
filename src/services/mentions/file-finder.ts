import { join } from "node:path";
import type { FindFiles, FoundFile } from "../../contracts/file-mention.ts";
import { fuzzyMatch } from "../../contracts/fuzzy-match.ts";
import { listFolder } from "../../platform/files/list-folder.ts";
import { modifiedTimes } from "../../platform/files/modified-times.ts";
import { Best, bestOf, type FoundPath, MAX_PATHS, PathIndex, type PathSearch } from "./path-index.ts";

/** Rows for the list. */
const MAX_FOUND = 30;
/** Found paths, of which some may be hidden. */
const MAX_SEARCHED = 60;
const MAX_RECENT = 8;
/** Modification times are read in folders with at most this many files. */
const MAX_DATED = 20_000;
/** Points of a path that was used or changed a short time ago. */
const RECENT_BONUS = 24;
/** A complete index is used for this time, or for 20 times as long as its listing took. */
const FRESH_MS = 5_000;
const FRESH_SHARE = 20;
/** The interval in which the list is rebuilt while files are still being listed. */
const RETELL_MS = 150;
/** Files beyond a full index are looked for after this pause in typing. */
const PAUSE_MS = 300;
const NEVER_OFFERED = [".git/", ".DS_Store"];
/** Control characters, and the quotation mark: no mention can be written with them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the ones that are looked for.
const UNWRITABLE = /[\u0000-\u001f\u007f"]/;

export type FileFinderDeps = {
  /** The folder of relative paths; absolute. */
  readonly root: string;
  /** The folder of `~/`; absolute. */
  readonly home: string;
  /** Lists the files below the root that git would see. */
  readonly list: ListPaths;
  /** The maximum number of paths that are kept. */
  readonly maxPaths?: number;
  /** The paths that the conversation used, relative to the root, most recent first. */
  recent(): Promise<readonly string[]>;
  /** True for a path that Read may not show. @param path Absolute. */
  isHidden(path: string): boolean;
};

type Beyond = {
  readonly typed: string;
  readonly found: readonly FoundPath[];
  readonly bonus: (path: string) => number;
  readonly show: Parameters<FindFiles>[1];
  readonly signal: AbortSignal;
};

/**
 * Finds files for the list of mentions. The files of the project are listed in the background at the first use, and
 * again when the list is old.
 */
export class FileFinder {
  readonly #deps: FileFinderDeps;
  readonly #closing = new AbortController();
  readonly #maxPaths: number;
  #index: PathIndex;
  /** True if the folder has more paths than the index takes. */
  #isCut = false;
  #listing: Promise<void> | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  #listingMs = 0;
  /** The most recently changed files, newest first. */
  #changed: readonly string[] = [];
  #typed: string | undefined;

  constructor(deps: FileFinderDeps) {
    this.#deps = deps;
    this.#maxPaths = deps.maxPaths ?? MAX_PATHS;
    this.#index = new PathIndex(this.#maxPaths);
  }

  readonly find: FindFiles = (typed, onFound, signal) => {
    const isNew = this.#typed === undefined || !typed.startsWith(this.#typed);
    this.#typed = typed;
    if (isNew) this.#refresh();
    this.#find(typed, onFound, signal).catch(() => undefined);
  };

  /** Ends the listing. */
  close(): void {
    this.#closing.abort(new Error("The session ends."));
  }

  async #find(typed: string, onFound: Parameters<FindFiles>[1], signal: AbortSignal): Promise<void> {
    const show: typeof onFound = (found, note) => {
      if (!signal.aborted) onFound(found, note);
    };
    const folder = folderOf(typed);
    if (folder !== undefined) {
      show(await this.#inFolder(folder, typed.slice(folder.length)));
      return;
    }
    const recent = await this.#deps.recent().catch(() => []);
    while (true) {
      const listing = this.#listing;
      const isLast = !listing && this.#isCut && typed !== "";
      const found = typed === "" ? [] : await this.#matching(typed, recent, signal);
      if (isLast) return this.#findBeyond({ typed, found, bonus: this.#bonusFor(recent), show, signal });
      show(typed === "" ? await this.#first(recent) : this.#shown(found));
      if (!listing) return;
      await Promise.race([listing, pause(RETELL_MS)]);
      if (signal.aborted) return;
    }
  }

  /** Looks for files that the full index left out, once the person stops typing. */
  async #findBeyond({ typed, found, bonus, show, signal }: Beyond): Promise<void> {
    const many = `more than ${this.#maxPaths.toLocaleString("en-US")} files`;
    show(this.#shown(found), `${many} here: looking through all of them …`);
    await pause(PAUSE_MS);
    if (signal.aborted) return;
    const until = AbortSignal.any([signal, this.#closing.signal]);
    const { found: others, isWhole } = await searchListing(typed, this.#deps.list, {
      max: MAX_SEARCHED,
      bonus,
      signal: until,
    });
    const known = new Set(found.map(({ path }) => path));
    const all = bestOf([...found, ...others.filter(({ path }) => !known.has(path))], 2 * MAX_SEARCHED);
    show(this.#shown(all), isWhole ? `${many} here, all looked through` : `${many} here, not all looked through`);
  }

  /** The list before a letter is typed: recently used files, changed files, then the entries of the working folder. */
  async #first(recent: readonly string[]): Promise<readonly FoundFile[]> {
    const entries = (await this.#inFolder("", "")).map(({ path }) => path);
    const used = [...new Set([...recent, ...this.#changed])].filter((path) => this.#isOffered(path));
    const paths = [...new Set([...used.slice(0, MAX_RECENT), ...entries])];
    return paths.slice(0, MAX_FOUND).map((path) => ({ path, marks: [] }));
  }

  #bonusFor(recent: readonly string[]): (path: string) => number {
    const near = new Set([...recent, ...this.#changed]);
    return (path) => (near.has(path) ? RECENT_BONUS : 0);
  }

  #matching(typed: string, recent: readonly string[], signal: AbortSignal): Promise<readonly FoundPath[]> {
    return this.#index.search(typed, { max: MAX_SEARCHED, bonus: this.#bonusFor(recent), signal });
  }

  #shown(found: readonly FoundPath[]): readonly FoundFile[] {
    return found
      .filter(({ path }) => this.#isOffered(path))
      .slice(0, MAX_FOUND)
      .map(({ path, marks }) => ({ path, marks }));
  }

  /** The entries of one folder, folders first. @param folder As typed, with its slash. */
  async #inFolder(folder: string, typed: string): Promise<readonly FoundFile[]> {
    const entries = await listFolder(this.#absolute(folder)).catch(() => []);
    return entries
      .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name))
      .filter((name) => this.#isOffered(folder + name) && (typed.startsWith(".") || !name.startsWith(".")))
      .flatMap((name) => {
        const match = fuzzyMatch(typed.toLowerCase(), name);
        return match ? [{ name, match }] : [];
      })
      .sort((a, b) => b.match.score - a.match.score || Number(b.name.endsWith("/")) - Number(a.name.endsWith("/")))
      .slice(0, MAX_FOUND)
      .map(({ name, match }) => ({ path: folder + name, marks: match.marks.map((at) => at + folder.length) }));
  }

  #isOffered(path: string): boolean {
    if (UNWRITABLE.test(path) || NEVER_OFFERED.some((name) => path.endsWith(name))) return false;
    return !this.#deps.isHidden(this.#absolute(path));
  }

  #absolute(path: string): string {
    const { root, home } = this.#deps;
    if (path.startsWith("~/")) return join(home, path.slice(2));
    return path.startsWith("/") ? path : join(root, path);
  }

  #refresh(): void {
    const age = performance.now() - this.#listedAt;
    if (this.#listing || age < Math.max(FRESH_MS, FRESH_SHARE * this.#listingMs)) return;
    const started = performance.now();
    this.#listing = this.#list()
      .catch(() => undefined)
      .finally(() => {
        this.#listedAt = performance.now();
        this.#listingMs = this.#listedAt - started;
        this.#listing = undefined;
      });
  }

  async #list(): Promise<void> {
    const { signal } = this.#closing;
    const isFirst = this.#listedAt === Number.NEGATIVE_INFINITY;
    const index = isFirst ? this.#index : new PathIndex(this.#maxPaths);
    let isCut = false;
    await this.#deps.list((path) => {
      isCut = !index.add(path);
      return !isCut;
    }, signal);
    this.#index = index;
    this.#isCut = isCut;
    const files = index.paths.filter((path) => !path.endsWith("/"));
    if (files.length > MAX_DATED) return;
    const times = await modifiedTimes(
      files.map((path) => this.#absolute(path)),
      signal,
    );
    this.#changed = files
      .map((path, at) => ({ path, time: times[at] ?? 0 }))
      .sort((a, b) => b.time - a.time)
      .slice(0, MAX_RECENT)
      .map(({ path }) => path);
  }
}

/** The folder that is listed separately: after a `/`, and outside the working folder. */
function folderOf(typed: string): string | undefined {
  const end = typed.lastIndexOf("/") + 1;
  if (end === 0) return undefined;
  return end === typed.length || /^(?:\/|~\/|\.\.?\/)/.test(typed) ? typed.slice(0, end) : undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** Lists files; `onFile` returns false to end the listing. @returns true if the listing is complete. */
type ListPaths = (onFile: (path: string) => boolean, signal: AbortSignal) => Promise<boolean>;

/**
 * The best matches of a query among the files of a listing, of which only these are kept: for a folder with more files
 * than an index takes.
 */
async function searchListing(
  query: string,
  list: ListPaths,
  { max, bonus, signal }: PathSearch,
): Promise<{ readonly found: readonly FoundPath[]; readonly isWhole: boolean }> {
  const low = query.toLowerCase();
  const best = new Best(max);
  const isWhole = await list((path) => {
    const match = fuzzyMatch(low, path);
    if (match) best.offer({ path, score: match.score + bonus(path), marks: match.marks });
    return true;
  }, signal);
  return { found: best.found, isWhole };
}
