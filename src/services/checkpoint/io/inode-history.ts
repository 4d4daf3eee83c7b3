import type { Stats } from "node:fs";
import type { ShadowGit } from "./shadow-git.ts";

/** A command that changes more files than this is a program such as git: no editor saved them. */
const MAX_ASKED = 200;
const MAX_KEPT = 10_000;
/** Git keeps 32 bits of an inode. */
const KEPT_BITS = 0xffff_ffff;
const STATS = /^ {2}ctime: [^\n]*\n {2}mtime: [^\n]*\n {2}dev: \d+\tino: (\d+)\n[^\n]*\n[^\n]*\n/;

type Place = {
  readonly top: string;
  readonly index: string;
};

export type Look = {
  /** The files that changed or are new, with their present stats; undefined: gone. */
  readonly seen: ReadonlyMap<string, Stats | undefined>;
  /** Those of the last state. */
  readonly dirty: readonly string[];
  readonly step: number;
  readonly isFirst: boolean;
};

/** Remembers at which steps another file took the place of a path, as when an editor saves. */
export class InodeHistory {
  readonly #git: ShadowGit;
  readonly #place: Place;
  #replaced: { readonly step: number; readonly path: string }[] = [];

  constructor(git: ShadowGit, { top, index }: Place) {
    this.#git = git;
    this.#place = { top, index };
  }

  /** Compares with the inodes in the index, before the index is changed. */
  async note({ seen, dirty, step, isFirst }: Look, signal: AbortSignal): Promise<void> {
    const asked = dirty.filter((path) => seen.get(path)?.isFile());
    if (isFirst || asked.length === 0 || asked.length > MAX_ASKED) return;
    const { top, index } = this.#place;
    const args = ["ls-files", "-z", "--debug", "--", ...asked];
    const listed = (await this.#git({ args, workTree: top, index, signal })).toString("utf8");
    let path = "";
    for (const part of listed.split("\0")) {
      const stats = STATS.exec(part);
      const inode = seen.get(path)?.ino;
      if (stats && inode !== undefined && Number(stats[1]) !== (inode & KEPT_BITS) >>> 0)
        this.#replaced.push({ step, path });
      path = stats ? part.slice(stats[0].length) : part;
    }
    this.#replaced = this.#replaced.slice(-MAX_KEPT);
  }

  wasReplaced(path: string, afterStep: number, untilStep: number): boolean {
    return this.#replaced.some((one) => one.path === path && one.step > afterStep && one.step <= untilStep);
  }
}
