/**
 * Joins many writers to one reader, in order of arrival. Pushing never waits; after the end a push is ignored. Items
 * pushed before `close` or `fail` are still delivered; `cancel` drops them.
 */
export class Channel<Item> implements AsyncIterable<Item> {
  #items: Item[] = [];
  #end: { readonly error: unknown } | "closed" | undefined;
  #wake: (() => void) | undefined;

  push(item: Item): void {
    if (this.#end !== undefined) return;
    this.#items.push(item);
    this.#stir();
  }

  close(): void {
    this.#end ??= "closed";
    this.#stir();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#stir();
  }

  /** Ends the channel at once, also after `close` or `fail`: waiting items are dropped, and the reader gets `error`. */
  cancel(error: unknown): void {
    this.#items = [];
    this.#end = { error };
    this.#stir();
  }

  /**
   * Waits for items and takes all of them.
   * @returns undefined at the end.
   * @throws the error passed to `fail` or `cancel`.
   */
  async take(): Promise<readonly Item[] | undefined> {
    while (this.#items.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#items.length > 0) {
      const items = this.#items;
      this.#items = [];
      return items;
    }
    if (typeof this.#end === "object") throw this.#end.error;
    return undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (let items = await this.take(); items; items = await this.take()) yield* items;
  }

  #stir(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
