import type { StoredEntry } from "../../../contracts/checkpoint.ts";
import type { ObjectStore } from "./object-store.ts";
import type { ShadowGit } from "./shadow-git.ts";

export type LineCounts = { readonly added: number; readonly removed: number };
type Pair = { readonly before: StoredEntry | null; readonly after: StoredEntry | null };

const MAX_KNOWN = 20_000;

/** Counts the lines that differ between contents, many pairs with one run of git. */
export class LineCounter {
  readonly #objects: ObjectStore;
  readonly #git: ShadowGit | undefined;
  readonly #known = new Map<string, LineCounts | undefined>();

  constructor(objects: ObjectStore, git: ShadowGit | undefined) {
    this.#objects = objects;
    this.#git = git;
  }

  /** @returns the counts in the order of the pairs; undefined: no text, no file, or no git. */
  async count(pairs: readonly Pair[], signal: AbortSignal): Promise<readonly (LineCounts | undefined)[]> {
    const keys = pairs.map(keyOf);
    const missing = [...new Set(keys)].filter((key) => !this.#known.has(key));
    if (missing.length > 0) await this.#ask(missing, signal);
    return keys.map((key) => this.#known.get(key));
  }

  /** Compares two trees whose files are the contents of the pairs, named by number. */
  async #ask(keys: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.#known.size + keys.length > MAX_KNOWN) this.#known.clear();
    for (const key of keys) this.#known.set(key, key === ":" ? undefined : { added: 0, removed: 0 });
    try {
      const [before, after] = [0, 1].map((which) =>
        this.#objects.writeTree(
          keys.flatMap((key, at) => {
            const oid = key.split(":")[which] ?? "";
            return oid === "" ? [] : [{ name: `${at}`, mode: "100644" as const, oid }];
          }),
        ),
      );
      const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", before ?? "", after ?? ""];
      const printed = (await this.#git?.({ args, signal }))?.toString("utf8") ?? "";
      if (!this.#git) throw new Error("there is no git");
      for (const line of printed.split("\0")) {
        const [, added, removed, at] = /^(\d+|-)\t(\d+|-)\t(\d+)$/.exec(line) ?? [];
        const key = keys[Number(at)];
        if (key === undefined) continue;
        this.#known.set(key, added === "-" ? undefined : { added: Number(added), removed: Number(removed) });
      }
    } catch {
      signal.throwIfAborted();
      for (const key of keys) this.#known.set(key, undefined);
    }
  }
}

function keyOf({ before, after }: Pair): string {
  return `${oidOf(before)}:${oidOf(after)}`;
}

function oidOf(entry: StoredEntry | null): string {
  return entry?.kind === "file" ? entry.oid : "";
}
