import { describe, expect, test } from "bun:test";
import { failing, fault, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { SpendLimitError } from "../../src/contracts/errors.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Asker, NewQuestion, Reply } from "../../src/contracts/question.ts";
import type { PlannedSpend, SpendGuard } from "../../src/contracts/spend.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { anthropicProvider } from "../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { engineHarness, hastySleep, NO_CAPS, pairingProblems, testTool } from "../support/engine-harness.ts";

const reasons = (events: readonly EngineEvent[]) =>
  events.flatMap((event) => (event.type === "continued" ? [event.reason] : []));
const body = (request: { body: unknown } | undefined) =>
  request?.body as {
    max_tokens: number;
    model: string;
    messages: { role: string; content: { type: string; text?: string }[] }[];
  };
const lastText = (request: { body: unknown } | undefined) => body(request).messages.at(-1)?.content.at(-1)?.text;
const LOOK = [testTool("Look"), testTool("Change", { level: "write" })];

describe("an answer that is cut off", () => {
  test("is dropped once and asked for with the model's largest length", async () => {
    await using h = await engineHarness({
      tools: LOOK,
      scenario: [reply("Half an ans", { stopReason: "max_tokens" }), reply("The whole answer.")],
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "The whole answer.", steps: 2 });
    expect(reasons(h.events)).toEqual(["output_cap_raised"]);
    expect(h.types()).toContain("restarted");
    expect(h.twin.requests.map((request) => body(request).max_tokens)).toEqual([32_000, 128_000]);
    expect(h.engine.state.messages).toHaveLength(2);
  });

  test("is paid for though it is dropped, and costs no step of the limit", async () => {
    await using h = await engineHarness({
      maxSteps: 1,
      scenario: [
        reply("Half an ans", { stopReason: "max_tokens", usage: { outputTokens: 32_000 } }),
        reply("The whole answer.", { usage: { outputTokens: 40_000 } }),
      ],
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, usage: { outputTokens: 72_000 } });
    expect(h.engine.state.usage.outputTokens).toBe(72_000);
  });

  test("is continued up to three times, and reads as one answer", async () => {
    await using h = await engineHarness({
      scenario: (_, at) => reply(`${at} `, { stopReason: at < 4 ? "max_tokens" : "end_turn" }),
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "1 2 3 4 " });
    expect(reasons(h.events)).toEqual([
      "output_cap_raised",
      "output_continued",
      "output_continued",
      "output_continued",
    ]);
    expect(lastText(h.twin.requests[4])).toContain("Continue exactly where it stopped");
  });

  test("keeps its first part when the request for the rest fails", async () => {
    await using h = await engineHarness({
      scenario: (_, at) =>
        at < 2 ? reply("Part one. ", { stopReason: "max_tokens" }) : failing(fault.badRequest("No.")),
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "failed" }, text: "Part one. " });
  });

  test("is read as one when it has a shape", async () => {
    const shape = { schema: { type: "object" }, check: () => undefined };
    const parts = [
      reply('{"a":', { stopReason: "max_tokens" }),
      reply('{"a":', { stopReason: "max_tokens" }),
      reply("1}"),
    ];
    await using h = await engineHarness({ options: { shape }, scenario: parts });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, structuredOutput: { a: 1 } });
    expect(h.twin.requests).toHaveLength(3);
  });

  test("by a full window is kept where nothing can be taken out", async () => {
    const stopReason = "model_context_window_exceeded";
    await using h = await engineHarness({
      scenario: [reply("As far as it went.", { stopReason, usage: { outputTokens: 7 } })],
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "stopped_short" }, text: "As far as it went." });
    expect(report.usage.outputTokens).toBe(7);
    expect(h.types()).not.toContain("restarted");
    expect(h.engine.state.messages).toHaveLength(2);
  });

  test("in the middle of a call gives an error result that says so", async () => {
    await using h = await engineHarness({
      tools: LOOK,
      scenario: [
        reply([{ type: "tool_use", name: "Change", inputText: '{"text": "lo' }], { stopReason: "max_tokens" }),
        reply([{ type: "tool_use", name: "Change", inputText: '{"text": "lo' }], { stopReason: "max_tokens" }),
        reply("I see."),
      ],
    });
    expect((await h.engine.submit({ prompt: "go" })).outcome.reason).toBe("completed");
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
    expect(JSON.stringify(body(h.twin.requests[2]).messages.at(-1))).toContain("not valid JSON");
  });
});

