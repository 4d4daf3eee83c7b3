import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import type { CompactionStage } from "../../src/contracts/compactor.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Message } from "../../src/contracts/message.ts";
import type { PlannedSpend } from "../../src/contracts/spend.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { compactionStages } from "../../src/services/context/compaction/compaction-stages.ts";
import { deepTest, isDeep, testOrDeep } from "../support/deep.ts";
import { engineHarness, NO_CAPS, pairingProblems, testTool, until } from "../support/engine-harness.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { summaryStage } from "../support/summary-stage.ts";

setDefaultTimeout(60_000);

/** Of 98 KB, as a file of that size gives. */
const LARGE = testTool("Large", { run: async (text) => textResult(`${text} `.repeat(49_000)) });
const call = (...texts: readonly string[]) => reply(texts.map((text) => toolUse("Large", { text })));
const tooLong = failing(fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum"));
const of = <Type extends EngineEvent["type"]>(events: readonly EngineEvent[], type: Type) =>
  events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type);
const reasons = (events: readonly EngineEvent[]) => of(events, "continued").map(({ reason }) => reason);

/** A stage that frees next to nothing each time: one word of the first message. */
function stingyStage(): CompactionStage {
  return {
    name: "stingy",
    async run({ messages: [first] }) {
      const block = { type: "text", text: crypto.randomUUID() } as const;
      return first && { stubs: [{ messageId: first.id, at: 0, block }], note: "" };
    },
  };
}

test("a window of 200 K holds four rounds of two results of 98 KB, then compacts and continues", async () => {
  const rounds = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => call(`${at}`, `${at}`));
  await using h = await engineHarness({ tools: [LARGE], windowTokens: 200_000, scenario: [...rounds, reply("Done.")] });
  expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" }, text: "Done." });
  expect(h.twin.requests).toHaveLength(9);
  expect(of(h.events, "compacted").map(({ why }) => why)).toContain("full");
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
});

describe("a prompt that is too long", () => {
  const rounds = [0, 1, 2, 3].map((at) => call(`a${at}`));

  test("loses its newest results when no older results are left, and the model is asked to request less", async () => {
    const scenario = [call("only"), tooLong, reply("Done.")];
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 1_000_000, scenario });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
    expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("Ask for a smaller part.");
  });

  deepTest("is made shorter twice, then the turn fails", async () => {
    const scenario = [...rounds, tooLong, tooLong, tooLong, reply("Never asked for.")];
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 1_000_000, scenario });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toMatchObject({ reason: "failed", status: 400 });
    expect(reasons(h.events).filter((reason) => reason === "compacted")).toHaveLength(2);
  });

  deepTest("is another one after a request that was accepted", async () => {
    const more = [4, 5, 6, 7].map((at) => call(`a${at}`));
    const scenario = [...rounds, tooLong, tooLong, ...more, tooLong, tooLong, reply("Done.")];
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 1_000_000, scenario });
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
    expect(reasons(h.events).filter((reason) => reason === "compacted")).toHaveLength(4);
  });

  test("ends the turn when three compactions in a row free next to nothing", async () => {
    const compactor = [stingyStage()];
    let asked = 0;
    const scenario = () => {
      asked += 1;
      return asked % 2 === 0 ? call(`a${asked}`) : tooLong;
    };
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 1_000_000, compactor, scenario });
    const { outcome } = await h.engine.submit({ prompt: "go" });
    expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("/clear") });
    expect(of(h.events, "compacted")).toHaveLength(3);
  });
});

test("a window that stays full ends the turn, and no request is sent for ever", async () => {
  const compactor = [stingyStage()];
  let asked = 0;
  const scenario = () => call(`a${asked++}`);
  const small = testTool("Large", { run: async (text) => textResult(text.repeat(2_000)) });
  await using h = await engineHarness({ tools: [small], windowTokens: 8_000, compactor, scenario });
  const { outcome } = await h.engine.submit({ prompt: "go" });
  expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("/compact") });
  expect(of(h.events, "compacted").length).toBeWithin(1, 4);
});

