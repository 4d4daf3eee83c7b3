import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, type Reply, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { EngineEvent, Outcome } from "../../src/contracts/event.ts";
import type { Hooks } from "../../src/contracts/hook.ts";
import type { Message } from "../../src/contracts/message.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { project } from "../../src/engine/project.ts";
import { compactionStages } from "../../src/services/context/compaction/compaction-stages.ts";
import { deepTest, testOrDeep } from "../support/deep.ts";
import { engineHarness, pairingProblems, testTool, until } from "../support/engine-harness.ts";

setDefaultTimeout(60_000);

const SUMMARY = "<summary>\n## Goal\nCount the birds.\n## Next step\nAnswer.\n</summary>";
const PROSE =
  "The user and I went through many lines about birds, part by part. All questions so far were answered. The user wants short answers. Next I answer the newest question.";
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tooLong = failing(fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum"));

type Harness = Awaited<ReturnType<typeof engineHarness>>;
const of = <Type extends EngineEvent["type"]>({ events }: Harness, type: Type) =>
  events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type);
const isSummaryRequest = (body: unknown) => JSON.stringify(body).includes("write a summary that will stand in place");
const tokensOf = (body: unknown) => Math.ceil(JSON.stringify(body).length / 4);
const lines = (count: number, topic: string) =>
  Array.from({ length: count }, (_, at) => `${topic} line ${at} lorem ipsum dolor sit amet consectetur`).join("\n");

/** A server with this window: it refuses what does not fit, answers a summary request as told, and reports usage. */
function server(windowTokens: number, summary: () => Reply, answer: (body: unknown) => Reply = () => reply("Yes.")) {
  return ({ body }: { readonly body: unknown }): Reply => {
    const { max_tokens: maxTokens = 0 } = body as { readonly max_tokens?: number };
    if (tokensOf(body) + Math.min(maxTokens, 500) > windowTokens) return tooLong;
    return isSummaryRequest(body) ? summary() : answer(body);
  };
}

/** A conversation of text alone, of about 1,700 tokens a turn. */
function talk(turns: number): readonly Message[] {
  return Array.from({ length: turns }, (_, at): readonly Message[] => [
    { role: "user", id: `u${at}`, content: [{ type: "text", text: lines(60, `question ${at}`) }] },
    {
      role: "assistant",
      id: `a${at}`,
      model: "m",
      content: [{ type: "text", text: lines(60, `answer ${at}`) }],
      stopReason: "end_turn",
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ]).flat();
}

const refused = { ...reply("I can't help with that."), stopReason: "refusal" } as Reply;
const SUMMARISERS: Readonly<Record<string, () => Reply>> = {
  "writes a summary": () => reply(SUMMARY),
  "writes plain prose": () => reply(PROSE),
  "answers nothing": () => reply(""),
  refuses: () => refused,
  "refuses in words": () =>
    reply(
      "I'm sorry, but I can't help with that request. Please ask me something else, and I will gladly try to help.",
    ),
  "calls a tool": () => reply([toolUse("Look", { text: "x" })]),
  "answers too long": () => reply(lines(1_500, "summary")),
  "is down": () => failing(fault.badRequest("The model is gone.")),
};

function expectSound(h: Harness): void {
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
  const resumed = project(h.log.pathTo(h.engine.conversation.lastId ?? ""));
  expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(h.engine.state.messages));
}

describe("a conversation that is larger than the window goes on", () => {
  const look = testTool("Look");
  for (const windowTokens of [8_000, 32_000, 40_000])
    for (const [name, summary] of Object.entries(SUMMARISERS))
      testOrDeep(windowTokens === 8_000)(`in a window of ${windowTokens} tokens when the model ${name}`, async () => {
        const compactor = compactionStages({ canRecall: true });
        const messages = talk(windowTokens / 600);
        const scenario = server(windowTokens, summary);
        await using h = await engineHarness({ windowTokens, compactor, messages, tools: [look], scenario });
        for (const prompt of ["a short question", "and another"])
          expect((await h.engine.submit({ prompt })).outcome).toEqual({ reason: "completed" });
        // No request was larger than the window, summaries included.
        const sizes = h.twin.requests.map(({ body }) => tokensOf(body));
        expect(Math.max(...sizes)).toBeLessThan(windowTokens);
        expect(h.twin.requests.length).toBeLessThan(16);
        expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("a short question");
        expectSound(h);
      });
});

