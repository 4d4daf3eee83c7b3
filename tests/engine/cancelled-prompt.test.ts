import { expect, test } from "bun:test";
import { failing, fault, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import { PermissionDeniedError } from "../../src/contracts/errors.ts";
import type { Hooks } from "../../src/contracts/hook.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { project } from "../../src/engine/project.ts";
import { engineHarness, testTool, until } from "../support/engine-harness.ts";

type Block = { readonly type: string; readonly text?: string };
type Body = { readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[] };
type Harness = Awaited<ReturnType<typeof engineHarness>>;

const STOPPED = /stopped your last turn/;

/** The messages of the newest request. */
function lastSent({ twin }: Harness): Body["messages"] {
  return (twin.requests.at(-1)?.body as Body | undefined)?.messages ?? [];
}

/** The texts of the last message of the newest request. */
function lastTexts(h: Harness): readonly string[] {
  return (
    lastSent(h)
      .at(-1)
      ?.content.map((block) => block.text ?? block.type) ?? []
  );
}

/** Starts a turn and interrupts it as soon as `isDue`. */
async function interrupted(h: Harness, prompt: string, isDue: () => boolean, typed?: string) {
  const turn = h.engine.submit({ prompt, ...(typed !== undefined && { typed }) });
  await until(isDue);
  h.engine.interrupt();
  return turn;
}

const isSent =
  (h: Harness, count = 1) =>
  () =>
    h.twin.requests.length === count;
const saw = (h: Harness, type: string) => () => h.events.some((event) => event.type === type);

test("a prompt that was interrupted before its answer leaves the conversation, and its cost stays", async () => {
  await using h = await engineHarness({
    scenario: [reply("One."), { ...reply([thinking("Hm …")]), fault: fault.stall(3) }, reply("Hello.")],
  });
  await h.engine.submit({ prompt: "first" });
  await interrupted(h, "rm -rf everything", saw(h, "thinking_delta"));
  const { costUsd = 0, usage } = h.engine.state;
  expect(h.engine.takeBackPrompt()).toMatchObject({ prompt: "rm -rf everything" });
  expect(h.engine.prompts.map(({ text: words }) => words)).toEqual(["first"]);
  expect(h.state.prompts).toEqual(["first"]);
  expect(h.events.at(-1)).toEqual({ type: "conversation_changed", by: "take_back" });
  expect(h.engine.takeBackPrompt()).toBeUndefined();
  expect(h.engine.state).toMatchObject({ costUsd, usage });
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h)).toEqual(["hello"]);
});

test("a conversation whose only prompt was taken back begins again, also after it is resumed", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence()), reply("Hello.")] });
  await interrupted(h, "rm -rf everything", isSent(h));
  h.engine.takeBackPrompt();
  const path = h.log.pathTo(h.engine.conversation.lastId ?? "");
  expect(project(path).messages).toEqual([]);
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h)).toEqual(["<environment>test</environment>", "hello"]);
});

test("a prompt whose request failed can be taken back", async () => {
  await using h = await engineHarness({
    scenario: [failing(fault.badRequest("no")), reply("Hello.")],
  });
  const { outcome } = await h.engine.submit({ prompt: "rm -rf everything" });
  expect(outcome.reason).toBe("failed");
  expect(h.engine.takeBackPrompt()).toMatchObject({ prompt: "rm -rf everything" });
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h)).toEqual(["<environment>test</environment>", "hello"]);
});

test("inputs that wait behind a failed prompt wait on when the prompt is taken back", async () => {
  await using h = await engineHarness({
    scenario: [failing(fault.badRequest("no")), reply("First."), reply("Second.")],
  });
  h.engine.subscribe(({ event }) => {
    if (event.type === "turn_finished") h.engine.takeBackPrompt();
  });
  const turn = h.engine.submit({ prompt: "first" });
  h.engine.enqueue({ prompt: "second" }, "next");
  await turn;
  expect(h.events.findLast(({ type }) => type === "busy_changed")).toMatchObject({ interrupted: true });
  expect(h.engine.state.queue.map(({ prompt }) => prompt)).toEqual(["second"]);
  await h.engine.submit({ prompt: "first" });
  await until(isSent(h, 3));
  expect(lastTexts(h)).toEqual(["second"]);
});

test("without an editor, the next message says once that the person stopped the turn", async () => {
  await using h = await engineHarness({
    scenario: [failing(fault.silence()), reply("Hello."), reply("Yes.")],
  });
  await interrupted(h, "rm -rf everything", isSent(h));
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h)).toEqual([
    "<environment>test</environment>",
    "rm -rf everything",
    expect.stringMatching(STOPPED),
    "hello",
  ]);
  await h.engine.submit({ prompt: "again" });
  expect(lastTexts(h)).toEqual(["again"]);
});

