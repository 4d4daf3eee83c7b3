import type { Clock } from "../../contracts/ports.ts";

export class DeadlinePassedError extends Error {
  override name = "DeadlinePassedError";
}

/**
 * Runs work with a deadline. The work's signal aborts at the deadline and when `signal` aborts; the promise then
 * rejects at once, even if the work continues. Timer and listener are removed when it settles.
 * @throws {DeadlinePassedError} the deadline passed; the abort reason; any error of the work.
 */
export async function withDeadline<Result>(
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const ended = new AbortController();
  const timer = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    reject(reason);
    ended.abort(reason);
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  clock.sleep(timeoutMs, timer.signal).then(
    () => end(new DeadlinePassedError(`It took longer than ${timeoutMs} ms.`)),
    // The work finished first and cleared the timer.
    () => undefined,
  );
  try {
    return await Promise.race([work(ended.signal), over]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.abort();
  }
}
