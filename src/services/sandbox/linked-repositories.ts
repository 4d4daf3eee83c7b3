import { join } from "node:path";
import { GITLINK, indexNames } from "../../platform/git/index-names.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { stampAt } from "./io/running-mounts.ts";

const MAX_GITMODULES_BYTES = 1024 * 1024;
/** Caches the last results, since the index of a large work tree is slow to read. */
const MAX_KNOWN = 64;

/** Finds the submodule folders of work trees: git obeys the settings of a repository there. */
export class LinkedRepositories {
  readonly #known = new Map<string, { readonly stamp: string; readonly names: readonly string[] | undefined }>();

  /**
   * The submodules in the index, or those in `.gitmodules` when the index can't be read.
   * @returns absolute paths; they may be missing.
   */
  below(gitFolder: string, workTree: string): readonly string[] {
    const names = this.#inIndex(gitFolder) ?? namesInSettings(join(workTree, ".gitmodules"));
    return names.filter(isPlain).map((name) => join(workTree, name));
  }

  /** True if the index can be parsed. */
  isReadable(gitFolder: string): boolean {
    return this.#inIndex(gitFolder) !== undefined;
  }

  #inIndex(gitFolder: string): readonly string[] | undefined {
    const stamp = stampAt(join(gitFolder, "index")) ?? "";
    const known = this.#known.get(gitFolder);
    if (known?.stamp === stamp) return known.names;
    const names = indexNames(gitFolder, GITLINK)?.map(({ path }) => path);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(gitFolder, { stamp, names });
    return names;
  }
}

function namesInSettings(path: string): readonly string[] {
  const text = readSmallFile(path, MAX_GITMODULES_BYTES) ?? "";
  return [...text.matchAll(/^\s*path\s*=\s*"?([^"\n]+)/gim)].map(([, name = ""]) => name.trim());
}

function isPlain(name: string): boolean {
  return name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}
