/** A small seeded generator (mulberry32), so that a failing case can be made again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, not including, `below`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.int(times) === 0;
  }

  /** Between `min` and `max` results of `make`, joined. */
  many(min: number, max: number, make: () => string, separator = ""): string {
    return Array.from({ length: min + this.int(max - min + 1) }, make).join(separator);
  }
}

/** Of every run of `npm test`. */
export const SEED = 20_260_102;