describe("a conversation that leaves no room", () => {
  test("for one message alone sends nothing and says so", async () => {
    await using h = await engineHarness({ windowTokens: 8_000, scenario: [] });
    const { outcome } = await h.engine.submit({ prompt: "word ".repeat(9_000) });
    expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("9,006 tokens") });
    expect(h.twin.requests).toEqual([]);
  });

  test("beside the system prompt sends nothing and says so", async () => {
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 50, scenario: [] });
    const { outcome } = await h.engine.submit({ prompt: "go" });
    expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("system prompt") });
    expect(h.twin.requests).toEqual([]);
  });
});

test("a round that would take the conversation past the last limit is foreseen", async () => {
  const rounds = [0, 1, 2, 3, 4, 5].map((at) => call(`${at}`));
  const options = { tools: [LARGE], windowTokens: 200_000, scenario: [...rounds, reply("Done.")] };
  await using h = await engineHarness(options);
  await h.engine.submit({ prompt: "go" });
  const sizes = of(h.events, "context_changed").map(({ usedTokens }) => usedTokens);
  const stop = 180_000 * 0.97;
  expect(Math.max(...sizes)).toBeLessThan(stop);
});

test("without automatic compaction, the turn stops with a hint at the end of the window", async () => {
  const rounds = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => call(`${at}`, `${at}`));
  const options = { tools: [LARGE], windowTokens: 200_000, scenario: [...rounds, reply("Done.")] };
  await using h = await engineHarness({ ...options, windowSettings: { auto: false } });
  const { outcome } = await h.engine.submit({ prompt: "go" });
  expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("/compact") });
  expect(of(h.events, "compacted")).toEqual([]);
});

