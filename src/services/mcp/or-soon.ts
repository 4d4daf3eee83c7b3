import { atMost } from "@quoll/async/at-most";
import type { Clock } from "../../contracts/ports.ts";
import { LIST_WAIT_MS } from "./mcp-limits.ts";

/** Waits until the promises are done, but not longer than a request to the model may wait. Never rejects. */
export async function orSoon(promises: readonly Promise<unknown>[], clock: Clock, signal: AbortSignal): Promise<void> {
  await atMost(Promise.allSettled(promises), LIST_WAIT_MS, { clock, signal });
}
