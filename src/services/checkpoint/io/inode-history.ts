import { readFileSync, type Stats } from "node:fs";

/** A command that changes more files than this is a program such as git: no editor saved them. */
const MAX_ASKED = 200;
const MAX_KEPT = 10_000;
/** Git keeps 32 bits of an inode. */
const KEPT_BITS = 0xffff_ffff;

/** An entry of an index of version 2 (gitformat-index(5)): stat data, object, flags with the length of the name, name. */
const ENTRY_BYTES = 62;
const INODE_AT = 20;
const FLAGS_AT = 60;
const LENGTH_BITS = 0xfff;

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
    const inodes = inodesIn(readFileSync(this.#index), asked);
    const isReplaced = (path: string) => {
      const before = inodes.get(path);
      return before !== undefined && before !== kept(seen.get(path)?.ino ?? 0);
    };
    const replaced = asked.filter(isReplaced).map((path) => ({ step, path }));
    this.#replaced = [...this.#replaced, ...replaced].slice(-MAX_KEPT);
  }

  wasReplaced(path: string, afterStep: number, untilStep: number): boolean {
    return this.#replaced.some((one) => one.path === path && one.step > afterStep && one.step <= untilStep);
  }
}

/** The inodes of some files, in one pass: the entries of an index are sorted by the bytes of their names. */
function inodesIn(index: Buffer, paths: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const names = paths.map((path) => ({ path, bytes: Buffer.from(`${path}\0`) }));
  let from = 0;
  for (const { path, bytes } of names.sort((a, b) => Buffer.compare(a.bytes, b.bytes))) {
    const length = Math.min(bytes.length - 1, LENGTH_BITS);
    for (let at = index.indexOf(bytes, from); at >= ENTRY_BYTES; at = index.indexOf(bytes, at + 1)) {
      const start = at - ENTRY_BYTES;
      // Otherwise it is the end of a longer name.
      if ((index.readUInt16BE(start + FLAGS_AT) & LENGTH_BITS) !== length) continue;
      found.set(path, index.readUInt32BE(start + INODE_AT));
      from = at;
      break;
    }
  }
  return found;
}

function kept(inode: number): number {
  return (inode & KEPT_BITS) >>> 0;
}
