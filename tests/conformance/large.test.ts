import { describe, expect } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { ADAPTERS } from "./adapters.ts";
import { engineOn } from "./play.ts";

const MEGABYTES = isDeep ? 10 : 4;
const CHARS = MEGABYTES * 1024 * 1024;
const TEXT = "0123456789abcdef".repeat(CHARS / 16);
/** The limit includes the server in the same process, which makes the answer, and other work of the machine. */
const LIMIT_MS = 20_000;
const MAX_CPU_MS = 5_000;
/** Both sides are in this process, and hold the text, its events and its bytes until they are collected. */
const MAX_HELD_TIMES = 60;
const MAX_LEFT_TIMES = 4;

/** The adapter of `npm test`. */
const QUICK = ADAPTERS[0];

const heapUsed = () => {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
};

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))(
  `${MEGABYTES} MB of words over %s`,
  (_, adapter) => {
    testOrDeep(adapter === QUICK && !isDeep)(
      "in deltas of 1 KB take bounded time and memory, and leave little",
      async () => {
        await using twin = await startTwin({ ...adapter.twin, scenario: [reply(TEXT, { deltaChars: 1_024 })] });
        const { engine, events } = await engineOn({ adapter, url: twin.url });
        const before = { heap: heapUsed(), cpu: process.cpuUsage(), rss: process.memoryUsage().rss };
        const report = await engine.submit({ prompt: "go" });
        const { user, system } = process.cpuUsage(before.cpu);
        const rss = process.memoryUsage().rss - before.rss;
        expect(report.text === TEXT).toBe(true);
        events.length = 0;
        expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
        expect(rss / CHARS).toBeLessThan(MAX_HELD_TIMES);
        // One collection can miss what a closing connection or the stack of a callback still holds.
        await eventually("little is left", () => (heapUsed() - before.heap) / CHARS < MAX_LEFT_TIMES);
        await engine.close();
      },
      LIMIT_MS,
    );
  },
);
