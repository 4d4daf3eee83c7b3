import { expect, test } from "bun:test";
import { RepeatedRun, SETTLE_MS } from "../../../src/app/status-line/repeated-run.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/** Runs that end when the test says so, or when they are stopped. */
function held(refresh?: number) {
  const clock = fakeClock();
  const log: string[] = [];
  let end: () => void = () => undefined;
  let running = 0;
  const runs = new RepeatedRun({
    clock,
    refreshMs: () => refresh,
    run: (signal) => {
      running += 1;
      log.push(running > 1 ? "two at once" : "begins");
      return new Promise<void>((resolve) => {
        let isOver = false;
        const over = (how: string) => () => {
          if (isOver) return;
          isOver = true;
          log.push(how);
          running -= 1;
          resolve();
        };
        end = over("ends");
        signal.addEventListener("abort", over("stopped"), { once: true });
      });
    },
  });
  return { clock, log, runs, end: () => end(), tick: () => clock.advance(0) };
}

test("many changes lead to one run, and a change during a run ends it before the next one begins", async () => {
  const { clock, log, runs, end, tick } = held();
  for (let change = 0; change < 5; change += 1) runs.changed();
  await clock.advance(SETTLE_MS - 1);
  expect(log).toEqual([]);
  await clock.advance(1);
  expect(log).toEqual(["begins"]);
  runs.changed();
  await clock.advance(SETTLE_MS);
  expect(log).toEqual(["begins", "stopped", "begins"]);
  end();
  await tick();
  await clock.advance(60_000);
  expect(log).toEqual(["begins", "stopped", "begins", "ends"]);
  expect(clock.sleeping).toBe(0);
});

test("a run is repeated after the interval, counted from its end; closing ends the running one", async () => {
  const { clock, log, runs, end, tick } = held(5_000);
  void runs.now();
  await tick();
  end();
  await tick();
  await clock.advance(4_999);
  expect(log).toEqual(["begins", "ends"]);
  await clock.advance(1);
  expect(log).toEqual(["begins", "ends", "begins"]);
  await runs.close();
  expect(log.at(-1)).toBe("stopped");
  runs.changed();
  await clock.advance(60_000);
  expect(log).toHaveLength(4);
  expect(clock.sleeping).toBe(0);
});
