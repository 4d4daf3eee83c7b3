/** Waits for work. The work itself goes on. @throws the abort reason (as a rejection) if `signal` aborts first. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    // Work that listens to the same signal may fail before its abort is known here.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