test("an answer that the model paused twice is given whole", async () => {
  const scenario = [
    reply("One.", { stopReason: "pause_turn" }),
    reply("Two.", { stopReason: "pause_turn" }),
    reply("Three."),
  ];
  await using h = await engineHarness({ scenario });
  expect((await h.engine.submit({ prompt: "go" })).text).toBe("One.\nTwo.\nThree.");
});

describe("a prompt that is too long", () => {
  const tooLong = failing(fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum"));
  const big = testTool("Big", { run: async () => textResult("x".repeat(40_000)) });
  const calls = [0, 1, 2, 3].map((at) => reply([toolUse("Big", { text: String(at) })]));

  test("is made shorter once: old results become a line each", async () => {
    await using h = await engineHarness({ tools: [big], scenario: [...calls, tooLong, reply("Done.")] });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.outcome).toEqual({ reason: "completed" });
    expect(reasons(h.events).at(-1)).toBe("compacted");
    const sent = JSON.stringify(body(h.twin.requests[5]).messages);
    expect(sent).toContain("Cleared to make room");
    expect(sent.length).toBeLessThan(JSON.stringify(body(h.twin.requests[4]).messages).length / 2);
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
    expect(h.events.find(({ type }) => type === "compacted")).toMatchObject({ why: "too_long" });
  });

  test("fails the turn when that doesn't help", async () => {
    await using h = await engineHarness({ tools: [big], scenario: [...calls, tooLong, tooLong] });
    expect((await h.engine.submit({ prompt: "go" })).outcome.reason).toBe("failed");
  });

  test("with nothing to take out fails at once", async () => {
    await using h = await engineHarness({ scenario: [tooLong] });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toMatchObject({
      reason: "failed",
      status: 400,
      message: expect.stringContaining("/clear"),
    });
  });
});

test("a model that is overloaded three times hands over to the next of the list, which gets no foreign thinking", async () => {
  await using other = await startTwin({ scenario: [reply("From the other.")] });
  const catalog = modelCatalog();
  const clock = { ...systemClock, sleep: hastySleep };
  const provider = anthropicProvider({ apiKey: "key", baseUrl: other.url, catalog, clock, random: () => 0.5 });
  await using h = await engineHarness({
    tools: LOOK,
    options: { fallbackModels: ["nobody", "haiku"] },
    selectModel: async (name) => {
      if (name === "nobody") throw new Error("there is no such model");
      return { provider, model: catalog.resolve(name) };
    },
    scenario: [
      reply([thinking("Hm."), toolUse("Look", { text: "a" })]),
      failing(fault.overloaded()),
      failing(fault.overloaded()),
      failing(fault.overloaded()),
      reply("never"),
    ],
  });
  const report = await h.engine.submit({ prompt: "go" });
  expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "From the other." });
  expect(h.twin.requests).toHaveLength(4);
  expect(reasons(h.events)).toEqual(["tool_results", "fallback_model"]);
  const sent = body(other.requests[0]);
  expect(sent.model).toBe(catalog.resolve("haiku"));
  expect(JSON.stringify(sent.messages)).not.toContain("thinking");
  expect(h.engine.state.model).toBe(catalog.resolve("haiku"));
  const notices = h.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  expect(notices.join("\n")).toContain("nobody can't take over");
  expect(notices.join("\n")).toContain("takes over");
});

test("a picture that is too large is made smaller once", async () => {
  const image = { type: "image", mediaType: "image/png", data: "aGVsbG8=" } as const;
  const reduced: unknown[] = [];
  await using h = await engineHarness({
    scenario: [
      failing(fault.badRequest("messages.0.content.0.image.source.base64: image exceeds 5 MB maximum")),
      reply("I see."),
    ],
    compactor: [
      {
        name: "pictures",
        async run({ why, messages: [first] }) {
          reduced.push(why);
          const block = { type: "text", text: "(a smaller picture)" } as const;
          return first && { stubs: [{ messageId: first.id, at: 1, block }], note: "" };
        },
      },
    ],
    messages: [],
  });
  const report = await h.engine.submit({ prompt: "what is this", attachments: [image] });
  if (h.twin.requests[0]?.rejected.length === 0) expect(report.outcome.reason).toBe("completed");
  expect(reduced).toEqual(["image_too_large"]);
  expect(JSON.stringify(body(h.twin.requests[1]).messages)).toContain("(a smaller picture)");
});

test("an empty answer is asked for once more", async () => {
  await using h = await engineHarness({ scenario: [reply([thinking("Hm.")]), reply("Here.")] });
  expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" }, text: "Here." });
  expect(reasons(h.events)).toEqual(["empty_answer"]);
});

