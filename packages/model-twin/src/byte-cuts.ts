import type { CutBytes } from "./scenario.ts";

const DEFAULT_MIN_BYTES = 1;
const DEFAULT_MAX_BYTES = 64;

/** Numbers in [0, 1), the same for the same seed. Algorithm: mulberry32 by Tommy Ettinger (public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An endless sequence of piece sizes. Every size is at least 1. */
export function cutSizes(cut: CutBytes): () => number {
  if ("seed" in cut) {
    const random = seededRandom(cut.seed);
    const min = Math.max(1, cut.min ?? DEFAULT_MIN_BYTES);
    const max = Math.max(min, cut.max ?? DEFAULT_MAX_BYTES);
    return () => min + Math.floor(random() * (max - min + 1));
  }
  let next = 0;
  return () => Math.max(1, Math.floor(cut[next++ % cut.length] ?? DEFAULT_MAX_BYTES));
}

/**
 * Cuts a growing body into pieces of the given sizes, regardless of the chunks that are pushed. `push` returns the
 * complete pieces; `rest` returns the remaining bytes.
 */
export class ByteCutter {
  readonly #nextSize: () => number;
  #size: number;
  #held = Buffer.alloc(0);

  constructor(cut: CutBytes) {
    this.#nextSize = cutSizes(cut);
    this.#size = this.#nextSize();
  }

  push(bytes: Uint8Array): readonly Uint8Array[] {
    const all = Buffer.concat([this.#held, bytes]);
    const pieces: Uint8Array[] = [];
    let start = 0;
    while (all.length - start >= this.#size) {
      pieces.push(all.subarray(start, start + this.#size));
      start += this.#size;
      this.#size = this.#nextSize();
    }
    this.#held = all.subarray(start);
    return pieces;
  }

  rest(): Uint8Array {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}