test("a resumed session tells the model that its last turn was stopped", async () => {
  await using h = await engineHarness({ scenario: [reply("A long answer that streams.", { paceMs: 50 })] });
  await interrupted(h, "go", saw(h, "text_delta"));
  await using resumed = await engineHarness({
    scenario: [reply("Hello.")],
    session: {
      log: h.log,
      restored: {
        entries: h.log.pathTo(h.engine.conversation.lastId ?? ""),
        lastId: h.engine.conversation.lastId,
      },
    },
  });
  await resumed.engine.submit({ prompt: "hello" });
  expect(lastTexts(resumed)).toEqual([expect.stringMatching(STOPPED), "hello"]);
});

test("a broken-off answer stays, followed by the note", async () => {
  await using h = await engineHarness({
    scenario: [reply("A long answer that streams.", { paceMs: 50 }), reply("Hello.")],
  });
  await interrupted(h, "go", saw(h, "text_delta"));
  expect(h.engine.takeBackPrompt()).toBeUndefined();
  await h.engine.submit({ prompt: "hello" });
  expect(lastSent(h).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(lastTexts(h)).toEqual([expect.stringMatching(STOPPED), "hello"]);
});

test("a turn with a call keeps its prompt", async () => {
  const tools = [
    testTool("Wait", {
      run: (_, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("half")), { once: true })),
    }),
  ];
  await using h = await engineHarness({ tools, scenario: [reply([toolUse("Wait", { text: "a" })]), reply("Hello.")] });
  await interrupted(h, "go", saw(h, "tool_started"));
  expect(h.engine.takeBackPrompt()).toBeUndefined();
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h)).toEqual(["tool_result", expect.stringMatching(STOPPED), "hello"]);
});

test("a steered turn keeps its prompts", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence()), reply("Hello.")] });
  const turn = h.engine.submit({ prompt: "go" });
  h.engine.enqueue({ prompt: "this way" }, "steer");
  await until(isSent(h));
  h.engine.interrupt();
  await turn;
  expect(h.engine.takeBackPrompt()).toBeUndefined();
  await h.engine.submit({ prompt: "hello" });
  expect(lastTexts(h).slice(1)).toEqual(["go", "this way", expect.stringMatching(STOPPED), "hello"]);
});

test("a completed turn keeps its prompt", async () => {
  await using h = await engineHarness({ scenario: [reply("Hello.")] });
  await h.engine.submit({ prompt: "hi" });
  expect(h.engine.takeBackPrompt()).toBeUndefined();
});

test("commands of the person, notes of tasks and words of a starting session go with the next prompt instead", async () => {
  const hooks: Hooks = {
    wants: () => true,
    run: async (input) => {
      if (input.event === "SessionStart") return { additionalContext: "session context" };
      return input.event === "UserPromptSubmit" ? { additionalContext: `about ${input.prompt}` } : {};
    },
  };
  await using h = await engineHarness({ hooks, scenario: [failing(fault.silence()), reply("Hello.")] });
  h.engine.userMessages.addNote("The user ran ls.");
  h.engine.taskNews.addModelNote("task", "A task ended.");
  await interrupted(h, "rm -rf everything", isSent(h));
  expect(h.engine.takeBackPrompt()).toEqual({ prompt: "rm -rf everything" });
  await h.engine.submit({ prompt: "hello" });
  const texts = lastTexts(h);
  expect(texts.toSorted()).toEqual(
    [
      "<environment>test</environment>",
      "A task ended.",
      "The user ran ls.",
      "about hello",
      "hello",
      "session context",
    ].toSorted(),
  );
});

test("the text of a command comes back as the person typed it", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence())] });
  await interrupted(h, "Review everything.", isSent(h), "/review");
  expect(h.engine.takeBackPrompt()).toMatchObject({ typed: "/review" });
});

test("a turn without words of the person gives nothing back", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence())] });
  await interrupted(h, "There is news.", isSent(h), "");
  expect(h.engine.takeBackPrompt()).toBeUndefined();
});

