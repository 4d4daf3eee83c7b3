type Wait = {
  readonly clock: { sleep(ms: number, signal: AbortSignal): Promise<void> };
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Waits for work, at most `ms` milliseconds. The work itself goes on.
 * @returns the result of the work; undefined if the wait ended before.
 * @throws the error of the work (as a rejection).
 */
export async function atMost<Value>(work: Promise<Value>, ms: number, wait: Wait): Promise<Value | undefined> {
  const over = new AbortController();
  const ends = wait.signal ? AbortSignal.any([over.signal, wait.signal]) : over.signal;
  const late = wait.clock.sleep(ms, ends).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort(new Error("The wait is over."));
  }
}
