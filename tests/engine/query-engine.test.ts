import { expect, test } from "bun:test";
import { fault, rawToolUse, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { ToolFailedError } from "../../src/contracts/errors.ts";
import { type ToolResult, textResult } from "../../src/contracts/tool.ts";
import { project } from "../../src/engine/project.ts";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { answering, engineHarness, pairingProblems, testTool, until } from "../support/engine-harness.ts";

const bodies = (twin: { requests: readonly { body: unknown }[] }) =>
  twin.requests.map(
    ({ body }) =>
      body as {
        messages: { role: string; content: { type: string; text?: string; content?: unknown; is_error?: boolean }[] }[];
        tools: unknown;
        system: unknown;
        max_tokens: number;
      },
  );

test("an answer without calls ends the turn, with the usage that the API reported", async () => {
  await using h = await engineHarness({
    scenario: [reply("Hello.", { usage: { inputTokens: 100, outputTokens: 7, cacheReadTokens: 50 } })],
  });
  const report = await h.engine.submit({ prompt: "hi" });
  expect(report.outcome).toEqual({ reason: "completed" });
  expect(report.text).toBe("Hello.");
  expect(report.usage).toEqual({ inputTokens: 100, outputTokens: 7, cacheReadTokens: 50, cacheWriteTokens: 0 });
  expect(report.costUsd).toBeGreaterThan(0);
  expect(h.types()).toEqual([
    "busy_changed",
    "turn_started",
    "request_started",
    "assistant_message",
    "context_changed",
    "turn_finished",
    "busy_changed",
  ]);
  expect(h.written.map((entry) => (entry === "sync" ? "sync" : entry.kind))).toEqual([
    "user",
    "sync",
    "assistant",
    "turn_finished",
    "sync",
  ]);
});

test("the first message carries the place, and the person's own words come last", async () => {
  await using h = await engineHarness({ scenario: [reply("One."), reply("Two.")] });
  await h.engine.submit({ prompt: "first", attachments: [{ type: "text", text: "piped" }] });
  await h.engine.submit({ prompt: "second" });
  const [one, two] = bodies(h.twin);
  expect(one?.messages[0]?.content.map((block) => block.text)).toEqual([
    "<environment>test</environment>",
    "piped",
    "first",
  ]);
  expect(two?.messages.at(-1)?.content.map((block) => block.text)).toEqual(["second"]);
  expect(two?.tools).toEqual(one?.tools);
});

test("results come in call order, and the next request carries them", async () => {
  const tools = [
    testTool("Slow", {
      run: async (t) => {
        await new Promise((resolve) => setImmediate(resolve));
        return textResult(`slow ${t}`);
      },
    }),
    testTool("Fast"),
  ];
  await using h = await engineHarness({
    tools,
    scenario: [
      reply([toolUse("Slow", { text: "a" }), toolUse("Fast", { text: "b" }), toolUse("Slow", { text: "c" })]),
      reply("Done."),
    ],
  });
  const report = await h.engine.submit({ prompt: "go" });
  expect(report.steps).toBe(2);
  expect(
    bodies(h.twin)[1]
      ?.messages.at(-1)
      ?.content.map((block) => block.content),
  ).toEqual(["slow a", "Fast: b", "slow c"]);
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
});

test("a safe call runs while the stream continues; a call behind an unsafe call waits for its turn", async () => {
  const order: string[] = [];
  let streaming = true;
  const note = (name: string) => async (t: string) => {
    order.push(`${name} ${t}${streaming ? " early" : ""}`);
    return textResult("ok");
  };
  const tools = [testTool("Look", { run: note("Look") }), testTool("Change", { level: "write", run: note("Change") })];
  await using h = await engineHarness({
    tools,
    scenario: [
      reply(
        [
          toolUse("Look", { text: "1" }),
          toolUse("Change", { text: "2" }),
          toolUse("Look", { text: "3" }),
          toolUse("Change", { text: "4" }),
        ],
        { paceMs: 3 },
      ),
      reply("Done."),
    ],
  });
  h.engine.subscribe(({ event }) => {
    if (event.type === "assistant_message") streaming = false;
  });
  await h.engine.submit({ prompt: "go" });
  expect(order).toEqual(["Look 1 early", "Change 2", "Look 3", "Change 4"]);
});

test("a call is prepared after the earlier calls of its message, whose effects it may need", async () => {
  let isRead = false;
  const gate = Promise.withResolvers<void>();
  const tools = [
    testTool("Look", {
      run: async () => {
        await gate.promise;
        isRead = true;
        return textResult("read");
      },
    }),
    testTool("Change", {
      level: "write",
      prepare: () => {
        if (!isRead) throw new ToolFailedError("not read yet");
      },
    }),
  ];
  await using h = await engineHarness({
    tools,
    scenario: [
      reply([toolUse("Look", { text: "a" }), toolUse("Change", { text: "a" }), toolUse("Change", { text: "b" })]),
      reply("Done."),
    ],
  });
  const turn = h.engine.submit({ prompt: "go" });
  await until(() => h.types().includes("assistant_message"));
  gate.resolve();
  await turn;
  expect(
    bodies(h.twin)[1]
      ?.messages.at(-1)
      ?.content.map((block) => block.content),
  ).toEqual(["read", "Change: a", "Change: b"]);
});

test("a call that no other call of its message precedes is prepared once", async () => {
  const prepared: string[] = [];
  const change = testTool("Change", { level: "write", prepare: () => void prepared.push("Change") });
  const scenario = [reply([toolUse("Change", { text: "a" })]), reply("Done.")];
  await using h = await engineHarness({ tools: [change], scenario });
  await h.engine.submit({ prompt: "go" });
  expect(prepared).toEqual(["Change"]);
});

test("at most ten calls run side by side", async () => {
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const run = async (): Promise<ToolResult> => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
    return textResult("ok");
  };
  const calls = Array.from({ length: 14 }, (_, i) => toolUse("Wait", { text: String(i) }));
  await using h = await engineHarness({ tools: [testTool("Wait", { run })], scenario: [reply(calls), reply("Done.")] });
  const turn = h.engine.submit({ prompt: "go" });
  await until(() => h.events.some(({ type }) => type === "assistant_message") && running === 10);
  gate.resolve();
  await turn;
  expect(most).toBe(10);
});