describe("a model that goes round in circles", () => {
  const asking = (cycle: number, count: number) => (_: unknown, at: number) =>
    at < count ? reply([toolUse("Look", { text: String(at % cycle) })]) : reply("Enough.");

  test.each([1, 2])("with %d calls in turn is told once, and stopped the second time", async (cycle) => {
    await using h = await engineHarness({ tools: LOOK, scenario: asking(cycle, 100) });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "stopped_short" }, steps: 10 * cycle });
    expect(reasons(h.events).filter((reason) => reason === "loop_told")).toHaveLength(1);
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  });

  test("may come to its senses", async () => {
    await using h = await engineHarness({ tools: LOOK, scenario: asking(1, 6) });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
  });

  test("is not one whose results differ", async () => {
    let count = 0;
    const poll = testTool("Poll", { run: async () => textResult(String(++count)) });
    const scenario = (_: unknown, at: number) => (at < 20 ? reply([toolUse("Poll", { text: "x" })]) : reply("Done."));
    await using h = await engineHarness({ tools: [poll], scenario });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
  });
});

describe("caps", () => {
  test("are asked before each request, and receive its actual usage", async () => {
    const log: unknown[] = [];
    const spend: SpendGuard = {
      ...NO_CAPS,
      startTurn: () => void log.push("turn"),
      reserve: async (plan: PlannedSpend) => {
        log.push([plan.source, plan.maxOutputTokens > 0, plan.inputTokens > 0]);
        return { settle: async (usage) => void log.push(usage?.outputTokens) };
      },
    };
    await using h = await engineHarness({ spend, scenario: [reply("Hi.", { usage: { outputTokens: 7 } })] });
    await h.engine.submit({ prompt: "go" });
    expect(log).toEqual(["turn", ["main", true, true], 7]);
  });

  test("receive the input of an interrupted answer, and an estimate of its output", async () => {
    const settled: unknown[] = [];
    const reserve = async () => ({ settle: async (usage: unknown) => void settled.push(usage) });
    const scenario = [reply("word ".repeat(200), { paceMs: 1 })];
    await using h = await engineHarness({ spend: { ...NO_CAPS, reserve }, scenario });
    h.engine.subscribe(({ event }) => {
      if (event.type === "text_delta") h.engine.interrupt();
    });
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "aborted" } });
    expect(h.engine.state.messages.at(-1)).toMatchObject({ role: "assistant" });
    const estimate = { inputTokens: expect.any(Number), cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true };
    expect(settled).toEqual([{ ...estimate, outputTokens: expect.any(Number) }]);
    expect(JSON.stringify(settled)).not.toContain('Tokens":0,"outputTokens');
  });

  test.each([
    ["refused", failing(fault.badRequest("No."))],
    ["limited for long", failing(fault.rateLimited(3_600))],
  ])("are told nothing of a request that was %s, and its turn costs nothing", async (_, failed) => {
    await using h = await engineHarness({ scenario: () => failed });
    const report = await h.engine.submit({ prompt: "go" });
    const nothing = { costUsd: 0, usage: { inputTokens: 0, outputTokens: 0 } };
    expect(report).toMatchObject({ outcome: { reason: "failed" }, ...nothing });
    expect(h.engine.state).toMatchObject({ costUsd: 0, usageByModel: {}, spendBySource: [] });
  });

  test.each([
    ["overloaded", failing(fault.overloaded())],
    ["unconnected", failing(fault.hangUp())],
    ["refused in a stream", reply("Hi.", { fault: fault.errorEvent(0) })],
  ])("are told nothing of a try that was %s", async (_, failed) => {
    const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheCreationTokens: 0 };
    await using h = await engineHarness({ scenario: [{ ...failed, usage }, reply("Hi.", { usage })] });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.usage).toEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 });
  });

  test("include the usage of an attempt that failed before the answered attempt", async () => {
    const usage = { inputTokens: 100, outputTokens: 10 };
    const broken = reply("word ".repeat(20), { usage, fault: fault.cut({ deltas: 5 }) });
    await using h = await engineHarness({ scenario: [broken, reply("Hi.", { usage })] });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.usage).toMatchObject({ inputTokens: 200, estimated: true });
    expect(report.usage.outputTokens).toBeGreaterThan(20);
  });

  test("count a request before its calls run, and all sums agree then", async () => {
    const seen: unknown[] = [];
    const change = testTool("Change", {
      level: "write",
      run: async () => {
        const { costUsd = 0, usageByModel = {}, spendBySource = [] } = h.engine.state;
        seen.push([
          costUsd > 0,
          Object.values(usageByModel)[0]?.costUsd === costUsd,
          spendBySource[0]?.usd === costUsd,
        ]);
        return textResult("seen");
      },
    });
    await using h = await engineHarness({
      tools: [change],
      scenario: [reply([toolUse("Change", { text: "a" })]), reply("Done.")],
    });
    await h.engine.submit({ prompt: "go" });
    expect(seen).toEqual([[true, true, true]]);
  });

  test("end the turn when nothing is left, before anything is sent", async () => {
    const spend: SpendGuard = {
      ...NO_CAPS,
      reserve: () => Promise.reject(new SpendLimitError("The day's cap of 1 USD is reached.")),
    };
    await using h = await engineHarness({ spend, scenario: [] });
    const { outcome } = await h.engine.submit({ prompt: "go" });
    expect(outcome).toEqual({ reason: "budget", message: "The day's cap of 1 USD is reached." });
    expect(h.twin.requests).toHaveLength(0);
  });
});