test.each([
  ["their number", "too many images and documents: 12 + 0 > 10"],
  ["one of them", "messages.0.content.1.image.source.base64.data: Could not process image"],
])("a summary whose request is refused because of the images, %s, is made from the text", async (_, why) => {
  const image = { type: "image", mediaType: "image/png", data: PNG } as const;
  const messages = talk(6).map((message) =>
    message.role === "user" ? { ...message, content: [...message.content, image, image] } : message,
  );
  const scenario = ({ body }: { readonly body: unknown }): Reply => {
    const hasImages = JSON.stringify(body).includes('"type":"image"');
    const lastText = JSON.stringify((body as { messages: readonly unknown[] }).messages.at(-1));
    if (!lastText.includes("## Goal")) return reply("Yes.");
    return hasImages ? failing(fault.badRequest(why)) : reply(SUMMARY);
  };
  const compactor = compactionStages({ canRecall: true });
  await using h = await engineHarness({ windowTokens: 16_000, compactor, messages, scenario });
  expect(await h.engine.compact()).toBeNumber();
  expect(of(h, "notice").map(({ message }) => message)).toEqual([]);
  expect(of(h, "compacted").length).toBeGreaterThan(0);
});

test("messages that were left out keep their ids for Recall, and one line says what was left out", async () => {
  const compactor = compactionStages({ canRecall: true });
  const scenario = server(16_000, () => reply(""));
  await using h = await engineHarness({ windowTokens: 16_000, compactor, messages: talk(12), scenario });
  await h.engine.submit({ prompt: "a short question" });
  expect(JSON.stringify(h.engine.state.messages)).toContain("restored-");
  expect(
    of(h, "compacted")
      .map(({ note }) => note)
      .filter((note) => /\d+ (older )?messages/.test(note)),
  ).toHaveLength(1);
});

deepTest("without a model that writes summaries, the last resort keeps an earlier summary", async () => {
  let asked = 0;
  const first = () => (asked++ === 0 ? reply(SUMMARY) : reply(""));
  const compactor = compactionStages({ canRecall: true });
  const answer = () => reply(lines(120, "answer"));
  await using h = await engineHarness({ windowTokens: 16_000, compactor, scenario: server(16_000, first, answer) });
  for (let turn = 0; turn < 12; turn += 1)
    expect((await h.engine.submit({ prompt: `${turn} ${lines(40, "question")}` })).outcome.reason).toBe("completed");
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("Count the birds.");
  expectSound(h);
});

describe("three failed summaries in a row", () => {
  deepTest("are no dead end: the last resort needs no model", async () => {
    const compactor = compactionStages({ canRecall: true });
    const scenario = server(
      16_000,
      () => failing(fault.badRequest("No.")),
      () => reply(lines(60, "answer")),
    );
    await using h = await engineHarness({ windowTokens: 16_000, compactor, scenario });
    for (let turn = 0; turn < 30; turn += 1)
      expect((await h.engine.submit({ prompt: `${turn} ${lines(60, "question")}` })).outcome.reason).toBe("completed");
    const summaries = h.twin.requests.filter(({ body }) => isSummaryRequest(body));
    expect(summaries.length).toBeLessThan(10);
    expectSound(h);
  });
});