test("an unsafe call never runs beside another", async () => {
  let running = 0;
  let overlap = false;
  const run = async (): Promise<ToolResult> => {
    running += 1;
    overlap ||= running > 1;
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return textResult("ok");
  };
  const tools = [testTool("Look", { run }), testTool("Change", { level: "write", run })];
  await using h = await engineHarness({
    tools,
    scenario: [
      reply([
        toolUse("Change", { text: "1" }),
        toolUse("Change", { text: "2" }),
        toolUse("Look", { text: "3" }),
        toolUse("Change", { text: "4" }),
      ]),
      reply("Done."),
    ],
  });
  await h.engine.submit({ prompt: "go" });
  expect(overlap).toBe(false);
});

test("a call's log entry is written before it runs, and synced unless it only reads", async () => {
  const before: Record<string, string[]> = {};
  let kinds = (): string[] => [];
  const see = (name: string) => async () => {
    before[name] = kinds().slice(-2);
    return textResult("ok");
  };
  const tools = [testTool("Look", { run: see("Look") }), testTool("Change", { level: "write", run: see("Change") })];
  await using h = await engineHarness({
    tools,
    scenario: [reply([toolUse("Look", { text: "1" })]), reply([toolUse("Change", { text: "2" })]), reply("Done.")],
  });
  kinds = () => h.written.map((entry) => (entry === "sync" ? "sync" : entry.kind));
  await h.engine.submit({ prompt: "go" });
  expect(before["Look"]?.at(-1)).toBe("tool_started");
  expect(before["Change"]).toEqual(["tool_started", "sync"]);
});

