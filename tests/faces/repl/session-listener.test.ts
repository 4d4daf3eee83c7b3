import { expect, test } from "bun:test";
import type { EngineEvent, TurnReport } from "../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import type { SessionEvent } from "../../../src/protocol/session-port.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { screenStage } from "../../support/screen-stage.ts";

function finished(text: string): EngineEvent {
  const times = { durationMs: 10, waitedMs: 0, apiMs: 10 };
  const report: TurnReport = {
    ...{ outcome: { reason: "completed" }, text, steps: 1, usage: NO_USAGE, costUsd: 0, usageByModel: {}, denials: [] },
    ...times,
  };
  return { type: "turn_finished", report };
}

test("memory is given back after a large answer, once its last frame is drawn", async () => {
  let tell: (event: SessionEvent) => void = () => undefined;
  const port = {
    send: () => undefined,
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  };
  const clock = fakeClock();
  let freed = 0;
  using stage = screenStage(port, clock, undefined, {
    freeMemory: () => {
      freed += 1;
    },
  });
  stage.controller.start();
  tell({ type: "engine", event: finished("a short answer") });
  await clock.advance(1_000);
  expect(freed).toBe(0);
  tell({ type: "engine", event: finished("x".repeat(100_000)) });
  await clock.advance(100);
  expect(freed).toBe(0);
  await clock.advance(100);
  expect(freed).toBe(1);
});

test("in a narrow line of a turn, the usual mode is shown for seconds after it was chosen, another one always", async () => {
  let tell: (event: SessionEvent) => void = () => undefined;
  const port = {
    send: () => undefined,
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  };
  const clock = fakeClock();
  using stage = screenStage(port, clock, { columns: 40, rows: 24 });
  stage.controller.start();
  const choose = (mode: "default" | "plan") => {
    const numbers = { usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 0 };
    const about = { sessionId: "s", model: "m", providerName: "p", mode } as const;
    tell({ type: "state", state: { ...about, ...numbers, queue: [], isEmpty: false, busy: true } });
  };
  const lastRow = () => stage.text.trimEnd().split("\n").at(-1);
  choose("default");
  await clock.advance(100);
  expect(lastRow()).not.toContain("default");
  choose("plan");
  await clock.advance(60_000);
  expect(lastRow()).toContain("plan");
  choose("default");
  await clock.advance(3_000);
  expect(lastRow()).toContain("default");
  await clock.advance(60_000);
  expect(lastRow()).not.toContain("default");
});
