import picomatch from "picomatch";
import type { PathRule } from "../../contracts/permission.ts";
import type { UnconfinedStart, UnconfinedWork } from "../../contracts/ports.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { pathGlobs } from "../../platform/globs/path-glob.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { NewEntryGuard } from "./new-entry-guard.ts";
import { ProtectedPaths } from "./protected-paths.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

const NONE: readonly PathRule[] = [];

/** The writable folders of a program, and what is protected in them. */
export type FolderGuards = {
  readonly roots: readonly string[];
  readonly protectedPaths: ProtectedPaths;
  readonly newEntries: NewEntryGuard;
};

/** The paths that settings close, besides the protected names. */
export type ClosedPaths = {
  readonly homes: readonly string[];
  readonly denyRead: PathSet;
  readonly denyWrite: PathSet;
};

/**
 * The guards of the workspace's folders. When the person adds a folder, later programs get guards for all folders; running
 * programs keep theirs, for which the entries of the added folder would all be new.
 */
export class GuardedFolders {
  readonly #deps: SandboxDeps;
  readonly #closed: ClosedPaths;
  /** The newest first. */
  #all: readonly FolderGuards[] = [];

  /** @throws {ToolFailedError} Quoll's own folders can't be created. */
  constructor(deps: SandboxDeps, closed: ClosedPaths) {
    this.#deps = deps;
    this.#closed = closed;
    this.now();
  }

  /** The guards for a program that starts now. @throws {ToolFailedError} Quoll's own folders can't be created. */
  now(): FolderGuards {
    const { roots } = this.#deps;
    const [newest] = this.#all;
    if (newest?.roots.length === roots.length) return newest;
    const made = this.#guard([...roots]);
    this.#all = [made, ...this.#all];
    return made;
  }

  /** @see {NewEntryGuard.beginUnconfined} */
  async beginUnconfined(work: UnconfinedWork, signal: AbortSignal): Promise<UnconfinedStart> {
    const begun: UnconfinedStart[] = [];
    const end = () => {
      for (const one of begun) one.end();
    };
    try {
      for (const { newEntries } of this.#all) begun.push(await newEntries.beginUnconfined(work, signal));
    } catch (error) {
      end();
      throw error;
    }
    return { lines: begun.flatMap(({ lines }) => lines), end };
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ newEntries }) => newEntries.close()));
  }

  #guard(roots: readonly string[]): FolderGuards {
    const { asker, onNotice, rules = () => NONE, ownFolders, projectRoot, gitFolders } = this.#deps;
    const { homes, denyRead, denyWrite } = this.#closed;
    // Create Quoll's folders in writable roots now, so that no command can create them first.
    for (const folder of ownFolders) if (roots.some((root) => isInside(root, folder))) makePrivateFolder(folder);
    const protectedPaths = new ProtectedPaths({
      roots,
      homes,
      ownFolders,
      denyWrite: denyWrite.plain.map(realPathOrSelf),
      // If the project root is not writable, its `.git` is not either.
      gitFolders: roots.includes(projectRoot) ? gitFolders.filter((path) => kindAt(path) === "folder") : [],
      isHidden: (path) => denyRead.matches(path),
      isFixed: (path) => denyWrite.matches(path),
      rules,
    });
    const ruledNow = (writing: readonly PathRule[]) => protectedPaths.ruledNow(writing);
    const newEntries = new NewEntryGuard({ roots, homes, asker, onNotice, rules, ruledNow });
    return { roots, protectedPaths, newEntries };
  }
}

/** The plain paths and the patterns of a setting. */
export type PathSet = {
  /** Paths without wildcards. */
  readonly plain: readonly string[];
  /** True if a pattern matches an absolute path. */
  matches(path: string): boolean;
};

/**
 * @param entries Absolute; `*`, `?`, `[…]`, `{…}` and `**` make a pattern. An entry, or a part of one, that is also the
 * name of an existing file counts as both: a setting that closes paths never closes fewer.
 */
export function pathSet(entries: readonly string[]): PathSet {
  const patterns = entries.filter((entry) => picomatch.scan(entry).isGlob);
  const matchers = patterns.map((pattern) => picomatch(pattern, { dot: true }));
  const isSpelled = pathGlobs(
    patterns.map((pattern) => pattern.slice(1)),
    "/",
  );
  return {
    plain: entries.filter((entry) => !patterns.includes(entry) || entryExists(entry)),
    matches: (path) => matchers.some((isMatch) => isMatch(path)) || (isSpelled?.(path.slice(1)) ?? false),
  };
}
