/** Runs jobs with the same key one after another, in order of arrival. A job that fails doesn't stop those behind it. */
export class KeyedQueue {
  /** The newest job of each key. */
  readonly #last = new Map<string, Promise<void>>();

  add<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const last: Promise<void> = result.then(nothing, nothing).then(() => {
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    return result;
  }

  /** Waits for the jobs that were added until now. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}

function nothing(): void {}
