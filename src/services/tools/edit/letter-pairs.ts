/** Longer lines are compared by their beginning. */
const MAX_COMPARED_CHARS = 400;
/** Far more than the error of a sum, and far less than one pair. */
const SLACK = 1e-6;

/** The part of a line that is compared. */
export function comparedPart(line: string): string {
  return line.slice(0, MAX_COMPARED_CHARS).trim();
}

/** The pairs of neighbouring letters of a line, with which many lines are compared. */
export class LetterPairs {
  /** A hash table: the pairs, how often each occurs, and how many are not yet found in a line that is being compared. */
  readonly #pairs: Uint32Array;
  readonly #times: Uint16Array;
  readonly #left: Uint16Array;
  readonly #mask: number;
  /** The slots of the pairs that were found. */
  readonly #found: Uint16Array;
  readonly #count: number;

  /** @param part See `comparedPart`. */
  constructor(part: string) {
    this.#count = Math.max(0, part.length - 1);
    const slots = 2 ** Math.ceil(Math.log2(2 * this.#count + 2));
    this.#mask = slots - 1;
    this.#pairs = new Uint32Array(slots);
    this.#times = new Uint16Array(slots);
    this.#found = new Uint16Array(this.#count);
    for (let at = 0; at < this.#count; at += 1) {
      const [a, b] = [part.charCodeAt(at), part.charCodeAt(at + 1)];
      const slot = this.#slotOf(a, b);
      this.#pairs[slot] = pairOf(a, b);
      this.#times[slot] = (this.#times[slot] ?? 0) + 1;
    }
    this.#left = this.#times.slice();
  }

  /**
   * The share of common pairs (Sørensen and Dice), 0 to 1.
   * @param part See `comparedPart`.
   * @param least 0 is returned for a smaller share, which takes less time.
   */
  shareWith(part: string, least = 0): number {
    const count = Math.max(0, part.length - 1);
    const total = this.#count + count;
    const needed = (least * total) / 2 - SLACK;
    if (total === 0 || Math.min(this.#count, count) < needed) return 0;
    const mayMiss = count - needed;
    let common = 0;
    let missing = 0;
    let a = part.charCodeAt(0);
    for (let at = 1; at <= count && missing <= mayMiss; at += 1) {
      const b = part.charCodeAt(at);
      const slot = this.#slotOf(a, b);
      const left = this.#left[slot] ?? 0;
      if (left === 0) missing += 1;
      else {
        this.#left[slot] = left - 1;
        this.#found[common] = slot;
        common += 1;
      }
      a = b;
    }
    for (let at = 0; at < common; at += 1) {
      const slot = this.#found[at] ?? 0;
      this.#left[slot] = (this.#left[slot] ?? 0) + 1;
    }
    return missing > mayMiss ? 0 : (2 * common) / total;
  }

  /** The slot of a pair, or the free slot in which it belongs. At least half of the slots are free. */
  #slotOf(a: number, b: number): number {
    const pair = pairOf(a, b);
    // Multiplied by 2^32 divided by the golden ratio, so that few pairs of a line have one slot.
    let slot = (Math.imul(pair, 0x9e3779b1) >>> 16) & this.#mask;
    while (this.#times[slot] !== 0 && this.#pairs[slot] !== pair) slot = (slot + 1) & this.#mask;
    return slot;
  }
}

function pairOf(a: number, b: number): number {
  return a * 0x10000 + b;
}
