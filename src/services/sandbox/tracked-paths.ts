import { join, relative } from "node:path";
import { indexNames } from "../../platform/git/index-names.ts";
import { isInside } from "../../platform/paths.ts";
import { stampAt } from "./io/running-mounts.ts";

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
