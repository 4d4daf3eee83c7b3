import { readFileSync, type Stats } from "node:fs";
import { indexFileEntries } from "./git-index-file.ts";

/** A command that changes more files than this is a program such as git: no editor saved them. */
const MAX_ASKED = 200;
const MAX_KEPT = 10_000;
/** Git keeps 32 bits of an inode. */
const KEPT_BITS = 0xffff_ffff;

export type Look = {
  /** The files that changed or are new, with their present stats; undefined: gone. */
  readonly seen: ReadonlyMap<string, Stats | undefined>;
  /** Those of the last state. */
  readonly dirty: readonly string[];
  readonly step: number;
};

/** Remembers at which steps another file took the place of a path, as when an editor saves. */
export class InodeHistory {
  readonly #index: string;
  #replaced: { readonly step: number; readonly path: string }[] = [];

  /** @param index The index file: absolute. */
  constructor(index: string) {
    this.#index = index;
  }

  /** Compares with the inodes in the index, before the index is changed. */
  note({ seen, dirty, step }: Look): void {
    const asked = dirty.filter((path) => seen.get(path)?.isFile());
    if (asked.length === 0 || asked.length > MAX_ASKED) return;
    const entries = indexFileEntries(readFileSync(this.#index), asked);
    const isReplaced = (path: string) => {
      const before = entries?.get(path)?.inode;
      return before !== undefined && before !== kept(seen.get(path)?.ino ?? 0);
    };
    const replaced = asked.filter(isReplaced).map((path) => ({ step, path }));
    this.#replaced = [...this.#replaced, ...replaced].slice(-MAX_KEPT);
  }

  wasReplaced(path: string, afterStep: number, untilStep: number): boolean {
    return this.#replaced.some((one) => one.path === path && one.step > afterStep && one.step <= untilStep);
  }
}

function kept(inode: number): number {
  return (inode & KEPT_BITS) >>> 0;
}
