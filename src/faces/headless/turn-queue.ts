/** What waits for its turn at most. */
export const MAX_WAITING = 10_000;

export type Job = {
  /** By which it can be taken back; undefined for what can't. */
  readonly id?: string;
  /** Must not reject. */
  run(): Promise<void>;
};

/** Does one thing after another, in the order in which they came. */
export class TurnQueue {
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  /** Ids of what waits, the next one first. */
  get ids(): readonly string[] {
    return this.#waiting.flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** @returns false when there is no room: nothing was taken. */
  add(job: Job): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(job);
    this.#start();
    return true;
  }

  /** Comes before everything that waits. */
  addFirst(jobs: readonly Job[]): void {
    this.#waiting = [...jobs, ...this.#waiting];
    this.#start();
  }

  /** @returns false when it is not waiting (any more). */
  drop(id: string): boolean {
    const at = this.#waiting.findIndex((job) => job.id === id);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }

  /** Drops what can be taken back, or everything. @returns the ids that were dropped. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    this.#waiting = all ? [] : this.#waiting.filter(({ id }) => id === undefined);
    return ids;
  }

  /** Settles when nothing runs and nothing waits. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #start(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  async #work(): Promise<void> {
    // What comes in one piece is taken before anything of it begins.
    await Promise.resolve();
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) await job.run();
  }
}