test("a compaction behind the prompt stays when the prompt is taken back", async () => {
  const long = "word ".repeat(400);
  const stage = {
    name: "test",
    run: async () => ({ stubs: [], removedIds: ["id-2"], note: "Made room." }),
  };
  await using h = await engineHarness({
    compactor: [stage],
    scenario: [
      reply(long),
      failing(fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum")),
      failing(fault.silence()),
      reply("Hello."),
    ],
  });
  await h.engine.submit({ prompt: "first" });
  await interrupted(h, "second", isSent(h, 3));
  expect(h.events.some(({ type }) => type === "compacted")).toBe(true);
  expect(h.engine.takeBackPrompt()).toMatchObject({ prompt: "second" });
  await h.engine.submit({ prompt: "hello" });
  expect(JSON.stringify(lastSent(h))).not.toContain("second");
  expect(JSON.stringify(lastSent(h))).not.toContain("word word");
});

test("inputs that wait behind an interrupted turn go to the model in their order", async () => {
  await using h = await engineHarness({
    scenario: [failing(fault.silence()), reply("One."), reply("Two."), reply("Three."), reply("Four.")],
  });
  const turn = h.engine.submit({ prompt: "go" });
  await until(isSent(h));
  const first = h.engine.enqueue({ prompt: "a" }, "steer");
  h.engine.enqueue({ prompt: "b" }, "next");
  h.engine.enqueue({ prompt: "c" }, "steer");
  h.engine.enqueue({ prompt: "d" }, "steer");
  h.engine.interrupt();
  await turn;
  const input = h.engine.withdraw(first);
  await h.engine.submit(input ?? { prompt: "" });
  await until(() => h.engine.state.queue.length === 0 && !h.engine.state.busy);
  expect(h.engine.prompts.map(({ text }) => text)).toEqual(["go", "a", "b", "c", "d"]);
});

test("an input that is sent while a turn stops begins the queue when the turn has stopped", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence()), reply("One."), reply("Two.")] });
  const turn = h.engine.submit({ prompt: "go" });
  await until(isSent(h));
  h.engine.enqueue({ prompt: "before" }, "next");
  h.engine.interrupt();
  h.engine.enqueue({ prompt: "after" }, "steer");
  await turn;
  await until(() => h.engine.state.queue.length === 0 && !h.engine.state.busy);
  expect(h.engine.prompts.map(({ text }) => text)).toEqual(["go", "before", "after"]);
});

test("an input that is sent while a turn stops begins although the prompt of that turn is taken back", async () => {
  await using h = await engineHarness({ scenario: [failing(fault.silence()), reply("Hello.")] });
  h.engine.subscribe(({ event }) => {
    if (event.type === "turn_finished") h.engine.takeBackPrompt();
  });
  const turn = h.engine.submit({ prompt: "go" });
  await until(isSent(h));
  h.engine.interrupt();
  h.engine.enqueue({ prompt: "after" }, "steer");
  await turn;
  await until(isSent(h, 2));
  expect(lastTexts(h)).toEqual(["<environment>test</environment>", "after"]);
});

test("an input that is sent after an answer ended the turn begins when the turn has stopped", async () => {
  const gate = Promise.withResolvers<void>();
  const tools = [
    testTool("Wait", { run: () => gate.promise.then(() => textResult("waited")) }),
    testTool("Ask", {
      run: async () => {
        throw new PermissionDeniedError("Closed.", { decidedBy: { kind: "person" }, endsTurn: true });
      },
    }),
  ];
  const calls = reply([toolUse("Wait", { text: "a" }), toolUse("Ask", { text: "b" })]);
  await using h = await engineHarness({ tools, scenario: [calls, reply("Hello.")] });
  const turn = h.engine.submit({ prompt: "go" });
  await until(saw(h, "permission_denied"));
  h.engine.enqueue({ prompt: "after" }, "steer");
  gate.resolve();
  expect((await turn).outcome.reason).toBe("aborted");
  await until(isSent(h, 2));
  expect(lastTexts(h).at(-1)).toBe("after");
});

test.each([
  ["before the interrupt", () => undefined],
  ["for later", (h: Harness) => h.engine.enqueue({ prompt: "news", typed: "" }, "later")],
  [
    "before a second interrupt",
    (h: Harness) => {
      h.engine.enqueue({ prompt: "after" }, "steer");
      h.engine.interrupt();
    },
  ],
] as const)("an input that was sent %s waits for the person", async (_, then) => {
  await using h = await engineHarness({ scenario: [failing(fault.silence()), reply("Hello.")] });
  const turn = h.engine.submit({ prompt: "go" });
  await until(isSent(h));
  h.engine.enqueue({ prompt: "before" }, "next");
  h.engine.interrupt();
  then(h);
  await turn;
  expect(h.events.findLast(({ type }) => type === "busy_changed")).toMatchObject({ busy: false, interrupted: true });
  expect(h.engine.state.queue[0]).toMatchObject({ prompt: "before" });
});
