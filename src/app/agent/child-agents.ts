/** The open children of an agent, with those that are being opened. */
export class ChildAgents<Child extends { close(): Promise<readonly string[]> }> {
  readonly #open = new Set<Child>();
  readonly #opening = new Set<Promise<unknown>>();
  #isClosed = false;

  /**
   * @throws {Error} the parent is closed, or was closed meanwhile: then the child is closed too.
   * @throws the abort reason of `signal`: then the child is closed too.
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
   * Closes all children, the newest first; no child can be opened from now on. @returns phrases for the work that
   * still ran.
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