describe("in a turn that fills the window", () => {
  const big = testTool("Look", { run: async (text) => textResult(`${text} ${lines(900, "seen")}`) });
  deepTest("results larger than the window, thinking and parallel calls end no turn", async () => {
    let rounds = 0;
    const answer = () => {
      rounds += 1;
      if (rounds > 12) return reply("Done.");
      return reply([
        thinking(`thought ${rounds}`),
        ...[1, 2, 3].map((at) => toolUse("Look", { text: `${rounds}.${at}` })),
      ]);
    };
    const compactor = compactionStages({ canRecall: true });
    const scenario = server(20_000, () => reply(""), answer);
    await using h = await engineHarness({
      windowTokens: 20_000,
      compactor,
      tools: [big],
      scenario,
      options: { thinking: 1_024 },
    });
    expect((await h.engine.submit({ prompt: "look at everything" })).outcome).toEqual({ reason: "completed" });
    expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("look at everything");
    expectSound(h);
  });

  deepTest("a call with an input larger than the window ends no turn", async () => {
    let rounds = 0;
    const answer = () => {
      rounds += 1;
      return rounds > 4 ? reply("Done.") : reply([toolUse("Look", { text: lines(1_500, `input ${rounds}`) })]);
    };
    const compactor = compactionStages({ canRecall: true });
    const scenario = server(20_000, () => reply(SUMMARY), answer);
    const small = testTool("Look", { run: async () => textResult("ok") });
    await using h = await engineHarness({ windowTokens: 20_000, compactor, tools: [small], scenario });
    expect((await h.engine.submit({ prompt: "write everything" })).outcome).toEqual({ reason: "completed" });
    expectSound(h);
  });
});

test("a system prompt and tools that nearly fill the window leave room for a conversation", async () => {
  const wordy = { ...testTool("Look"), summary: "Look" };
  const many = Array.from({ length: 40 }, (_, at) => {
    const tool = testTool(`Tool${at}`);
    return { ...tool, description: lines(9, `tool ${at}`) };
  });
  const compactor = compactionStages({ canRecall: true });
  const windowTokens = 10_400;
  await using h = await engineHarness({
    ...{ windowTokens, compactor, tools: [wordy, ...many] },
    scenario: server(
      windowTokens,
      () => reply(SUMMARY),
      () => reply(lines(20, "answer")),
    ),
  });
  const outcomes = [];
  for (let turn = 0; turn < 8; turn += 1)
    outcomes.push((await h.engine.submit({ prompt: `${turn} ${lines(10, "question")}` })).outcome);
  expect(outcomes).toEqual(outcomes.map(() => ({ reason: "completed" })));
  expectSound(h);
});

describe("a prompt that is too large by itself", () => {
  const huge = lines(4_000, "log");

  test("is refused before it is sent, leaves the conversation, and the next prompt works", async () => {
    const compactor = compactionStages({ canRecall: true });
    const scenario = server(40_000, () => reply(SUMMARY));
    await using h = await engineHarness({ windowTokens: 40_000, compactor, scenario });
    await h.engine.submit({ prompt: "first" });
    const before = [...h.engine.state.messages];
    const { outcome } = await h.engine.submit({ prompt: huge });
    expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringMatching(/file/) });
    expect(h.twin.requests).toHaveLength(1);
    expect(h.engine.state.messages).toEqual(before);
    expect((await h.engine.submit({ prompt: "short" })).outcome).toEqual({ reason: "completed" });
    expect(JSON.stringify(h.twin.requests.at(-1)?.body)).not.toContain("log line 3 ");
    expectSound(h);
  });

  deepTest("is taken back with the notes that it carried: they go with the next prompt", async () => {
    const scenario = server(40_000, () => reply(SUMMARY));
    await using h = await engineHarness({
      windowTokens: 40_000,
      compactor: compactionStages({ canRecall: true }),
      scenario,
    });
    await h.engine.submit({ prompt: "first" });
    h.engine.userMessages.addNote("a note about a command");
    await h.engine.submit({ prompt: huge });
    await h.engine.submit({ prompt: "short" });
    expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("a note about a command");
  });

  deepTest("is shortened where an older file of a session still holds it", async () => {
    const messages: readonly Message[] = [{ role: "user", id: "old", content: [{ type: "text", text: huge }] }];
    const scenario = server(40_000, () => reply(SUMMARY));
    await using h = await engineHarness({
      windowTokens: 40_000,
      compactor: compactionStages({ canRecall: true }),
      messages,
      scenario,
    });
    expect((await h.engine.submit({ prompt: "short" })).outcome).toEqual({ reason: "completed" });
    expectSound(h);
  });
});

