import type { Clock } from "../../contracts/ports.ts";

export class DeadlinePassedError extends Error {
  override name = "DeadlinePassedError";
}

/**
 * Runs work that must be over in time. The signal that it gets is aborted at the deadline and when `signal` is; then the
 * promise rejects at once, whether or not the work obeys. Timer and listener are gone when it settles.
 * @throws {DeadlinePassedError} it took longer; the abort reason; what the work throws.
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
    // The work was faster, and ended the timer.
    () => undefined,
  );
  try {
    return await Promise.race([work(ended.signal), over]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer.abort();
  }
}