test("results of calls from a stream that broke are thrown away, and the retried answer counts", async () => {
  const ran: string[] = [];
  const tools = [
    testTool("Look", {
      run: async (t) => {
        ran.push(t);
        return textResult(`saw ${t}`);
      },
    }),
  ];
  await using h = await engineHarness({
    tools,
    scenario: [
      reply([toolUse("Look", { text: "lost" }), text("and a long text that will be cut somewhere in its middle")], {
        paceMs: 2,
        deltaChars: 8,
        fault: fault.cut({ deltas: 8 }),
      }),
      reply([toolUse("Look", { text: "kept" })]),
      reply("Done."),
    ],
  });
  const report = await h.engine.submit({ prompt: "go" });
  expect(report.outcome).toEqual({ reason: "completed" });
  expect(ran).toEqual(["lost", "kept"]);
  expect(h.types()).toContain("restarted");
  expect(h.types()).toContain("tool_discarded");
  expect(
    bodies(h.twin)
      .at(-1)
      ?.messages.at(-1)
      ?.content.map((block) => block.content),
  ).toEqual(["saw kept"]);
});

test("the model learns of a refusal, bad input, an unknown tool and broken JSON, and the conversation continues", async () => {
  const permissions = answering(({ call }) =>
    call.title === "forbidden"
      ? { decision: "deny", decidedBy: { kind: "rule" }, message: "The user said no.", unanswered: false }
      : undefined,
  );
  const tools = [
    testTool("Look"),
    testTool("Bad", {
      run: async () => {
        throw new Error("boom");
      },
    }),
  ];
  await using h = await engineHarness({
    tools,
    permissions,
    scenario: [
      reply([
        toolUse("Look", { text: "forbidden" }),
        toolUse("Look", { wrong: 1 }),
        toolUse("Lok", { text: "x" }),
        rawToolUse("Look", '{"text": "cut off'),
        toolUse("look", { text: "corrected" }),
        toolUse("Bad", { text: "x" }),
      ]),
      reply("Done."),
    ],
  });
  const report = await h.engine.submit({ prompt: "go" });
  expect(report.outcome).toEqual({ reason: "completed" });
  expect(report.denials.map(({ toolName, decidedBy, unanswered }) => ({ toolName, decidedBy, unanswered }))).toEqual([
    { toolName: "Look", decidedBy: { kind: "rule" }, unanswered: false },
  ]);
  const results = bodies(h.twin)[1]
    ?.messages.at(-1)
    ?.content.map(({ content, is_error }) => [content, is_error ?? false]);
  expect(results).toEqual([
    ["The user said no.", true],
    [expect.stringContaining("`text` is missing"), true],
    ['There is no tool named "Lok". Did you mean Look?', true],
    [expect.stringContaining("not valid JSON"), true],
    [expect.stringContaining("the tool `look` was taken as `Look`"), false],
    [expect.stringContaining("boom"), true],
  ]);
});

test("the step limit ends the turn with a valid history", async () => {
  await using h = await engineHarness({
    tools: [testTool("Look")],
    maxSteps: 2,
    scenario: (_, i) => reply([toolUse("Look", { text: String(i) })]),
  });
  const report = await h.engine.submit({ prompt: "go" });
  expect(report.outcome).toEqual({ reason: "step_limit", steps: 2 });
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
});

test.each([
  ["refusal", "stopped_short"],
  ["max_tokens", "stopped_short"],
  ["model_context_window_exceeded", "stopped_short"],
  ["stop_sequence", "completed"],
  ["end_turn", "completed"],
] as const)("a stop for %s is a turn that %s", async (stopReason, reason) => {
  await using h = await engineHarness({ scenario: () => reply("Text.", { stopReason }) });
  expect((await h.engine.submit({ prompt: "go" })).outcome.reason).toBe(reason);
});

