import { dirname, join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { GITLINK, indexNames } from "../../platform/git/index-names.ts";
import { isInside, outerGitFolders } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { isRepository } from "./git-paths.ts";
import type { FoundEntry } from "./io/folder-scan.ts";
import { watchLink } from "./io/link-watch.ts";
import { stampAt } from "./io/mount-record.ts";
import type { ProtectionDraft } from "./protection-draft.ts";

/**
 * The maximum number of repositories of a root in which git can write: its own and the nearest ones. The others are
 * read-only.
 */
const MAX_OPEN = 9;
/**
 * Greatest number of repositories below a root. With more repositories, not all could be protected, and a command could
 * choose which ones by adding some.
 */
const MAX_REPOSITORIES = 64;

/** Protects the repositories below a folder. */
export class ProtectedRepositories {
  readonly #draft: ProtectionDraft;
  readonly #linked: LinkedRepositories;
  readonly #isHidden: (path: string) => boolean;
  /** The `.git` entries and data folders that were handled. */
  readonly #entries = new Set<string>();
  readonly #data = new Set<string>();
  #count = 0;

  constructor(draft: ProtectionDraft, linked: LinkedRepositories, isHidden: (path: string) => boolean) {
    this.#draft = draft;
    this.#linked = linked;
    this.#isHidden = isHidden;
  }

  /**
   * @param entries Entries found below the root, nearest first; only `.git` entries count.
   * @throws {ToolFailedError} if there are too many.
   */
  add(root: string, entries: readonly FoundEntry[]): void {
    this.#count = 0;
    this.#addAround(root);
    for (const { name, path } of entries) if (name === ".git") this.#addEntry(path, root);
  }

  /** The repository around the root: its data lies outside, but git obeys files in the root. */
  #addAround(root: string): void {
    for (let at = root; at !== dirname(at); ) {
      if (this.#draft.exists(join(at, ".git"))) return;
      at = dirname(at);
      const gitFolder = gitFolderAt(at);
      if (gitFolder === undefined) continue;
      if (!this.#draft.isWritable(gitFolder)) this.#addData(gitFolder, at);
      return;
    }
  }

  /** A writable git data folder outside the roots. */
  addOuter(gitFolder: string, workTree: string): void {
    this.#draft.mounts.push({ access: "writable", path: gitFolder });
    this.#addData(gitFolder, workTree);
  }

  #addEntry(path: string, root: string): void {
    if (this.#entries.has(path)) return;
    this.#entries.add(path);
    const draft = this.#draft;
    if (!draft.isStable(path)) draft.noteLoose(path);
    if (this.#isHidden(path)) draft.hide(path);
    else if (watchLink(path)) draft.watch(path);
    else if (kindAt(path) !== "folder") this.#addPointer(path, root);
    else if (isRepository(path) || dirname(path) === root) this.#addFolder(path, root);
  }

  /** A `.git` file that names the data folder of a submodule or a linked worktree. */
  #addPointer(path: string, root: string): void {
    const workTree = dirname(path);
    this.#countOne(root);
    this.#draft.keep(path);
    for (const folder of outerGitFolders(workTree)) if (this.#draft.isWritable(folder)) this.#addData(folder, workTree);
  }

  #addFolder(path: string, root: string): void {
    this.#countOne(root);
    if (this.#count > MAX_OPEN) this.#draft.keep(path);
    else this.#addData(path, dirname(path));
  }

  #addData(gitFolder: string, workTree: string): void {
    if (this.#data.has(gitFolder)) return;
    // A submodule's data is protected together with its parent repository.
    const isInner = [...this.#data].some((outer) => isInside(join(outer, "modules"), gitFolder));
    this.#data.add(gitFolder);
    this.#draft.repositories.set(gitFolder, workTree);
    if (this.#linked.isReadable(gitFolder)) this.#draft.readable.add(gitFolder);
    const linked = this.#linked.below(gitFolder, workTree);
    if (!isInner) {
      const hasSubmodules = linked.length > 0 || kindAt(join(workTree, ".gitmodules")) !== undefined;
      if (this.#draft.isWritable(gitFolder)) this.#draft.pin(gitFolder);
      this.#draft.addGit(gitFolder, workTree, hasSubmodules);
    }
    for (const folder of linked) if (this.#draft.isWritable(folder)) this.#addLinked(folder, workTree);
  }

  #addLinked(folder: string, root: string): void {
    this.#draft.linked.add(folder);
    const dotGit = join(folder, ".git");
    if (this.#draft.exists(dotGit)) {
      this.#addEntry(dotGit, root);
      return;
    }
    this.#countOne(root);
    this.#draft.close(folder);
  }

  #countOne(root: string): void {
    this.#count += 1;
    if (this.#count > MAX_REPOSITORIES)
      throw new ToolFailedError(
        `This can't run in the sandbox: there are more than ${MAX_REPOSITORIES} repositories below ${root}, too many to protect their settings. Start Quoll in one of them.`,
      );
  }
}

/** Path of a work tree's index; undefined without one. */
function gitFolderAt(workTree: string): string | undefined {
  const dotGit = join(workTree, ".git");
  return kindAt(dotGit) === "folder" ? dotGit : outerGitFolders(workTree)[0];
}

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
