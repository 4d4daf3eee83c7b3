import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SpendLimitError } from "../../../src/contracts/errors.ts";
import { SPEND_SOURCES, type SpendReservation } from "../../../src/contracts/spend.ts";
import type { ProcessIdentity } from "../../../src/platform/process-identity.ts";
import { localDay } from "../../../src/services/spend/day-state.ts";
import { eachOrDeep } from "../../support/deep.ts";
import { linesOf } from "../../support/lines-of.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { tempProject } from "../../support/temp-project.ts";
import { cost, makeGuard, NOON, never, processNamed, used } from "./support.ts";

const GUARDS = 4;
const STEPS = 400;
const SEEDS = 20;
const DAY_MS = 24 * 3_600_000;

type Line = {
  id: string;
  state: string;
  usd: number | null;
  usage: ReturnType<typeof used>;
  source: string;
  session: string;
};
type Running = {
  readonly day: string;
  readonly reservation: SpendReservation;
  readonly inputTokens: number;
  readonly most: number;
};

/** The content of a day's file, read without our code. */
async function readDay(folder: string, day: string) {
  const text = await readFile(join(folder, `${day}.jsonl`), "utf8").catch(() => "");
  const lines = linesOf(text).map((line) => JSON.parse(line) as Line);
  const settled = lines.filter(({ state }) => state === "settled");
  return {
    opened: lines.filter(({ state }) => state === "open").map(({ id }) => id),
    settled: settled.map(({ id }) => id),
    usd: (isWanted: (line: Line) => boolean = () => true) =>
      settled.reduce((sum, line) => sum + (isWanted(line) ? (line.usd ?? 0) : 0), 0),
    sessions: [...new Set(settled.map(({ session }) => session))],
  };
}

eachOrDeep(
  "whatever the order of requests, answers and crashes, no day's sum passes its cap by more than was over-reported (seed %i)",
  4,
  Array.from({ length: SEEDS }, (_, seed) => seed),
  async (seed) => {
    await using place = await tempProject();
    const random = seededRandom(seed + 1);
    const caps = { dayUsd: 0.2 + random.next(), sessionUsd: 0.6, bySource: { subagent: { dayUsd: 0.3 } } };
    const living = new Set<number>();
    let now = NOON;
    let pids = 100;
    const makeOne = () => {
      const pid = pids++;
      living.add(pid);
      const isRunning = ({ pid }: ProcessIdentity) => (living.has(pid) ? "yes" : "no") as "yes" | "no";
      const identity = processNamed(pid);
      const made = makeGuard({
        folder: place.dir,
        spend: caps,
        session: `s${pid}`,
        identity,
        isRunning,
        now: () => now,
      });
      return { ...made, pid, running: [] as Running[], taken: 0, settled: 0 };
    };
    const guards = Array.from({ length: GUARDS }, makeOne);
    let crashedOpen = 0;
    let refused = 0;
    const overReported = new Map<string, number>();
    const settle = async (of: (typeof guards)[number], at: number) => {
      const [running] = of.running.splice(at, 1);
      if (!running) return;
      const { day, reservation, inputTokens, most } = running;
      of.settled += 1;
      const kind = random.below(10);
      if (kind === 0) return reservation.settle(undefined);
      const extra = kind === 1 ? random.below(3_000) : 0;
      const extraUsd = (await cost("dear", used(0, extra))) ?? 0;
      for (const whose of [day, `s${of.pid}`]) overReported.set(whose, (overReported.get(whose) ?? 0) + extraUsd);
      // With `extra` the provider says more than it was allowed to answer.
      await reservation.settle(used(random.below(inputTokens + 1), extra > 0 ? most + extra : random.below(most + 1)));
    };
    for (let step = 0; step < STEPS; step += 1) {
      const at = random.below(guards.length);
      const one = guards[at]!;
      const action = random.below(20);
      if (action < 10) {
        const plan = {
          source: random.pick(SPEND_SOURCES),
          model: random.chance(0.1) ? "free" : "dear",
          inputTokens: random.below(20_000),
          maxOutputTokens: 1 + random.below(8_000),
          ...(random.chance(0.3) && { minOutputTokens: 500 }),
        };
        const wanted = random.chance(0.2) ? 3 : 1;
        const all = await Promise.allSettled(Array.from({ length: wanted }, () => one.guard.reserve(plan, never)));
        for (const result of all) {
          if (result.status === "rejected") {
            expect(result.reason).toBeInstanceOf(SpendLimitError);
            refused += 1;
            continue;
          }
          one.taken += 1;
          const most = result.value.maxOutputTokens ?? plan.maxOutputTokens;
          one.running.push({ day: localDay(now), reservation: result.value, inputTokens: plan.inputTokens, most });
        }
      } else if (action < 18) {
        if (one.running.length > 0) await settle(one, random.below(one.running.length));
      } else if (action === 18) {
        living.delete(one.pid);
        crashedOpen += one.running.length;
        guards[at] = makeOne();
      } else now += random.pick([DAY_MS, -DAY_MS, 3_600_000, -3_600_000]);
    }
    for (const one of guards) while (one.running.length > 0) await settle(one, 0);

    const days = new Set<string>();
    for await (const name of new Bun.Glob("*.jsonl").scan(place.dir)) days.add(name.slice(0, 10));
    let open = 0;
    const bySession = new Map<string, number>();
    for (const day of days) {
      const book = await readDay(place.dir, day);
      const allowance = overReported.get(day) ?? 0;
      expect(book.usd()).toBeLessThanOrEqual(caps.dayUsd + allowance + 1e-6);
      expect(book.usd(({ source }) => source === "subagent")).toBeLessThanOrEqual(0.3 + allowance + 1e-6);
      for (const session of book.sessions) {
        const usd = book.usd((line) => line.session === session);
        bySession.set(session, (bySession.get(session) ?? 0) + usd);
      }
      // None is doubled, and none is settled that was not opened that day.
      expect(new Set(book.settled).size).toBe(book.settled.length);
      expect(new Set(book.opened).size).toBe(book.opened.length);
      expect(book.settled.filter((id) => !book.opened.includes(id))).toEqual([]);
      open += book.opened.length - book.settled.length;
    }
    for (const [session, usd] of bySession)
      expect(usd).toBeLessThanOrEqual(caps.sessionUsd + (overReported.get(session) ?? 0) + 1e-6);
    // No request is lost: the open ones are those of the killed processes.
    expect(open).toBe(crashedOpen);
    expect(refused).toBeGreaterThan(0);
  },
);

test("the guards' final sums agree with the file", async () => {
  await using place = await tempProject();
  const random = seededRandom(99);
  const guards = Array.from({ length: 3 }, (_, at) =>
    makeGuard({ folder: place.dir, spend: { dayUsd: 100 }, session: `g${at}` }),
  );
  for (let step = 0; step < 200; step += 1) {
    const { guard } = random.pick(guards);
    const reservation = await guard.reserve(
      { source: "main", model: "dear", inputTokens: 10, maxOutputTokens: 10 },
      never,
    );
    await reservation.settle(used(random.below(1_000), random.below(1_000)));
  }
  const book = await readDay(place.dir, "2026-11-21");
  for (const { guard } of guards) {
    await (await guard.reserve({ source: "main", model: "free", inputTokens: 0, maxOutputTokens: 1 }, never)).settle(
      used(0, 0),
    );
    expect(guard.status()[0]?.spent).toBeCloseTo(book.usd(), 9);
  }
});
