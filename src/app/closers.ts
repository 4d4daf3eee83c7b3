type Step = () => unknown;

/** Closes everything that was opened, newest first, each part once. */
export class Closers {
  readonly #steps: Step[] = [];
  #closing: Promise<void> | undefined;

  /** @param step Frees one part; if the step fails, the other steps still run. */
  defer(step: Step): void {
    this.#steps.push(step);
  }

  /** @throws the first failure, after every step has run. */
  close(): Promise<void> {
    this.#closing ??= this.#run();
    return this.#closing;
  }

  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Opens an object that consists of several parts. If opening fails half-way, the parts that were opened are freed. */
export async function opening<Value>(open: (closers: Closers) => Promise<Value>): Promise<Value> {
  const closers = new Closers();
  try {
    return await open(closers);
  } catch (error) {
    // The caller gets the first error, not those of the cleanup.
    await closers.close().catch(() => undefined);
    throw error;
  }
}