test("a paused turn continues, and a turn that pauses forever is stopped", async () => {
  await using h = await engineHarness({
    scenario: (_, i) => reply(`Part ${i}.`, i === 1 ? {} : { stopReason: "pause_turn" }),
  });
  expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
  expect(h.events.filter(({ type }) => type === "continued")).toEqual([{ type: "continued", reason: "pause_turn" }]);
  expect((await h.engine.submit({ prompt: "again" })).outcome.reason).toBe("stopped_short");
});

test("an error of the provider ends the turn as failed and keeps the session usable", async () => {
  await using h = await engineHarness({ scenario: [{ content: [], fault: fault.badRequest("no") }, reply("Better.")] });
  const failed = await h.engine.submit({ prompt: "go" });
  expect(failed.outcome).toMatchObject({ reason: "failed", status: 400 });
  expect((await h.engine.submit({ prompt: "again" })).text).toBe("Better.");
});

testOrDeep(!isDeep)(
  "an interrupt at any event leaves a history that the next turn can be sent with",
  async () => {
    const script = () => [
      reply(
        [
          text("Looking at both files now."),
          toolUse("Look", { text: "a" }),
          toolUse("Look", { text: "b" }),
          toolUse("Change", { text: "c" }),
        ],
        { deltaChars: 4 },
      ),
      reply("Done."),
    ];
    const hang = (t: string, signal: AbortSignal) =>
      new Promise<ToolResult>((resolve) => {
        if (signal.aborted) resolve(textResult(`${t} broken off`, { isError: true }));
        signal.addEventListener("abort", () => resolve(textResult(`${t} broken off`, { isError: true })), {
          once: true,
        });
        setImmediate(() => setImmediate(() => resolve(textResult(t))));
      });
    const tools = [testTool("Look", { run: hang }), testTool("Change", { level: "write", run: hang })];
    await using dry = await engineHarness({ tools, scenario: script() });
    await dry.engine.submit({ prompt: "go" });
    const total = dry.events.length;
    expect(total).toBeGreaterThan(20);
    for (let at = 0; at < total - 1; at += isDeep ? 1 : 3) {
      await using h = await engineHarness({
        tools,
        scenario: [...script(), reply("More."), reply("More."), reply("More.")],
      });
      let seen = 0;
      h.engine.subscribe(() => {
        if (seen++ === at) h.engine.interrupt();
      });
      const report = await h.engine.submit({ prompt: "go" });
      expect([at, report.outcome.reason]).toEqual([
        at,
        report.outcome.reason === "completed" ? "completed" : "aborted",
      ]);
      expect([at, pairingProblems(h.engine.state.messages)]).toEqual([at, []]);
      const next = await h.engine.submit({ prompt: "and now?" });
      expect([at, next.outcome.reason]).toEqual([at, "completed"]);
      expect([at, h.twin.requests.flatMap(({ rejected }) => rejected)]).toEqual([at, []]);
    }
  },
  60_000,
);

test("a result that is too large goes to a file, with its beginning and the path in its place", async () => {
  const saved: string[] = [];
  const big = "x".repeat(150_000);
  await using h = await engineHarness({
    saved,
    tools: [testTool("Look", { run: async () => textResult(big) })],
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
  });
  await h.engine.submit({ prompt: "go" });
  const content = String(bodies(h.twin)[1]?.messages.at(-1)?.content[0]?.content);
  expect(saved).toEqual([big]);
  expect(content).toStartWith("x".repeat(2_000));
  expect(content).toContain("150000 characters");
  expect(content.length).toBeLessThan(2_500);
});

test("a result that is too large and can't be saved is shown in part, and the conversation continues", async () => {
  const saved: string[] = [];
  saved.push = () => {
    throw new Error("ENOSPC: no space left");
  };
  await using h = await engineHarness({
    saved,
    tools: [testTool("Look", { run: async () => textResult("x".repeat(150_000)) })],
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
  });
  expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "completed" });
  const content = String(bodies(h.twin)[1]?.messages.at(-1)?.content[0]?.content);
  expect(content).toContain("could not be written to a file (ENOSPC: no space left)");
});

