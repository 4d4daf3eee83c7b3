import type { EventEnvelope } from "../../contracts/event.ts";
import type { Findable } from "../../contracts/findable.ts";
import type { Clock } from "../../contracts/ports.ts";

/** A delay that lets the request go out first. */
const WAIT_MS = 20;
/**
 * The number of entries that are indexed at once, usually in less than a millisecond, so that an answer is read in
 * between.
 */
const PART = 25;

type Parts = {
  readonly agents: { subscribe(reader: (envelope: EventEnvelope) => void): () => void };
  readonly registry: { findables(): readonly Findable[] };
  readonly clock: Clock;
};

/**
 * Indexes the deferred tools of the main agent while waiting for an answer, so that a search does not have to.
 * @returns the function that stops the indexing.
 */
export function prepareSearch({ agents, registry, clock }: Parts): () => void {
  const ending = new AbortController();
  let last: readonly Findable[] | undefined;
  const stop = agents.subscribe(({ event, parentAgentId }) => {
    if (event.type !== "request_started" || parentAgentId !== null) return;
    const all = registry.findables();
    if (all.length === 0 || all === last) return;
    last = all;
    // The indexing ends early with the session; a fault occurs again in the search itself.
    void indexed(all, clock, ending.signal).catch(() => undefined);
  });
  return () => {
    stop();
    ending.abort(new Error("The session is closed."));
  };
}

async function indexed(all: readonly Findable[], clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(WAIT_MS, signal);
  const { searchIndexOf } = await import("../../services/tools/tool-search/search-index.ts");
  const index = searchIndexOf(all);
  while (index.readMore(PART)) await clock.sleep(0, signal);
}
