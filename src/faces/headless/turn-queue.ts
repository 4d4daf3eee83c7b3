import type { Engine } from "../../contracts/engine.ts";
/** Limits for the waiting messages and their total size. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export type Job = {
  /** The id by which the job can be withdrawn; undefined if it can't be. */
  readonly id?: string;
  /** The approximate size of the job in bytes. */
  readonly bytes?: number;
  /** Runs after all jobs without this mark, even later ones. */
  readonly isLater?: boolean;
  /** Must not reject. */
  run(): Promise<void>;
  /** Called instead of `run` when the job is dropped. */
  dropped?(): void;
};

/**
 * Runs jobs one after another, in order of arrival. The engine's own queue holds only inputs. This queue also holds
 * changes of the session between turns (another model) and commands without a model; it limits messages by bytes and
 * writes a line before each. Inputs that steer a running turn go to the engine's queue.
 */
export class TurnQueue {
  #waiting: Job[] = [];
  #later: Job[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;

  /** Ids of the waiting jobs, the next one first. */
  get ids(): readonly string[] {
    return [...this.#waiting, ...this.#later].flatMap(({ id }) => (id === undefined ? [] : [id]));
  }

  /** @returns false if there is no room, in which case the job is not added. */
  add(job: Job): boolean {
    const bytes = this.#bytes + sizeOf(job);
    const count = this.#waiting.length + this.#later.length;
    if (count >= MAX_WAITING || (count > 0 && bytes > MAX_WAITING_BYTES)) return false;
    (job.isLater ? this.#later : this.#waiting).push(job);
    this.#bytes = bytes;
    this.#start();
    return true;
  }

  /** Adds jobs before all waiting jobs. */
  addFirst(jobs: readonly Job[]): void {
    this.#set([...jobs, ...this.#waiting], this.#later);
  }

  /** @returns false if the job is not waiting (any more). */
  drop(id: string): boolean {
    const isThere = this.ids.includes(id);
    const others = (job: Job) => job.id !== id;
    if (isThere) this.#set(this.#waiting.filter(others), this.#later.filter(others));
    return isThere;
  }

  /** Drops the jobs with an id, or all. @returns the dropped ids. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    const nameless = (job: Job) => !all && job.id === undefined;
    const gone = [...this.#waiting, ...this.#later].filter((job) => !nameless(job));
    this.#set(this.#waiting.filter(nameless), this.#later.filter(nameless));
    for (const job of gone) job.dropped?.();
    return ids;
  }

  /** Resolves when nothing runs and nothing waits. */
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
    // Inputs that arrive together are all added before the first one runs.
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

/** Resolves when the engine runs no turn and no operation. */
export async function turnEnded(engine: Engine): Promise<void> {
  while (engine.state.busy) {
    await new Promise<void>((resolve) => {
      const unsubscribe = engine.subscribe(({ event }) => {
        if (event.type !== "busy_changed") return;
        unsubscribe();
        resolve();
      });
    });
  }
}
