import type { PathIndex } from "./path-index.ts";

/** After this time other work runs, such as the handling of a key. */
const SLICE_MS = 4;
const CHECK_EVERY = 128;

/** Adds paths to an index bit by bit: a fast listing gives tens of thousands at once, and no key may wait for them. */
export class IndexInSlices {
  readonly #index: PathIndex;
  readonly #signal: AbortSignal;
  #waiting: string[] = [];
  #at = 0;
  #work: Promise<void> | undefined;
  #isFull = false;

  /** @param signal Ends the work. */
  constructor(index: PathIndex, signal: AbortSignal) {
    this.#index = index;
    this.#signal = signal;
  }

  /** @returns false if the index is full. */
  add(path: string): boolean {
    if (this.#isFull || this.#signal.aborted) return false;
    this.#waiting.push(path);
    this.#work ??= this.#run();
    return true;
  }

  /** True if paths were left out. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Resolves when every path is in the index, or it is full. */
  async done(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #run(): Promise<void> {
    while (this.#at < this.#waiting.length && !this.#isFull && !this.#signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#addSome();
    }
    this.#waiting = [];
    this.#at = 0;
    this.#work = undefined;
  }

  #addSome(): void {
    const end = performance.now() + SLICE_MS;
    while (this.#at < this.#waiting.length && !this.#isFull) {
      if (this.#at % CHECK_EVERY === 0 && performance.now() > end) return;
      this.#isFull = !this.#index.add(this.#waiting[this.#at] ?? "");
      this.#at += 1;
    }
  }
}
