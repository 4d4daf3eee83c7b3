import { join, relative } from "node:path";
import type { SandboxKind } from "../../contracts/ports.ts";
import { gitIgnores } from "../../platform/git/git-ignores.ts";
import { indexNames } from "../../platform/git/index-names.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { settleIndex, standInFor } from "./io/hidden-tracked.ts";
import { stampAt } from "./io/mount-record.ts";
import { printableName } from "./notices.ts";
import type { Mount } from "./policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

type Hidden = Extract<Mount, { access: "hidden" }>;
type StandIns = {
  readonly kind: SandboxKind;
  /** A private folder for stand-ins. */
  readonly folder: string;
  /** A file that no confined program can read. */
  readonly lockedFile: string;
};

/** Closes hidden files that git tracks or may add, so that no commit records them as emptied or deleted. */
export class TrackedMounts {
  readonly #deps: SandboxDeps;
  readonly #standIns: StandIns;
  readonly #paths = new TrackedPaths();
  #hasNotified = false;

  constructor(deps: SandboxDeps, standIns: StandIns) {
    this.#deps = deps;
    this.#standIns = standIns;
  }

  /**
   * Hidden files that git tracks can't be read at all; where stand-ins are possible, git sees no change in them. A file
   * that git neither tracks nor ignores can't be read either. An ignored one is empty, so that programs that read it start.
   * @param repositories Data folders, mapped to their work trees.
   * @param emptied Hidden files that look empty unless git tracks them: an install runs with them, and no `git add`.
   */
  locked(
    mounts: readonly Mount[],
    repositories: ReadonlyMap<string, string>,
    emptied: readonly string[] = [],
  ): readonly Mount[] {
    const hidden = mounts.flatMap(({ access, path }) => (access === "hidden" ? [path] : []));
    const tracked = this.#paths.among(hidden, repositories);
    if (tracked.size > 0) {
      this.#notifyOfStores([...tracked.keys()], new Set(hidden), repositories);
      this.#settle(tracked, repositories);
    }
    const isIgnored = gitIgnores(repositories, this.#deps.home);
    return mounts.map((mount) => {
      if (mount.access !== "hidden") return mount;
      if (tracked.has(mount.path)) return this.#closed(mount, tracked.get(mount.path));
      // `git add -A` would record an empty file. Git does not see what is in a hidden folder.
      const isOpen = mount.kind === "folder" || emptied.includes(mount.path);
      return !isOpen && isIgnored(mount.path) === false ? { ...mount, isLocked: true } : mount;
    });
  }

  #settle(tracked: ReadonlyMap<string, TrackedFiles>, repositories: ReadonlyMap<string, string>): void {
    if (this.#standIns.kind !== "bubblewrap") return;
    const files = new Set([...tracked.values()].flatMap((paths) => paths ?? []));
    for (const [gitFolder, workTree] of repositories) settleIndex({ gitFolder, workTree }, files);
  }

  #closed(mount: Hidden, files: TrackedFiles): Mount {
    const locked = { ...mount, isLocked: true };
    const { kind, folder, lockedFile } = this.#standIns;
    if (kind !== "bubblewrap" || files === undefined) return locked;
    const standIns = files.flatMap((path) => {
      // A confined checkout can't create a file here: it must not look deleted.
      const file = entryExists(path) ? standInFor(path, folder) : lockedFile;
      return file === undefined ? [] : [{ path, file }];
    });
    if (standIns.length < files.length) return locked;
    if (mount.kind === "folder") return { ...mount, standIns };
    const [standIn] = standIns;
    return standIn ? { ...locked, standIn: standIn.file } : locked;
  }

  /** Says once that git's own store is another way to a hidden file, unless that is closed as well. */
  #notifyOfStores(
    paths: readonly string[],
    closed: ReadonlySet<string>,
    repositories: ReadonlyMap<string, string>,
  ): void {
    if (this.#hasNotified) return;
    const { projectRoot, onNotice } = this.#deps;
    const [first] = paths.filter((path) => {
      const stores = [...repositories].flatMap(([gitFolder, top]) => (isInside(top, path) ? [gitFolder] : []));
      return !stores.some((folder) => closed.has(realPathOrSelf(join(folder, "objects"))));
    });
    if (first === undefined) return;
    this.#hasNotified = true;
    const name = printableName(isInside(projectRoot, first) ? relative(projectRoot, first) : first);
    onNotice?.(
      `Commands in the sandbox can't open ${name}, but git tracks it, and programs can read it from git's objects. To close these too, add the deny rule Read(./.git/objects/**): git then works only outside the sandbox.`,
    );
  }
}

/** The tracked files at or below one path: absolute; undefined if they can't all be replaced by stand-ins. */
export type TrackedFiles = readonly string[] | undefined;

/** Each stand-in in a folder is a mount of its own. */
const MAX_FILES = 200;
const REGULAR: ReadonlySet<number> = new Set([0o100644, 0o100755]);

/**
 * Finds the files and folders that git tracks, from the indexes of repositories. An unchanged index is not read again.
 */
export class TrackedPaths {
  readonly #known = new Map<string, { readonly of: string; readonly tracked: ReadonlyMap<string, TrackedFiles> }>();

  /**
   * @param repositories Data folders, mapped to their work trees.
   * @returns the `paths` that an index names or that contain a tracked file; when an index can't be read, all paths in
   * its work tree.
   */
  among(paths: readonly string[], repositories: ReadonlyMap<string, string>): ReadonlyMap<string, TrackedFiles> {
    const found = [...repositories].flatMap(([gitFolder, workTree]) => {
      const inside = paths.filter((path) => isInside(workTree, path));
      return inside.length === 0 ? [] : [...this.#in(gitFolder, workTree, inside)];
    });
    return new Map(found);
  }

  #in(gitFolder: string, workTree: string, paths: readonly string[]): ReadonlyMap<string, TrackedFiles> {
    const of = [stampAt(join(gitFolder, "index")) ?? "", ...paths].join("\0");
    const known = this.#known.get(gitFolder);
    if (known?.of === of) return known.tracked;
    const names = indexNames(gitFolder);
    const tracked = new Map<string, TrackedFiles>();
    for (const path of paths) {
      const name = relative(workTree, path);
      const found = names?.filter((one) => !one.isSkipped && (one.path === name || one.path.startsWith(`${name}/`)));
      if (found?.length === 0) continue;
      const isPlain = found?.every(({ mode, isUnsettled }) => REGULAR.has(mode) && !isUnsettled) === true;
      const files = isPlain && found.length <= MAX_FILES ? found.map((one) => join(workTree, one.path)) : undefined;
      tracked.set(path, files);
    }
    this.#known.set(gitFolder, { of, tracked });
    return tracked;
  }
}
