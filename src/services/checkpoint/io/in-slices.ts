const SLICE = 200;

/** Calls `work` for each item, and lets keys and streams run after every 200 items. */
export async function inSlices<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => void,
): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at % SLICE === SLICE - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    work(item);
  }
}
