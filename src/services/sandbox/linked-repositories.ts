import { join } from "node:path";
import { GITLINK, indexNames } from "../../platform/git/index-names.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { stampAt } from "../../platform/sandbox/running-mounts.ts";

const MAX_GITMODULES_BYTES = 1024 * 1024;
/** An index of a large work tree is read once, as long as it stays as it is. */
const MAX_KNOWN = 64;

/** The folders of work trees in which git looks for repositories, and whose settings it obeys, whatever it is run for. */
export class LinkedRepositories {
  readonly #known = new Map<string, { readonly stamp: string; readonly names: readonly string[] | undefined }>();

  /**
   * Those that the index names; where it is none that can be read here, those that `.gitmodules` names.
   * @returns absolute paths; they may be missing.
   */
  below(gitFolder: string, workTree: string): readonly string[] {
    const names = this.#inIndex(gitFolder) ?? namesInSettings(join(workTree, ".gitmodules"));
    return names.filter(isPlain).map((name) => join(workTree, name));
  }

  /** Whether the index is one that can be looked through. */
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