test("a log that can't be written ends the turn as failed, with what was said before, and nothing else", async () => {
  const crashed: unknown[] = [];
  const onCrash = (error: unknown) => void crashed.push(error);
  process.on("unhandledRejection", onCrash);
  await using h = await engineHarness({
    tools: [testTool("Look")],
    scenario: [
      reply([toolUse("Look", { text: "a" })]),
      reply([toolUse("Look", { text: "b" }), toolUse("Look", { text: "long ".repeat(200) })], { paceMs: 1 }),
    ],
  });
  let finished = 0;
  h.written.push = (body) => {
    if (body !== "sync" && body.kind === "tool_finished" && ++finished > 1) throw new Error("ENOSPC");
    return 0;
  };
  const { outcome } = await h.engine.submit({ prompt: "go" });
  process.off("unhandledRejection", onCrash);
  expect(outcome).toEqual({ reason: "failed", message: "ENOSPC" });
  // The second answer is in the log: a resumed session would have it, too.
  expect(h.engine.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(h.engine.state.messages).toEqual(project(h.entries).messages);
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  expect(crashed).toEqual([]);
});

test("only one turn runs at a time, and clear and a change of model wait for its end", async () => {
  const gate = Promise.withResolvers<void>();
  await using h = await engineHarness({
    tools: [
      testTool("Look", {
        run: async () => {
          await gate.promise;
          return textResult("ok");
        },
      }),
    ],
    scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
  });
  const turn = h.engine.submit({ prompt: "go" });
  await until(() => h.types().includes("tool_started"));
  expect(h.engine.submit({ prompt: "two" })).rejects.toThrow("already running");
  expect(() => h.engine.clear()).toThrow("A turn is running");
  expect(h.engine.setModel("fast")).rejects.toThrow("A turn is running");
  gate.resolve();
  await turn;
  h.engine.clear();
  expect(h.engine.state.messages).toEqual([]);
});

test("two inputs of the same id both reach the model, and stay apart in the log", async () => {
  await using h = await engineHarness({ scenario: [reply("One."), reply("Two.")] });
  await h.engine.submit({ prompt: "first", id: "same" });
  await h.engine.submit({ prompt: "second", id: "same" });
  const ids = h.engine.state.messages.map(({ id }) => id);
  expect([ids[0], new Set(ids).size]).toEqual(["same", 4]);
  expect(project(h.entries).messages).toEqual(h.engine.state.messages);
});

test("clearing and going back are reported, and the prompts of the abandoned branch no longer count", async () => {
  await using h = await engineHarness({ scenario: ["One.", "Two.", "Three."].map((words) => reply(words)) });
  await h.engine.submit({ prompt: "first" });
  const here = h.engine.conversation.lastId ?? "";
  await h.engine.submit({ prompt: "a dead end" });
  h.engine.moves.moveTo(here);
  await h.engine.submit({ prompt: "another way" });
  expect(h.state.prompts).toEqual(["first", "another way"]);
  h.engine.clear();
  expect(h.state.prompts).toEqual([]);
  const changes = h.events.flatMap((event) => (event.type === "conversation_changed" ? [event.by] : []));
  expect(changes).toEqual(["move", "clear"]);
});

test("the note of plan mode names the tool that hands a plan over, only if the model has it", async () => {
  for (const [name, isNamed] of [
    ["ExitPlanMode", true],
    ["Look", false],
  ] as const) {
    const permissions = { ...answering(), mode: "plan" as const };
    await using h = await engineHarness({ tools: [testTool(name)], permissions, scenario: [reply("A plan.")] });
    await h.engine.submit({ prompt: "go" });
    const sent = JSON.stringify(h.engine.state.messages[0]);
    expect([sent.includes("Plan mode is on"), sent.includes("ExitPlanMode")]).toEqual([true, isNamed]);
  }
});
