import type { Engine } from "../../contracts/engine.ts";
/** What waits for its turn at most, and how much of it. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export type Job = {
  /** By which it can be taken back; undefined for what can't. */
  readonly id?: string;
  /** What it holds, about. */
  readonly bytes?: number;
  /** Comes behind everything that is not, whenever that comes. */
  readonly isLater?: boolean;
  /** Must not reject. */
  run(): Promise<void>;
  /** Called in place of `run` when its turn will never come. */
  dropped?(): void;
};

/**
 * Does one thing after another, in the order in which they came. The engine has a queue of its own, of inputs alone: here stand
 * between them what changes the session in its turn (another model) and what is answered without a model (commands), each
 * message is bounded by its bytes and opens with a line of its own. What steers a running turn goes to the engine's.
 */
export class TurnQueue {
  #waiting: Job[] = [];
  #later: Job[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;

  /** Ids of what waits, the next one first. */
  get ids(): readonly string[] {
    return [...this.#waiting, ...this.#later].flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  /** @returns false when there is no room: nothing was taken. */
  add(job: Job): boolean {
    const bytes = this.#bytes + sizeOf(job);
    const count = this.#waiting.length + this.#later.length;
    if (count >= MAX_WAITING || (count > 0 && bytes > MAX_WAITING_BYTES)) return false;
    (job.isLater ? this.#later : this.#waiting).push(job);
    this.#bytes = bytes;
    this.#start();
    return true;
  }

  /** Comes before everything that waits. */
  addFirst(jobs: readonly Job[]): void {
    this.#set([...jobs, ...this.#waiting], this.#later);
  }

  /** @returns false when it is not waiting (any more). */
  drop(id: string): boolean {
    const isThere = this.ids.includes(id);
    const others = (job: Job) => job.id !== id;
    if (isThere) this.#set(this.#waiting.filter(others), this.#later.filter(others));
    return isThere;
  }

  /** Drops what has an id, or everything. @returns the ids that were dropped. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    const nameless = (job: Job) => !all && job.id === undefined;
    const gone = [...this.#waiting, ...this.#later].filter((job) => !nameless(job));
    this.#set(this.#waiting.filter(nameless), this.#later.filter(nameless));
    for (const job of gone) job.dropped?.();
    return ids;
  }

  /** Settles when nothing runs and nothing waits. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #set(waiting: Job[], later: Job[]): void {
    this.#waiting = waiting;
    this.#later = later;
    this.#bytes = [...waiting, ...later].reduce((sum, job) => sum + sizeOf(job), 0);
    if (waiting.length + later.length > 0) this.#start();
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
    const job = this.#waiting.shift() ?? this.#later.shift();
    if (job) this.#bytes -= sizeOf(job);
    return job;
  }
}

function sizeOf({ bytes = 0 }: Job): number {
  return bytes;
}

/** Settles when no turn of the engine runs. */
export async function turnEnded(engine: Engine): Promise<void> {
  while (engine.state.busy) {
    await new Promise<void>((resolve) => {
      const unsubscribe = engine.subscribe(({ event }) => {
        if (event.type !== "turn_finished") return;
        unsubscribe();
        resolve();
      });
    });
  }
}
