/** What waits for its turn at most, and how much of it. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export type Job = {
  /** By which it can be taken back; undefined for what can't. */
  readonly id?: string;
  /** What it holds, about. */
  readonly bytes?: number;
  /** Must not reject. */
  run(): Promise<void>;
};

/** Does one thing after another, in the order in which they came. */
export class TurnQueue {
  #waiting: Job[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;

  /** Ids of what waits, the next one first. */
  get ids(): readonly string[] {
    return this.#waiting.flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  /** @returns false when there is no room: nothing was taken. */
  add(job: Job): boolean {
    const bytes = this.#bytes + sizeOf(job);
    if (this.#waiting.length >= MAX_WAITING || (this.#waiting.length > 0 && bytes > MAX_WAITING_BYTES)) return false;
    this.#waiting.push(job);
    this.#bytes = bytes;
    this.#start();
    return true;
  }

  /** Comes before everything that waits. */
  addFirst(jobs: readonly Job[]): void {
    this.#set([...jobs, ...this.#waiting]);
  }

  /** @returns false when it is not waiting (any more). */
  drop(id: string): boolean {
    const at = this.#waiting.findIndex((job) => job.id === id);
    if (at >= 0) this.#set(this.#waiting.toSpliced(at, 1));
    return at >= 0;
  }

  /** Drops what has an id, or everything. @returns the ids that were dropped. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    this.#set(all ? [] : this.#waiting.filter(({ id }) => id === undefined));
    return ids;
  }

  /** Settles when nothing runs and nothing waits. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #set(waiting: Job[]): void {
    this.#waiting = waiting;
    this.#bytes = waiting.reduce((sum, job) => sum + sizeOf(job), 0);
    if (waiting.length > 0) this.#start();
  }

  #start(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  async #work(): Promise<void> {
    // What comes in one piece is taken before anything of it begins.
    await Promise.resolve();
    for (let job = this.#take(); job; job = this.#take()) await job.run();
  }

  #take(): Job | undefined {
    const job = this.#waiting.shift();
    if (job) this.#bytes -= sizeOf(job);
    return job;
  }
}

function sizeOf({ bytes = 0 }: Job): number {
  return bytes;
}
