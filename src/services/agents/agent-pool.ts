/** The waiting party of an agent: a turn or a person, the background conversation, or a batch. */
export type AgentUrgency = "awaited" | "background" | "batch";

const RANKS: Readonly<Record<AgentUrgency, number>> = { awaited: 0, background: 1, batch: 2 };

const DEFAULT_WIDTH = 10;

type Waiting = { readonly begin: () => void; urgency(): AgentUrgency };

/** Limits how many agents work at once; among the waiting agents the most urgent is next, in order of arrival. */
export class AgentPool {
  readonly width: number;
  #free: number;
  readonly #waiting: Waiting[] = [];

  /** @param width The number of agents that work at once. */
  constructor(width = DEFAULT_WIDTH) {
    this.width = width;
    this.#free = width;
  }

  /**
   * Runs a job when its turn comes.
   * @param urgency Asked whenever a slot is free, because it may change while the job waits.
   * @throws the job's error, or the abort reason of `signal` while it waits.
   */
  async run<Value>(job: () => Promise<Value>, signal: AbortSignal, urgency: () => AgentUrgency): Promise<Value> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal, urgency);
    try {
      return await job();
    } finally {
      const next = this.#takeNext();
      if (next) next.begin();
      else this.#free += 1;
    }
  }

  #takeNext(): Waiting | undefined {
    const ranks = this.#waiting.map(({ urgency }) => RANKS[urgency()]);
    const at = ranks.indexOf(Math.min(...ranks));
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #turn(signal: AbortSignal, urgency: () => AgentUrgency): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(signal.reason);
    };
    const begin = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const waiting = { begin, urgency };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}
