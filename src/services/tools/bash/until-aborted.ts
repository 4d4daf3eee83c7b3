/** Resolves when `signal` aborts; its listener is removed when `done` aborts. */
export function onceAborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: done });
  });
}

/** Waits for some work, at most until `signal` aborts. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, onceAborted(signal, done.signal)]);
  done.abort(new Error("Nothing is waited for any more."));
}
