import { join } from "node:path";
import { namesIn, type ShadowGit, type ShadowRun } from "./shadow-git.ts";

const MANY_PATHS = 500;

/**
 * `nested`: absolute paths of repositories inside. `unreadable`: names that are not UTF-8, in a printable form. `stored`: the
 * files of the last state, if they were asked for.
 */
export type OtherFiles = {
  readonly paths: readonly string[];
  readonly nested: readonly string[];
  readonly unreadable: readonly string[];
  readonly stored: readonly string[];
};

/** The tag of a file that the index doesn't have (git-ls-files(1), -t), and the length of all tags. */
const OTHER = "? ";

export type RootIndexDeps = {
  /** The work tree, absolute, and the root's path in it. */
  readonly top: string;
  readonly prefix: string;
  readonly git: ShadowGit;
  /** The index file: absolute. */
  readonly index: string;
  /** The file with ignore rules. */
  readonly excludes: string;
};

/** The index of a root in the shadow repository: what was stored last. Each method is one run of git or a few. */
export class RootIndex {
  readonly #deps: RootIndexDeps;

  constructor(deps: RootIndexDeps) {
    this.#deps = deps;
  }

  /** Files of the last state whose stat data changed, and files that are gone. */
  async dirty(signal: AbortSignal): Promise<readonly string[]> {
    const args = ["diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all", ...this.#pathspec()];
    return namesIn(await this.run(args, signal)).names;
  }

  /** Files that the last state doesn't have, and with `withStored` those that it has. Git doesn't look into other repositories. */
  async others(withStored: boolean, signal: AbortSignal): Promise<OtherFiles> {
    const which = withStored ? ["--others", "--cached"] : ["--others"];
    const args = ["ls-files", "-z", "-t", ...which, "--exclude-standard", ...this.#pathspec()];
    const tagged = namesIn(await this.run(args, signal));
    const names = tagged.names.filter((name) => name.startsWith(OTHER)).map(withoutTag);
    const { top } = this.#deps;
    return {
      paths: names.filter((name) => !name.endsWith("/")),
      nested: names.filter((name) => name.endsWith("/")).map((name) => join(top, name.slice(0, -1))),
      unreadable: tagged.unreadable.map(withoutTag),
      stored: tagged.names.filter((name) => !name.startsWith(OTHER)).map(withoutTag),
    };
  }

  /** Stores paths. @returns those that git could not store: after a failure, halves of the list are tried alone. */
  async update(paths: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (paths.length === 0) return [];
    const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
    // One pack for many files takes half the time of single objects, and a tenth of the disk.
    const packing = paths.length > MANY_PATHS ? ["-c", "core.bigFileThreshold=1"] : [];
    try {
      await this.run([...packing, ...args], signal, { input: paths.map((path) => `${path}\0`).join("") });
      return [];
    } catch (error) {
      signal.throwIfAborted();
      if (isFullDisk(error)) throw error;
      if (paths.length === 1) return paths;
      const middle = paths.length >> 1;
      const first = await this.update(paths.slice(0, middle), signal);
      return [...first, ...(await this.update(paths.slice(middle), signal))];
    }
  }

  /** Takes paths out of the state. */
  async remove(paths: readonly string[], signal: AbortSignal): Promise<void> {
    if (paths.length === 0) return;
    const input = paths.map((path) => `${path}\0`).join("");
    await this.run(["update-index", "-z", "--force-remove", "--stdin"], signal, { input });
  }

  /** @returns the tree that the index holds. */
  async writeTree(signal: AbortSignal): Promise<string> {
    return (await this.run(["write-tree"], signal)).toString("latin1").trim();
  }

  /** Runs git on the index and the work tree. @throws {ShadowGitError} git failed. */
  readonly run = (
    args: readonly string[],
    signal: AbortSignal,
    more: Pick<ShadowRun, "input" | "isIgnoreCheck"> = {},
  ): Promise<Buffer> => {
    const { git, top, index, excludes } = this.#deps;
    return git({ args, workTree: top, index, excludes, signal, ...more });
  };

  #pathspec(): readonly string[] {
    return this.#deps.prefix === "" ? [] : ["--", this.#deps.prefix];
  }
}

function withoutTag(name: string): string {
  return name.slice(OTHER.length);
}

/** True if git failed for want of room on the disk. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && /No space left on device|Disk quota exceeded/.test(error.message);
}
