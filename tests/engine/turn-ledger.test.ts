import { expect, test } from "bun:test";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Usage } from "../../src/contracts/message.ts";
import { TurnLedger } from "../../src/engine/turn-ledger.ts";

const answer = (model: string, inputTokens: number): EngineEvent => ({
  type: "assistant_message",
  message: {
    role: "assistant",
    id: "m",
    model,
    content: [],
    stopReason: "end_turn",
    usage: { inputTokens, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  },
});

test("each request is priced by itself, and the sum is by model", async () => {
  const asked: [string, number][] = [];
  const ledger = new TurnLedger({
    cost: async (model, { inputTokens }: Usage) => {
      asked.push([model, inputTokens]);
      return inputTokens > 10 ? 5 : 1;
    },
  });
  for (const event of [answer("a", 10), answer("a", 20), answer("b", 1)]) ledger.note(event);
  await ledger.settle();
  expect(asked).toEqual([
    ["a", 10],
    ["a", 20],
    ["b", 1],
  ]);
  const { costUsd, usage, byModel } = ledger.snapshot();
  expect([costUsd, usage.inputTokens, byModel["a"]?.costUsd, byModel["a"]?.usage.inputTokens]).toEqual([7, 31, 6, 30]);
});

test("a sum with an unknown price is unknown, never a smaller number", async () => {
  const ledger = new TurnLedger({ cost: async (model) => (model === "a" ? undefined : 1) });
  for (const event of [answer("a", 1), answer("b", 1)]) ledger.note(event);
  await ledger.settle();
  expect(ledger.snapshot().costUsd).toBeUndefined();
});

test("nothing used costs nothing, and a price that can't be looked up is unknown", async () => {
  const ledger = new TurnLedger({ cost: () => Promise.reject(new Error("no table")) });
  expect(ledger.snapshot().costUsd).toBe(0);
  ledger.note(answer("a", 1));
  await ledger.settle();
  expect(ledger.snapshot().costUsd).toBeUndefined();
});

test("a price is looked up when the next answer comes in, not between an answer and the next request", async () => {
  const asked: string[] = [];
  const ledger = new TurnLedger({
    cost: async (model) => {
      asked.push(model);
      return 1;
    },
  });
  ledger.note(answer("a", 1));
  await Promise.resolve();
  expect(asked).toEqual([]);

  ledger.note({ type: "text_delta", text: "And" });
  await Promise.resolve();
  expect(asked).toEqual(["a"]);

  await ledger.settle();
  expect({ asked, costUsd: ledger.snapshot().costUsd }).toEqual({ asked: ["a"], costUsd: 1 });
});

test("an answer is priced by the name that was asked for, and only where that has no price by the server's own", async () => {
  const ledger = new TurnLedger({ cost: async (model) => ({ mine: 7, "routed-2026": 2 })[model] });
  const events: readonly EngineEvent[] = [
    { type: "request_started", step: 1, model: "mine" },
    answer("mine-2026", 1),
    { type: "request_started", step: 2, model: "router" },
    answer("routed-2026", 1),
  ];
  for (const event of events) ledger.note(event);
  await ledger.settle();
  const { byModel, costUsd } = ledger.snapshot();
  expect([byModel["mine-2026"]?.costUsd, byModel["routed-2026"]?.costUsd, costUsd]).toEqual([7, 2, 9]);
});
