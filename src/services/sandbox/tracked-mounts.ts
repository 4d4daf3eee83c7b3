import { join, relative } from "node:path";
import type { SandboxKind } from "../../contracts/ports.ts";
import { gitIgnores } from "../../platform/git/git-ignores.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { settleIndex } from "./io/settle-index.ts";
import { standInFor } from "./io/stand-ins.ts";
import type { Mount } from "./policy.ts";
import { printableName } from "./printable-name.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { type TrackedFiles, TrackedPaths } from "./tracked-paths.ts";

type Hidden = Extract<Mount, { access: "hidden" }>;
type Place = {
  readonly kind: SandboxKind;
  /** A private folder for stand-ins. */
  readonly folder: string;
  /** A file that no confined program can read. */
  readonly lockedFile: string;
};

/** Closes hidden files that git tracks or may add, so that no commit records them as emptied or deleted. */
export class TrackedMounts {
  readonly #deps: SandboxDeps;
  readonly #place: Place;
  readonly #paths = new TrackedPaths();
  #hasTold = false;

  constructor(deps: SandboxDeps, place: Place) {
    this.#deps = deps;
    this.#place = place;
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
      this.#tell([...tracked.keys()], new Set(hidden), repositories);
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
    if (this.#place.kind !== "bubblewrap") return;
    const files = new Set([...tracked.values()].flatMap((paths) => paths ?? []));
    for (const [gitFolder, workTree] of repositories) settleIndex({ gitFolder, workTree }, files);
  }

  #closed(mount: Hidden, files: TrackedFiles): Mount {
    const locked = { ...mount, isLocked: true };
    const { kind, folder, lockedFile } = this.#place;
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
  #tell(paths: readonly string[], closed: ReadonlySet<string>, repositories: ReadonlyMap<string, string>): void {
    if (this.#hasTold) return;
    const { projectRoot, warn } = this.#deps;
    const [first] = paths.filter((path) => {
      const stores = [...repositories].flatMap(([gitFolder, top]) => (isInside(top, path) ? [gitFolder] : []));
      return !stores.some((folder) => closed.has(realPathOrSelf(join(folder, "objects"))));
    });
    if (first === undefined) return;
    this.#hasTold = true;
    const name = printableName(isInside(projectRoot, first) ? relative(projectRoot, first) : first);
    warn?.(
      `Commands in the sandbox can't open ${name}, but git tracks it, and programs can read it from git's objects. To close these too, add the deny rule Read(./.git/objects/**): git then works only outside the sandbox.`,
    );
  }
}
