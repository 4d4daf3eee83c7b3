/** Limits how many agents work at once; the others wait in order of arrival. */
export class AgentPool {
  readonly width: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.width = width;
    this.#free = width;
  }

  /** Runs a job when its turn comes. @throws the job's error, or the abort reason of `signal` while it waits. */
  async run<Value>(job: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(onTurn), 1);
      reject(signal.reason);
    };
    const onTurn = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    this.#waiting.push(onTurn);
    signal.addEventListener("abort", onAbort, { once: true });
    return promise;
  }
}
