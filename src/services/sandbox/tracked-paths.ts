import { join, relative } from "node:path";
import { indexNames } from "../../platform/git/index-names.ts";
import { isInside } from "../../platform/paths.ts";
import { stampAt } from "./io/running-mounts.ts";

/**
 * Finds the files and folders that git tracks, from the indexes of repositories. An unchanged index is not read again.
 */
export class TrackedPaths {
  readonly #known = new Map<string, { readonly of: string; readonly tracked: ReadonlySet<string> }>();

  /**
   * @param repositories Data folders, mapped to their work trees.
   * @returns the `paths` that an index names or that contain a tracked file; when an index can't be read, all paths in
   * its work tree.
   */
  among(paths: readonly string[], repositories: ReadonlyMap<string, string>): ReadonlySet<string> {
    const found = [...repositories].flatMap(([gitFolder, workTree]) => {
      const inside = paths.filter((path) => isInside(workTree, path));
      return inside.length === 0 ? [] : [...this.#in(gitFolder, workTree, inside)];
    });
    return new Set(found);
  }

  #in(gitFolder: string, workTree: string, paths: readonly string[]): ReadonlySet<string> {
    const of = [stampAt(join(gitFolder, "index")) ?? "", ...paths].join("\0");
    const known = this.#known.get(gitFolder);
    if (known?.of === of) return known.tracked;
    const names = indexNames(gitFolder)?.map(({ path }) => path);
    const isNamed = (path: string) => {
      const name = relative(workTree, path);
      return names?.some((one) => one === name || one.startsWith(`${name}/`)) ?? true;
    };
    const tracked = new Set(paths.filter(isNamed));
    this.#known.set(gitFolder, { of, tracked });
    return tracked;
  }
}
