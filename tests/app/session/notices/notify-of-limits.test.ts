import { expect, test } from "bun:test";
import { notifyOfLimits } from "../../../../src/app/session/notices/notify-of-limits.ts";
import type { EventEnvelope } from "../../../../src/contracts/event.ts";
import type { RateLimit } from "../../../../src/contracts/rate-limits.ts";

const NOW = Date.UTC(2026, 10, 24, 12);
const HOUR_MS = 3_600_000;

function watched() {
  const lines: string[] = [];
  const clock = { now: NOW };
  const readers = new Set<(envelope: EventEnvelope) => void>();
  let limits: readonly RateLimit[] = [];
  const stop = notifyOfLimits({
    agents: {
      subscribe: (reader) => {
        readers.add(reader);
        return () => readers.delete(reader);
      },
    },
    rateLimits: { list: async () => [{ provider: "anthropic", at: NOW, limits }] },
    notify: (line) => lines.push(line),
    now: () => clock.now,
  });
  /** What an answer with these limits makes the person read. */
  const after = async (...told: readonly RateLimit[]) => {
    limits = told;
    lines.length = 0;
    for (const reader of readers) reader({ event: { type: "assistant_message" } } as unknown as EventEnvelope);
    await new Promise((resolve) => setImmediate(resolve));
    return [...lines];
  };
  return { after, stop, readers, clock };
}

test("a window of the plan is reported once at 80 % and once at 95 %, with its end", async () => {
  const { after, stop, readers, clock } = watched();
  const window = (used: number, resetsAt = NOW + 2 * HOUR_MS): RateLimit => ({ name: "5h", used, resetsAt });
  expect(await after(window(0.79))).toEqual([]);
  const [first = ""] = await after(window(0.81));
  expect(first).toContain("anthropic: 81% of your 5h limit");
  expect(first).toContain("in 2 h 0 min");
  expect(await after(window(0.9, NOW + 2 * HOUR_MS + 1_000))).toEqual([]);
  expect(await after(window(0.96))).toHaveLength(1);
  expect(await after(window(1))).toEqual([]);
  expect(await after(window(1, NOW + 3 * HOUR_MS))).toEqual([]);
  clock.now = NOW + 2 * HOUR_MS;
  // The next window counts by itself, and the lower level is skipped where the higher one is reached at once.
  expect(await after(window(0.97, NOW + 7 * HOUR_MS))).toHaveLength(1);
  expect(await after(window(0.98, NOW + 7 * HOUR_MS))).toEqual([]);
  stop();
  expect(readers.size).toBe(0);
});

test("each window is counted separately, and limits per minute are not reported", async () => {
  const { after } = watched();
  const day: RateLimit = { name: "7d", used: 0.8 };
  expect(await after({ name: "requests", limit: 50, left: 1 }, { name: "5h", used: 0.99 }, day)).toHaveLength(2);
  expect(await after({ name: "5h", used: 0.99 }, day)).toEqual([]);
});
