import { describe, expect } from "bun:test";
import { fault, type Reply, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { FRESH_SEED, isDeep, testOrDeep } from "../support/deep.ts";
import { pairingProblems } from "../support/engine-harness.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { ADAPTERS, type Adapter, isQuickAdapter } from "./adapters.ts";
import { eventEnds, streamKind } from "./events-of-body.ts";
import { normalised } from "./normalise.ts";
import { engineOn, refusals } from "./play.ts";

const SEED = isDeep ? FRESH_SEED : 20_261_122;
/** Drawn cuts at bytes; the deep run also cuts behind each event. */
const DRAWN = isDeep ? 60 : 1;
const QUICK_EVENT_CUTS = 2;
const ANSWER = [thinking("Hm, ü😀."), text("Let me look 東京."), toolUse("Look", { text: "a 😀 longer text" })];

async function playedOnce(adapter: Adapter, first: Reply, fetch?: typeof globalThis.fetch) {
  const scenario = [first, reply([toolUse("Look", { text: "b" })]), reply("Done.")];
  // A request that the server refuses, before the adapter has learnt its limits, takes no reply.
  await using twin = await startTwin({ ...adapter.twin, scenario });
  const { engine, events } = await engineOn({ adapter, url: twin.url, ...(fetch && { fetch }) });
  await engine.submit({ prompt: "go" });
  const problems = [...pairingProblems(engine.state.messages), ...refusals(twin, adapter)];
  await engine.close();
  return [...normalised(events), ...problems];
}

/** The lines of a play without a cut, and where the events of its first answer end. */
async function whole(adapter: Adapter) {
  let ends: readonly number[] = [];
  const watching = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const response = await fetch(input, init);
    const kind = streamKind(response);
    if (ends.length > 0 || !kind) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    ends = eventEnds(bytes, kind.isFramed);
    return new Response(bytes, { status: response.status, headers: response.headers });
  };
  const lines = await playedOnce(
    adapter,
    reply(ANSWER, { deltaChars: 4 }),
    Object.assign(watching, { preconnect: fetch.preconnect }),
  );
  return { lines, ends };
}

/** The first answer is void, and the second one stands in its place. */
const RETRIED = [
  'turn "go" [text]',
  "request 1",
  "retry 2 of 10 after 500 ms",
  `answer tool_use: call #1 Look ${JSON.stringify('{"text":"b"}')}`,
  '#1 start Look (read) "b"',
  '#1 result "Look: b"',
  "results 1",
  "continued tool_results",
  "request 2",
  'answer end_turn: text "Done."',
  'finished 2 completed: "Done."',
];

/** Every cut of every adapter in the deep run; in `npm test` some of each. */
function cutsOf(ends: readonly number[], random: ReturnType<typeof seededRandom>): readonly number[] {
  const events = [0, ...ends.slice(0, -1)];
  const drawn = Array.from({ length: DRAWN }, () => 1 + random.below((ends.at(-1) ?? 0) - 1));
  return [...(isDeep ? events : random.shuffle(events).slice(0, QUICK_EVENT_CUTS)), ...drawn];
}

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))("an answer over %s", (_, adapter) => {
  testOrDeep(!isDeep && isQuickAdapter(adapter))(
    `that is cut behind any of its events or at any byte is asked for again, and nothing of it stays (TEST_SEED=${SEED})`,
    async () => {
      const { lines, ends } = await whole(adapter);
      const total = ends.at(-1) ?? 0;
      expect(ends.length).toBeGreaterThan(adapter.name === "google" ? 5 : 10);
      const random = seededRandom(SEED);
      // Behind the event that says how the answer ended, all of it is there.
      const complete = ends.at(-3) ?? total;
      const wrong: unknown[] = [];
      for (const bytes of cutsOf(ends, random)) {
        const told = await playedOnce(adapter, reply(ANSWER, { deltaChars: 4, fault: fault.cut({ bytes }) }));
        const isRetried = Bun.deepEquals(told, RETRIED);
        if (isRetried || (bytes >= complete && Bun.deepEquals(told, lines))) continue;
        wrong.push({ bytes, total, told });
      }
      expect({ seed: SEED, wrong }).toEqual({ seed: SEED, wrong: [] });
    },
  );
});