describe("an answer of a shape", () => {
  const shape = {
    schema: { type: "object" },
    check: (value: unknown) =>
      typeof value === "object" && value !== null && "n" in value ? undefined : "n is missing",
  };

  test("is read as JSON, also from a fence, after it was sent back", async () => {
    await using h = await engineHarness({
      options: { shape },
      scenario: [reply("Here you are!"), reply('{"m":1}'), reply('```json\n{"n":1}\n```')],
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, structuredOutput: { n: 1 } });
    expect(reasons(h.events)).toEqual(["schema_mismatch", "schema_mismatch"]);
    expect(lastText(h.twin.requests[2])).toContain("n is missing");
  });

  test("that never comes ends the turn short", async () => {
    await using h = await engineHarness({ options: { shape }, scenario: () => reply("No.") });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.outcome.reason).toBe("stopped_short");
    expect(report).not.toHaveProperty("structuredOutput");
  });
});

describe("inputs that wait", () => {
  test("steer the turn at the next tool boundary, or become turns of their own, in order", async () => {
    await using h = await engineHarness({
      tools: LOOK,
      scenario: [reply([toolUse("Look", { text: "a" })]), reply("One."), reply("Two."), reply("Three.")],
    });
    const done = Promise.withResolvers<void>();
    let turns = 0;
    h.engine.subscribe(({ event }) => {
      if (event.type === "tool_started") {
        h.engine.enqueue({ prompt: "later" }, "later");
        h.engine.enqueue({ prompt: "next" }, "next");
        h.engine.enqueue({ prompt: "steer" }, "steer");
        const gone = h.engine.enqueue({ prompt: "gone" }, "next");
        expect(h.engine.state.queue.map(({ prompt }) => prompt)).toEqual(["next", "steer", "gone", "later"]);
        expect(h.engine.withdraw(gone)).toEqual({ prompt: "gone" });
        expect(h.engine.withdraw(gone)).toBeUndefined();
      }
      if (event.type === "turn_finished" && ++turns === 3) done.resolve();
    });
    await h.engine.submit({ prompt: "go" });
    await done.promise;
    expect(h.twin.requests.map(lastText)).toEqual(["go", "steer", "next", "later"]);
    expect(h.engine.state.queue).toEqual([]);
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  });

  test("begin at once when nothing runs, and wait on after an interruption", async () => {
    await using h = await engineHarness({ scenario: [reply("One."), failing(fault.silence()), reply("Three.")] });
    const finished: string[] = [];
    let waiting = Promise.withResolvers<void>();
    h.engine.subscribe(({ event }) => {
      if (event.type !== "turn_finished") return;
      finished.push(event.report.outcome.reason);
      waiting.resolve();
    });
    h.engine.enqueue({ prompt: "one" }, "next");
    await waiting.promise;
    waiting = Promise.withResolvers<void>();
    h.engine.enqueue({ prompt: "two" }, "next");
    await h.twin.request(1);
    h.engine.enqueue({ prompt: "three" }, "next");
    h.engine.interrupt();
    await waiting.promise;
    expect(finished).toEqual(["completed", "aborted"]);
    expect(h.engine.state.queue.map(({ prompt }) => prompt)).toEqual(["three"]);
  });

  test("ten thousand of them are no burden", async () => {
    await using h = await engineHarness({ scenario: [failing(fault.silence())] });
    const running = h.engine.submit({ prompt: "go" });
    await h.twin.request(0);
    const ids = Array.from({ length: 10_000 }, (_, at) => h.engine.enqueue({ prompt: String(at) }, "next"));
    expect(h.engine.state.queue).toHaveLength(10_000);
    expect(h.engine.withdraw(ids[5_000] ?? "")).toEqual({ prompt: "5000" });
    h.engine.interrupt();
    await running;
  });
});

