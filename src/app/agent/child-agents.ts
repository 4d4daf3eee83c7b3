/** The open children of an agent, including children that are being opened. */
export class ChildAgents<Child extends { close(): Promise<readonly string[]> }> {
  readonly #open = new Set<Child>();
  readonly #opening = new Set<Promise<unknown>>();
  #isClosed = false;

  /**
   * @throws {Error} the parent is closed, or was closed in the meantime: the child is then closed too.
   * @throws the abort reason of `signal`; the child is then closed too.
   */
  async open(make: () => Promise<Child>, signal?: AbortSignal): Promise<Child> {
    this.#assertOpen();
    signal?.throwIfAborted();
    const opening = make().then((child) => {
      this.#open.add(child);
      return child;
    });
    this.#opening.add(opening);
    try {
      const child = await opening;
      this.#assertOpen();
      if (!signal?.aborted) return child;
      this.closed(child);
      await child.close();
      throw signal.reason;
    } finally {
      this.#opening.delete(opening);
    }
  }

  closed(child: Child): void {
    this.#open.delete(child);
  }

  /**
   * Closes all children, newest first; no child can be opened afterwards.
   * @returns phrases for the work that was still running.
   */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    await Promise.allSettled(this.#opening);
    const ended: string[] = [];
    for (const child of [...this.#open].reverse()) ended.push(...(await child.close()));
    return ended;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error("The agent is closed.");
  }
}
