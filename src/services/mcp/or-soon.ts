import type { Clock } from "../../contracts/ports.ts";
import { LIST_WAIT_MS } from "./mcp-limits.ts";

/** Waits until the promises are done, but not longer than a request to the model may wait. Never rejects. */
export async function orSoon(promises: readonly Promise<unknown>[], clock: Clock, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const wait = clock.sleep(LIST_WAIT_MS, AbortSignal.any([done.signal, signal]));
  await Promise.race([Promise.allSettled(promises), wait.catch(() => undefined)]);
  done.abort();
}