describe("a stage that asks the model", () => {
  const before = [reply("One."), reply("Two.")];
  const two = async (h: Awaited<ReturnType<typeof engineHarness>>) => {
    await h.engine.submit({ prompt: "first" });
    await h.engine.submit({ prompt: "second" });
  };

  test("sends what was sent before and its own words, counted as compaction", async () => {
    const plans: PlannedSpend[] = [];
    const spend = {
      ...NO_CAPS,
      reserve: async (plan: PlannedSpend) => {
        plans.push(plan);
        return { settle: async () => undefined };
      },
    };
    const scenario = [...before, reply("the gist"), reply("Three.")];
    await using h = await engineHarness({ compactor: [summaryStage()], spend, scenario });
    await two(h);
    expect(await h.engine.compact({ instructions: "keep the names" })).toBeNumber();
    expect(plans.map(({ source }) => source)).toEqual(["main", "main", "compaction"]);
    const [, second, asked] = h.twin.requests.map(({ body }) => body as { system: unknown; messages: unknown[] });
    expect(asked?.system).toEqual(second?.system as object);
    expect(JSON.stringify(asked?.messages)).toContain("Sum up what was said.");
    expect(of(h.events, "compacted")).toMatchObject([{ why: "manual", note: "Summed up the conversation." }]);
    expect(h.written).toContainEqual(
      expect.objectContaining({ kind: "compacted", why: "manual", firstKeptId: "entry-4" }),
    );
    await h.engine.submit({ prompt: "third" });
    const sent = JSON.stringify(h.twin.requests.at(-1)?.body);
    expect(sent).toContain("Summary: the gist");
    expect(sent).not.toContain("first");
  });

  test("can be interrupted, and leaves the conversation as it was", async () => {
    const scenario = [...before, failing(fault.silence())];
    await using h = await engineHarness({ compactor: [summaryStage()], scenario });
    await two(h);
    const messages = [...h.engine.state.messages];
    const compacting = h.engine.compact().catch((error: unknown) => error);
    await h.twin.request(2);
    expect(h.engine.state.busy).toBe(true);
    expect(() => h.engine.clear()).toThrow("A turn is running");
    h.engine.interrupt();
    expect(await compacting).toBeInstanceOf(Error);
    expect([h.engine.state.busy, h.engine.state.messages]).toEqual([false, messages]);
  });

  test("starts the next waiting input at its end, and tells the readers when the engine is busy", async () => {
    const gate = Promise.withResolvers<void>();
    const scenario = async (_: unknown, at: number) => {
      if (at === 2) await gate.promise;
      return reply(at === 2 ? "the gist" : "Yes.");
    };
    await using h = await engineHarness({ compactor: [summaryStage()], scenario });
    await two(h);
    const from = h.events.length;
    const compacting = h.engine.compact();
    await h.twin.request(2);
    h.engine.enqueue({ prompt: "third" }, "steer");
    gate.resolve();
    expect(await compacting).toBeNumber();
    expect(h.engine.state).toMatchObject({ busy: true, queue: [] });
    await until(() => !h.engine.state.busy);
    expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("third");
    const busy = of(h.events.slice(from), "busy_changed");
    expect(busy.map((event) => [event.busy, event.interrupted])).toEqual([
      [true, false],
      [false, false],
      [true, false],
      [false, false],
    ]);
  });

  deepTest("leaves what waits in the queue when the person interrupts it", async () => {
    const scenario = [...before, failing(fault.silence()), reply("Yes.")];
    await using h = await engineHarness({ compactor: [summaryStage()], scenario });
    await two(h);
    const compacting = h.engine.compact().catch((error: unknown) => error);
    await h.twin.request(2);
    h.engine.enqueue({ prompt: "third" }, "steer");
    h.engine.interrupt();
    await compacting;
    expect(h.engine.state).toMatchObject({ busy: false, queue: [{ prompt: "third" }] });
    expect(of(h.events, "busy_changed").at(-1)).toMatchObject({ busy: false, interrupted: true });
  });

  test("takes nothing out when it fails, and the person is told", async () => {
    const scenario = [...before, failing(fault.badRequest("No.")), reply("Three.")];
    await using h = await engineHarness({ compactor: [summaryStage()], scenario });
    await two(h);
    expect(await h.engine.compact()).toBeUndefined();
    expect(
      of(h.events, "notice")
        .map(({ message }) => message)
        .join("\n"),
    ).toContain("Making room (summary) failed");
    expect((await h.engine.submit({ prompt: "third" })).outcome).toEqual({ reason: "completed" });
  });

  test("sends no question that is larger than the window", async () => {
    const options = { tools: [LARGE], windowTokens: 20_000, compactor: [summaryStage()] };
    await using h = await engineHarness({ ...options, scenario: [...before, call("a"), reply("Never asked for.")] });
    await two(h);
    expect((await h.engine.submit({ prompt: "third" })).outcome).toMatchObject({ reason: "stopped_short" });
    expect(h.twin.requests).toHaveLength(3);
    const told = of(h.events, "notice").map(({ message }) => message);
    expect(told.join("\n")).toContain("Making room (summary) failed");
  });

  test("is not asked where a cheaper one made enough room", async () => {
    const rounds = [0, 1, 2, 3].map((at) => call(`${at}`, `${at}`));
    const compactor = [clearResults(), summaryStage()];
    const options = { tools: [LARGE], windowTokens: 200_000, compactor };
    await using h = await engineHarness({ ...options, scenario: [...rounds, reply("Done.")] });
    expect((await h.engine.submit({ prompt: "go" })).text).toBe("Done.");
    expect(h.twin.requests).toHaveLength(5);
  });
});

const SMALL_WINDOW = 32_000;
/** Enough to fill the window many times. */
const ROUNDS = isDeep ? 500 : 80;

/** A server with a window that is smaller than the one it is taken for. Answers a summary, a call, or that the prompt is too long. */
function smallServer(seed: number) {
  const random = seededRandom(seed);
  let rounds = 0;
  const scenario = ({ body }: { readonly body: unknown }): Reply => {
    const text = JSON.stringify(body);
    const tokens = Math.ceil(text.length / 4);
    if (tokens > SMALL_WINDOW * 0.8) return tooLong;
    if (text.includes("Sum up what was said.")) return reply("The work goes on.");
    if (text.includes("write a summary that will stand in place"))
      return reply("<summary>\n## Goal\nDo the work.\n## Next step\nGo on with it.\n</summary>");
    if (tokens > SMALL_WINDOW * 0.3 && random.chance(0.05)) return tooLong;
    rounds += 1;
    if (rounds > ROUNDS) return reply("Done.");
    const usage = { inputTokens: Math.round(tokens * (0.7 + random.below(60) / 100)) };
    const uses = Array.from({ length: 1 + random.below(3) }, (_, at) => toolUse("Work", { text: `${rounds}.${at}` }));
    return reply([{ type: "text", text: "w ".repeat(random.below(80)) || "." }, ...uses], { usage });
  };
  return { scenario, rounds: () => rounds };
}

