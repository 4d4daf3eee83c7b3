import { describe, expect, test } from "bun:test";
import { failing, fault, type Reply, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { textResult } from "../../../src/contracts/tool.ts";
import { ModelTools } from "../../../src/engine/model-tools.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { toolRegistry } from "../../../src/services/inventory/create-registry.ts";
import { anthropicProvider } from "../../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { deepTest, isDeep, testOrDeep } from "../../support/deep.ts";
import { hastySleep, testTool } from "../../support/engine-harness.ts";
import { otlpReceiver, treeOf, treeProblems } from "../../support/otlp-receiver.ts";
import { watchedEngine } from "./watched-engine.ts";

const MODEL = "claude-sonnet-5-5";
const LOOK = testTool("Look");
const round = (index: number) => reply([text("Next."), toolUse("Look", { text: `round ${index}` })]);
const ROUNDS: readonly Reply[] = [round(0), round(1), reply("Done.")];

/** The data that a collector has of a session that is interrupted at the event with this index. */
async function interruptedAt(at: number) {
  await using collector = otlpReceiver();
  await using h = await watchedEngine(
    { enabled: true, endpoint: collector.url },
    { tools: [LOOK], scenario: (_, index) => ROUNDS[index] ?? reply("More.") },
  );
  h.engine.subscribe(() => {
    if (h.events.length - 1 === at) h.engine.interrupt();
  });
  const { outcome } = await h.engine.submit({ prompt: "go" });
  const ended = h.events.length;
  const problem = await h.finish();
  return { outcome: outcome.reason, ended, problem, spans: collector.spans() };
}

describe("spans end and nest", () => {
  testOrDeep(!isDeep)(
    "whatever event a turn is broken off at",
    async () => {
      const whole = await interruptedAt(Number.POSITIVE_INFINITY);
      expect(whole.outcome).toBe("completed");
      const outcomes = new Set<string>();
      for (let at = 0; at < whole.ended; at += isDeep ? 1 : 8) {
        const { outcome, spans, problem } = await interruptedAt(at);
        outcomes.add(outcome);
        expect([at, treeProblems(spans), problem]).toEqual([at, [], undefined]);
        const turn = spans.find(({ name }) => name === "invoke_agent quoll");
        expect([at, turn?.attributes["quoll.outcome"]]).toEqual([at, outcome]);
        expect(spans.every(({ attributes }) => attributes["session.id"] === "session-1")).toBe(true);
      }
      expect(outcomes).toEqual(new Set(["aborted", "completed"]));
    },
    60_000,
  );

  test("when a session is closed in the middle of a turn", async () => {
    await using collector = otlpReceiver();
    const started = Promise.withResolvers<void>();
    const waiting = testTool("Look", {
      run: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(textResult("stopped")), { once: true });
          started.resolve();
        }),
    });
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      { tools: [waiting], scenario: ROUNDS },
    );
    const turn = h.engine.submit({ prompt: "go" });
    await started.promise;
    expect(await h.finish()).toBeUndefined();
    await turn;
    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    expect(treeOf(spans).slice(0, 2)).toEqual(["session", "  invoke_agent quoll"]);
    expect(spans.find(({ name }) => name === "invoke_agent quoll")?.attributes["quoll.outcome"]).toBe("aborted");
    const calls = collector.metrics().find(({ name }) => name === "quoll.tool.calls");
    expect(calls?.points.map(({ attributes }) => attributes["quoll.outcome"])).toEqual(["ok"]);
  });

  test.each([
    ["a status that no try can fix", failing(fault.status(401)), "401", 1],
    ["a request that is refused", failing(fault.badRequest("No.")), "400", 1],
  ])("at %s", async (_, answer, error, attempts) => {
    await using collector = otlpReceiver();
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      { tools: [LOOK], scenario: () => answer },
    );
    const { outcome } = await h.engine.submit({ prompt: "go" });
    expect(outcome.reason).toBe("failed");
    await h.finish();
    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    expect(treeOf(spans)).toEqual(["session", "  invoke_agent quoll", `    chat ${MODEL}`]);
    const chat = spans.find(({ name }) => name.startsWith("chat"));
    expect([chat?.status, chat?.attributes["error.type"], chat?.attributes["quoll.attempts"]]).toEqual([
      2,
      error,
      attempts,
    ]);
    expect(spans.find(({ name }) => name.startsWith("invoke"))?.status).toBe(2);
    const requests = collector.metrics().find(({ name }) => name === "quoll.requests");
    expect(requests?.points.map(({ attributes }) => attributes["quoll.outcome"])).toEqual(["error"]);
  });

  test("when a stream breaks: one span, which has each further try as an event", async () => {
    await using collector = otlpReceiver();
    const half = reply("Half of an answer", { fault: { kind: "cut", afterDeltas: 1 } });
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      { scenario: [half, failing(fault.overloaded()), reply("Whole.")] },
    );
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" } });
    await h.finish();
    const chats = collector.spans().filter(({ name }) => name.startsWith("chat"));
    expect(chats.map(({ status, attributes }) => [status, attributes["quoll.attempts"]])).toEqual([[0, 3]]);
    expect(chats[0]?.events.map(({ name, attributes }) => [name, attributes["quoll.attempt"]])).toEqual([
      ["quoll.restarted", undefined],
      ["quoll.retry", 2],
      ["quoll.retry", 3],
    ]);
    const retries = collector.metrics().find(({ name }) => name === "quoll.request.retries");
    expect(retries?.points.map(({ value }) => value)).toEqual([2]);
  });

  deepTest("when another model takes over: each of the two has its own span", async () => {
    await using collector = otlpReceiver();
    await using second = await startTwin({ scenario: [reply("I do.")] });
    const catalog = modelCatalog();
    const clock = { ...systemClock, sleep: hastySleep };
    const other = anthropicProvider({ apiKey: "key", baseUrl: second.url, catalog, clock, random: () => 0.5 });
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      {
        scenario: () => failing(fault.status(529)),
        options: { fallbackModels: ["haiku"] },
        selectModel: async (name) => ({
          provider: h.telemetry.watchProvider(other, "main"),
          model: catalog.resolve(name),
        }),
      },
    );
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" }, text: "I do." });
    await h.finish();
    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    const haiku = catalog.resolve("haiku");
    expect(treeOf(spans)).toEqual(["session", "  invoke_agent quoll", `    chat ${MODEL}`, `    chat ${haiku}`]);
    const turn = spans.find(({ name }) => name.startsWith("invoke"));
    expect(turn?.events).toEqual([
      { name: "quoll.model_changed", attributes: { "gen_ai.request.model": haiku } },
      { name: "quoll.continued", attributes: { "quoll.reason": "fallback_model" } },
    ]);
  });

  deepTest("with a changed tool list and a missed prompt cache as events of their turn", async () => {
    await using collector = otlpReceiver();
    const offered = toolRegistry([LOOK]);
    const used = (cacheReadTokens: number, cacheCreationTokens: number) => ({
      usage: { inputTokens: 5, cacheReadTokens, cacheCreationTokens },
    });
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      {
        modelTools: new ModelTools(offered),
        scenario: [reply("One.", used(0, 30_000)), reply("Two.", used(0, 31_000)), reply("Three.", used(0, 31_500))],
      },
    );
    await h.engine.submit({ prompt: "one" });
    offered.set({ kind: "mcp", name: "late" }, [testTool("mcp__late__look")]);
    await h.engine.submit({ prompt: "two" });
    await h.engine.submit({ prompt: "three" });
    await h.finish();
    const events = collector.spans().flatMap((span) => span.events);
    const change = events.find(({ name }) => name === "quoll.tools_changed");
    expect(change?.attributes["quoll.tools.added"]).toEqual(["mcp__late__look"]);
    expect(Number(change?.attributes["quoll.resent_tokens"])).toBeGreaterThan(0);
    const misses = events.filter(({ name }) => name === "quoll.cache_missed").map(({ attributes }) => attributes);
    expect(misses).toEqual([
      expect.objectContaining({ "quoll.cache.missed_part": "nothing", "quoll.cache.missed_tokens": 31_000 }),
    ]);
  });

  test("include the tokens and the cost of an answer that was cut off and thrown away", async () => {
    await using collector = otlpReceiver();
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url },
      { scenario: [reply("Half an ans", { stopReason: "max_tokens" }), reply("The whole answer.")] },
    );
    await h.engine.submit({ prompt: "go" });
    await h.finish();
    const chats = collector.spans().filter(({ name }) => name.startsWith("chat"));
    expect(chats.map(({ attributes }) => attributes["gen_ai.response.finish_reasons"])).toEqual([
      ["max_tokens"],
      ["end_turn"],
    ]);
    expect(chats.every(({ attributes }) => Number(attributes["gen_ai.usage.cost"]) > 0)).toBe(true);
  });
});

test("two engines in one process have two traces, and what one measures is not the other's", async () => {
  await using one = otlpReceiver();
  await using two = otlpReceiver();
  await using first = await watchedEngine({ enabled: true, endpoint: one.url }, { scenario: [reply("One.")] });
  await using second = await watchedEngine(
    { enabled: true, endpoint: two.url },
    { tools: [LOOK], scenario: [round(0), reply("Two.")] },
    { sessionId: "session-2" },
  );
  await Promise.all([first.engine.submit({ prompt: "a" }), second.engine.submit({ prompt: "b" })]);
  await Promise.all([first.finish(), second.finish()]);
  expect(treeOf(one.spans())).toEqual(["session", "  invoke_agent quoll", `    chat ${MODEL}`]);
  expect(treeOf(two.spans()).length).toBe(5);
  expect([treeProblems(one.spans()), treeProblems(two.spans())]).toEqual([[], []]);
  expect(two.spans().every(({ attributes }) => attributes["session.id"] === "session-2")).toBe(true);
});
