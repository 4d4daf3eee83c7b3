import { isJsonObject } from "../../../contracts/message.ts";
import { parsedObject } from "../../../contracts/parsed-json.ts";
import { replaceIfPossible } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

const MAX_BYTES = 256 * 1024;
/** The maximum number of remembered skills: the least recently used is dropped first. */
const MAX_NAMES = 500;
/** Half of a skill's weight is lost in this time. */
const HALF_LIFE_MS = 14 * 24 * 3_600_000;

type Use = { readonly count: number; readonly lastMs: number };

/**
 * How often and when skills were used, in a file. If the file can't be read or written, only the order of the list is
 * lost.
 */
export class SkillUses {
  readonly #file: string;
  readonly #now: () => number;

  constructor(file: string, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** Counts a use. */
  note(name: string): void {
    const uses = this.#read();
    const before = uses.get(name);
    uses.delete(name);
    uses.set(name, { count: (before?.count ?? 0) + 1, lastMs: this.#now() });
    const kept = [...uses].toSorted(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, MAX_NAMES);
    replaceIfPossible(this.#file, `${JSON.stringify(Object.fromEntries(kept))}\n`);
  }

  /** The skills, the most and most recently used first; skills of equal weight keep their order. */
  order<Named extends { readonly name: string }>(skills: readonly Named[]): readonly Named[] {
    const uses = this.#read();
    const weight = ({ name }: Named) => {
      const use = uses.get(name);
      return use ? use.count * 0.5 ** ((this.#now() - use.lastMs) / HALF_LIFE_MS) : 0;
    };
    return skills.toSorted((a, b) => weight(b) - weight(a));
  }

  #read(): Map<string, Use> {
    const uses = new Map<string, Use>();
    // A damaged file counts as empty; the next use replaces it.
    for (const [name, use] of Object.entries(parsedObject(readSmallFile(this.#file, MAX_BYTES) ?? "") ?? {})) {
      if (!isJsonObject(use)) continue;
      const { count, lastMs } = use;
      if (typeof count === "number" && typeof lastMs === "number") uses.set(name, { count, lastMs });
    }
    return uses;
  }
}
