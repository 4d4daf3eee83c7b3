const MAX_REMEMBERED = 20_000;

/** A map that forgets its oldest entries. */
export class Remembered<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxEntries: number;

  constructor(maxEntries = MAX_REMEMBERED) {
    this.#maxEntries = maxEntries;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }
}