const COMPACTORS = {
  // Noisy reports can make the question for a summary too large to be sent: then the last stage makes room.
  "a summary in words": [clearResults(), summaryStage(), ...compactionStages({ canRecall: true }).slice(-1)],
  "the stages of a session": compactionStages({ canRecall: true }),
};

async function survives(seed: number, compactor: readonly CompactionStage[]): Promise<void> {
  const random = seededRandom(seed + 100);
  const work = testTool("Work", {
    run: async (text) => textResult(`${text} ${"result ".repeat(random.below(900))}`),
  });
  const server = smallServer(seed);
  await using h = await engineHarness({
    tools: [work],
    windowTokens: SMALL_WINDOW,
    compactor,
    scenario: server.scenario,
  });
  const { outcome, steps } = await h.engine.submit({ prompt: "do the work" });
  expect(outcome).toEqual({ reason: "completed" });
  expect(server.rounds()).toBe(ROUNDS + 1);
  expect(steps).toBeLessThan(ROUNDS * 2);
  expect(reasons(h.events)).toContain("compacted");
  expect(of(h.events, "compacted").filter(({ why }) => why === "full").length).toBeGreaterThan(isDeep ? 5 : 2);
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
}

describe(`a turn of ${ROUNDS} rounds in a window of 32 K does not die of an overflow`, () => {
  for (const [at, [name, compactor]] of Object.entries(COMPACTORS).entries())
    for (const seed of [1, 2])
      testOrDeep(!isDeep && at === 1 && seed === 1)(
        `with ${name} (seed ${seed})`,
        () => survives(seed, compactor),
        60_000,
      );
});

describe("a window that is nearly full", () => {
  const notes = (messages: readonly Message[]) =>
    messages.filter(({ content }) => JSON.stringify(content).includes("context window are left"));
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 10 } });
  const round = (inputTokens: number, text = "I look.") =>
    reply([{ type: "text", text }, toolUse("Small", { text: `at ${inputTokens}` })], usage(inputTokens));
  const small = testTool("Small", { run: async (text) => textResult(`${text} `.repeat(1_000)) });
  const ROUNDS = [round(23_200), round(24_800), round(26_400), round(28_000)];
  // Usable are 36,000 of 40,000 tokens: the limits are 28,800, 32,400 and 34,920.
  const harness = (scenario: readonly Reply[], windowSettings = {}) =>
    engineHarness({ tools: [small], windowTokens: 40_000, windowSettings, scenario: [...scenario] });

  test("tells the model once how much is left, in a message and not in the prompt", async () => {
    await using h = await harness([...ROUNDS, round(29_600), reply("Done.", usage(31_200))]);
    await h.engine.submit({ prompt: "go" });
    const told = notes(h.engine.state.messages);
    expect(told).toHaveLength(1);
    expect(told[0]?.role).toBe("user");
    expect(new Set(h.twin.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system))).size).toBe(
      1,
    );
    expect(of(h.events, "compacted")).toEqual([]);
  });

  test("is compacted at once where the model then asks for it on a line of its own", async () => {
    const asking = round(29_600, "That part is done.\n[compact]");
    const early = [round(18_400), round(20_000), round(21_600)];
    await using h = await harness([...early, ...ROUNDS, asking, reply("Done.", usage(16_000))]);
    await h.engine.submit({ prompt: "go" });
    expect(of(h.events, "words_added")).toHaveLength(1);
    // What the note said does not hold any more.
    expect(notes(h.engine.state.messages)).toEqual([]);
    expect(of(h.events, "compacted").map(({ why }) => why)).toEqual(["full"]);
    expect(of(h.events, "compacted")[0]?.preTokens).toBeLessThan(32_400);
  });

  test("that is asked to be compacted too early says when room is made", async () => {
    const early = round(12_000, "[compact]");
    await using h = await harness([early, round(14_000), reply("Done.", usage(16_000))]);
    await h.engine.submit({ prompt: "go" });
    expect(of(h.events, "compacted")).toEqual([]);
    expect(of(h.events, "words_added").map(({ prompt }) => prompt)).toEqual([expect.stringContaining("32,400")]);
  });

  test("that is asked to be compacted without a note is compacted as soon as that is worth it", async () => {
    const before = [10_000, 11_600, 13_200, 14_800, 16_400, 18_000, 19_600].map((tokens) => round(tokens));
    await using h = await harness([...before, round(21_200, "[compact]"), reply("Done.", usage(16_000))]);
    await h.engine.submit({ prompt: "go" });
    expect(of(h.events, "compacted").map(({ why }) => why)).toEqual(["full"]);
  });

  deepTest("is named before the warning limit where two more rounds would fill it", async () => {
    const large = [round(8_000), round(14_000), round(20_000), round(22_000)];
    await using h = await harness([...large, reply("Done.", usage(26_000))]);
    await h.engine.submit({ prompt: "go" });
    expect(notes(h.engine.state.messages)).toHaveLength(1);
  });

  test("is not named where it is compacted before the next request", async () => {
    await using h = await harness([round(8_000), round(31_000), reply("Done.", usage(20_000))]);
    await h.engine.submit({ prompt: "go" });
    expect(notes(h.engine.state.messages)).toEqual([]);
  });

  test("that is not compacted on its own tells the model to finish", async () => {
    const scenario = [...ROUNDS, reply("Done.", usage(7_600))];
    await using h = await harness(scenario, { auto: false });
    await h.engine.submit({ prompt: "go" });
    expect(JSON.stringify(notes(h.engine.state.messages))).toContain("finish what matters most");
  });
});