test("a server whose window is smaller than the one that Quoll takes it for gets a request that fits", async () => {
  const scenario = server(9_000, () => reply(SUMMARY));
  await using h = await engineHarness({
    ...{ windowTokens: 200_000, compactor: compactionStages({ canRecall: true }) },
    messages: talk(20),
    scenario,
  });
  expect((await h.engine.submit({ prompt: "a short question" })).outcome).toEqual({ reason: "completed" });
  expectSound(h);
});

test("another model that can't write the summary is replaced by the session's own", async () => {
  const compactor = compactionStages({ canRecall: true });
  const models: unknown[] = [];
  const scenario = ({ body }: { readonly body: unknown }): Reply => {
    if (!isSummaryRequest(body)) return reply("Yes.");
    const { model } = body as { readonly model: string };
    models.push(model);
    return models.length === 1 ? failing(fault.badRequest("This model is gone.")) : reply(SUMMARY);
  };
  await using h = await engineHarness({ compactor, messages: talk(12), summaryModel: "fast", scenario });
  expect(await h.engine.compact()).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(2);
});

describe("where compaction does not run as usual", () => {
  const full = { windowTokens: 16_000, compactor: compactionStages({ canRecall: true }) };
  const silent = server(
    16_000,
    () => reply(""),
    () => reply(lines(60, "answer")),
  );

  test("a conversation that is compacted only on demand goes on after /compact, also without a summary", async () => {
    await using h = await engineHarness({ ...full, windowSettings: { auto: false }, scenario: silent });
    let outcome: Outcome = { reason: "completed" };
    for (let turn = 0; turn < 12 && outcome.reason === "completed"; turn += 1)
      outcome = (await h.engine.submit({ prompt: `${turn} ${lines(60, "question")}` })).outcome;
    expect(outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("/compact") });
    expect(await h.engine.compact()).toBeGreaterThan(0);
    expect((await h.engine.submit({ prompt: "short" })).outcome).toEqual({ reason: "completed" });
    expectSound(h);
  });

  deepTest("a hook that forbids summaries does not end the session", async () => {
    const hooks: Hooks = {
      wants: (event: string) => event === "PreCompact",
      run: async () => ({ block: { reason: "not now" } }),
    } as Hooks;
    await using h = await engineHarness({ ...full, hooks, scenario: silent });
    for (let turn = 0; turn < 12; turn += 1)
      expect((await h.engine.submit({ prompt: `${turn} ${lines(60, "question")}` })).outcome.reason).toBe("completed");
    expectSound(h);
  });

  test("a message that is too large and arrives during a turn ends the turn, and the next prompt works", async () => {
    const gate = Promise.withResolvers<void>();
    const look = testTool("Look", {
      run: async () => {
        await gate.promise;
        return textResult("ok");
      },
    });
    let asked = 0;
    const answer = () => (asked++ === 0 ? reply([toolUse("Look", { text: "x" })]) : reply("Yes."));
    const scenario = server(16_000, () => reply(""), answer);
    await using h = await engineHarness({ ...full, tools: [look], scenario });
    const turn = h.engine.submit({ prompt: "first" });
    await until(() => h.events.some(({ type }) => type === "tool_started"));
    h.engine.enqueue({ prompt: lines(3_000, "log") }, "steer");
    gate.resolve();
    expect((await turn).outcome).toMatchObject({ reason: "stopped_short", message: expect.stringContaining("file") });
    expect((await h.engine.submit({ prompt: "short" })).outcome).toEqual({ reason: "completed" });
    expectSound(h);
  });

  deepTest("pins that take more than the window of another model are left out", async () => {
    const messages = talk(12);
    await using h = await engineHarness({ ...full, messages, scenario: silent });
    h.engine.editContext({ pinned: messages.filter(({ role }) => role === "user").map(({ id }) => id) });
    expect((await h.engine.submit({ prompt: "short" })).outcome).toEqual({ reason: "completed" });
    expectSound(h);
  });
});