describe("a server that asks for a long wait", () => {
  const BUSY = failing(fault.rateLimited(300));
  const asking = (reply: Reply, asked: NewQuestion[]): Asker => ({
    canAsk: true,
    ask: async (question) => {
      asked.push(question);
      return reply;
    },
  });

  test("is waited for when the person says so", async () => {
    const asked: NewQuestion[] = [];
    const slept: number[] = [];
    await using h = await engineHarness({
      scenario: [BUSY, reply("There.")],
      asker: asking({ decision: "once" }, asked),
      sleep: async (ms) => void slept.push(ms),
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "There." });
    expect(reasons(h.events)).toEqual(["waited"]);
    expect(asked).toMatchObject([{ title: "Wait 5 min for the server?", body: { kind: "wait" } }]);
    expect(slept).toHaveLength(1);
    expect(slept[0]).toBeWithin(295_000, 300_001);
    expect(h.events).toContainEqual(expect.objectContaining({ type: "retry", delayMs: slept[0], status: 429 }));
  });

  test("ends the turn with its time when the person says no", async () => {
    await using h = await engineHarness({ scenario: [BUSY], asker: asking({ decision: "reject" }, []) });
    const { outcome } = await h.engine.submit({ prompt: "go" });
    expect(outcome).toMatchObject({ reason: "failed", status: 429 });
    expect(outcome).toHaveProperty("message", expect.stringContaining("asks for a wait of 300 s"));
  });

  test("ends the turn at once where nobody can be asked, and after a day nobody is asked", async () => {
    await using h = await engineHarness({ scenario: [BUSY] });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toMatchObject({ reason: "failed", status: 429 });
    const asked: NewQuestion[] = [];
    const scenario = [failing(fault.rateLimited(90_000))];
    await using far = await engineHarness({ scenario, asker: asking({ decision: "once" }, asked) });
    expect((await far.engine.submit({ prompt: "go" })).outcome).toMatchObject({ reason: "failed", status: 429 });
    expect(asked).toEqual([]);
  });

  test("is left when the person breaks the wait off", async () => {
    await using h = await engineHarness({
      scenario: [BUSY, reply("Never asked for.")],
      asker: asking({ decision: "once" }, []),
    });
    h.engine.subscribe(({ event }) => {
      if (event.type === "retry") h.engine.interrupt();
    });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "aborted" });
    expect(h.twin.requests).toHaveLength(1);
  });

  test("gives way to another model, where there is one, and costs no step of the limit", async () => {
    const asked: NewQuestion[] = [];
    await using other = await startTwin({ scenario: [reply("From the other.")] });
    const catalog = modelCatalog();
    const clock = { ...systemClock, sleep: hastySleep };
    const provider = anthropicProvider({ apiKey: "key", baseUrl: other.url, catalog, clock, random: () => 0.5 });
    await using h = await engineHarness({
      maxSteps: 1,
      scenario: [BUSY],
      asker: asking({ decision: "once" }, asked),
      selectModel: async (name) => ({ provider, model: catalog.resolve(name) }),
      options: { fallbackModels: ["haiku"] },
    });
    expect((await h.engine.submit({ prompt: "go" })).text).toBe("From the other.");
    expect(asked).toEqual([]);
  });
});

test("the provider's time excludes the time of tools and questions", async () => {
  const WORK_MS = 5_000;
  let workedMs = 0;
  // One that changes something runs when the answer is complete.
  const work = testTool("Work", {
    level: "write",
    run: async (done) => {
      workedMs += WORK_MS;
      return textResult(done);
    },
  });
  await using h = await engineHarness({
    tools: [work],
    monotonicMs: () => systemClock.monotonicMs() + workedMs,
    scenario: [reply([toolUse("Work", { text: "x" })]), reply("Done.")],
  });
  const { apiMs, durationMs } = await h.engine.submit({ prompt: "go" });
  expect(durationMs - apiMs).toBeGreaterThanOrEqual(WORK_MS - 10);
  expect(apiMs).toBeLessThan(WORK_MS);
});
