/**
 * Hands items from one producer to one consumer, all that are there at a time.
 * What was put in before the end or a failure is still handed over; `cancel` throws it away.
 */
export class Inbox<Item> {
  #items: Item[] = [];
  #end: { readonly error: unknown } | "ended" | undefined;
  #wake: (() => void) | undefined;

  put(item: Item): void {
    this.#items.push(item);
    this.#stir();
  }

  end(): void {
    this.#end ??= "ended";
    this.#stir();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#stir();
  }

  cancel(error: unknown): void {
    this.#items = [];
    this.#end = { error };
    this.#stir();
  }

  /** Waits for items. @returns undefined at the end. @throws what `fail` or `cancel` were given. */
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

  #stir(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