test("an undone change of a person's own does not hold automatic compaction back; an undone summary does", async () => {
  const usage = { usage: { inputTokens: 8_000, outputTokens: 10 } };
  const undone = async (change: (h: Awaited<ReturnType<typeof engineHarness>>) => unknown) => {
    const filler = testTool("Small", { run: async (text) => textResult(`${text} `.repeat(600)) });
    const rounds = [0, 1, 2, 3].map((at) => reply([toolUse("Small", { text: `at ${at}` }, `t${at}`)]));
    const scenario = [
      ...rounds,
      reply("Done.", usage),
      reply("Again.", { usage: { inputTokens: 8_000, outputTokens: 300 } }),
    ];
    await using h = await engineHarness({ tools: [filler], windowTokens: 10_000, scenario });
    await h.engine.submit({ prompt: "go" });
    await change(h);
    h.engine.undoCompaction();
    const before = of(h.events, "compacted").length;
    await h.engine.submit({ prompt: "and so on ".repeat(60) });
    return of(h.events, "compacted").length - before;
  };
  const stub = { type: "tool_result", toolUseId: "t0", content: "[Cleared by the user]", isError: false } as const;
  const edited = ({ engine }: Awaited<ReturnType<typeof engineHarness>>) => {
    const messageId = engine.state.messages.find(({ content }) => JSON.stringify(content).includes('"toolUseId":"t0"'));
    engine.editContext({ compaction: { stubs: [{ messageId: messageId?.id ?? "", at: 0, block: stub }], note: "" } });
  };
  expect(await undone(edited)).toBe(1);
  expect(await undone(({ engine }) => engine.compact())).toBe(0);
});

deepTest(
  "after an undo the size is that of the whole, although an answer came while the compaction was in force",
  async () => {
    const tokens = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 10 } });
    const scenario = [
      reply([toolUse("Large", { text: "a" }, "t0")], tokens(2_000)),
      reply("Done.", tokens(60_000)),
      reply("Short.", tokens(5_000)),
    ];
    await using h = await engineHarness({ tools: [LARGE], windowTokens: 1_000_000, scenario });
    await h.engine.submit({ prompt: "go" });
    const { messages } = h.engine.state;
    const place = messages.findIndex(({ content }) => JSON.stringify(content).includes('"toolUseId":"t0"'));
    const block = { type: "tool_result", toolUseId: "t0", content: "[Cleared]", isError: false } as const;
    const stubs = [{ messageId: messages[place]?.id ?? "", at: 0, block }];
    h.engine.editContext({ compaction: { stubs, note: "" } });
    await h.engine.submit({ prompt: "and now?" });
    expect(h.engine.conversation.tokens.inputTokens(0)).toBeLessThan(10_000);
    h.engine.undoCompaction();
    expect(h.engine.conversation.tokens.inputTokens(0)).toBeGreaterThan(60_000);
  },
);
