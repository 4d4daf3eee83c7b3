/**
 * A list that only grows. Appending is O(1) and does not change older versions: all versions share one array, and each
 * knows its own length.
 */
export class AppendOnly<T> {
  readonly #store: T[];
  readonly length: number;

  private constructor(store: T[], length: number) {
    this.#store = store;
    this.length = length;
  }

  static of<T>(...items: T[]): AppendOnly<T> {
    return new AppendOnly(items, items.length);
  }

  append(...items: readonly T[]): AppendOnly<T> {
    // Only the newest version may extend the shared array; an older version gets its own.
    const store = this.#store.length === this.length ? this.#store : this.#store.slice(0, this.length);
    for (const item of items) store.push(item);
    return new AppendOnly(store, store.length);
  }

  at(index: number): T | undefined {
    if (index < 0) return this.length + index < 0 ? undefined : this.#store[this.length + index];
    return index < this.length ? this.#store[index] : undefined;
  }

  slice(from = 0): readonly T[] {
    return this.#store.slice(from, this.length);
  }
}
