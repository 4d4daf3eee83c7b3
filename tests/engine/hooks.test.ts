import { describe, expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import type { HookInput, HookOutcome, Hooks } from "../../src/contracts/hook.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { answering, engineHarness, pairingProblems, testTool, until } from "../support/engine-harness.ts";

type Sent = { readonly role: string; readonly content: readonly { readonly type: string; readonly text?: string }[] };
const sent = (request: { body: unknown } | undefined) =>
  (request?.body as { messages: readonly Sent[] } | undefined)?.messages ?? [];
const lastText = (request: { body: unknown } | undefined) => sent(request).at(-1)?.content.at(-1)?.text;
const results = (request: { body: unknown } | undefined) =>
  sent(request)
    .at(-1)
    ?.content.flatMap((block) =>
      block.type === "tool_result" ? [(block as unknown as { content: unknown }).content] : [],
    );
const LOOK = [testTool("Look"), testTool("Change", { level: "write" })];

type Answer = HookOutcome | Promise<HookOutcome>;
const hooking = (answer: (input: HookInput, signal: AbortSignal) => Answer) => {
  const seen: HookInput[] = [];
  const hooks: Hooks = {
    wants: () => true,
    run: async (input, signal) => {
      seen.push(input);
      return answer(input, signal);
    },
  };
  return { hooks, seen };
};

describe("hooks", () => {
  test("receive session, prompt, call, result and end, and their output reaches the model", async () => {
    const { hooks, seen } = hooking(({ event }) => (event === "Stop" ? {} : { additionalContext: `about ${event}` }));
    await using h = await engineHarness({
      tools: LOOK,
      hooks,
      scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
    });
    await h.engine.submit({ prompt: "go" });
    await h.engine.close();
    expect(seen.map(({ event }) => event)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PostToolBatch",
      "MessageDisplay",
      "Stop",
      "SessionEnd",
    ]);
    const first = JSON.stringify(sent(h.twin.requests[0]));
    expect(first).toContain("about SessionStart");
    expect(first).toContain("about UserPromptSubmit");
    expect(results(h.twin.requests[1])).toEqual(["Look: a\nabout PreToolUse\nabout PostToolUse\nabout PostToolBatch"]);
    expect(seen.at(-2)).toMatchObject({ event: "Stop", isAgain: false, lastText: "Done." });
  });

  test("may refuse a prompt, and nothing is sent", async () => {
    const { hooks } = hooking(({ event }) => (event === "UserPromptSubmit" ? { block: { reason: "not today" } } : {}));
    await using h = await engineHarness({ hooks, scenario: [] });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.outcome).toEqual({ reason: "stopped_short", message: "A hook refused the prompt: not today" });
    expect([h.twin.requests.length, h.engine.state.messages.length]).toEqual([0, 0]);
  });

  test("see words that steer the running turn before the model does, and may refuse them or add to them", async () => {
    const { hooks, seen } = hooking((input) => {
      if (input.event !== "UserPromptSubmit" || input.prompt === "go") return {};
      return input.prompt === "leak" ? { block: { reason: "not that" } } : { additionalContext: "by the way" };
    });
    const enqueue = () => {
      for (const prompt of ["leak", "faster"]) h.engine.enqueue({ prompt }, "steer");
    };
    await using h = await engineHarness({
      tools: [testTool("Look", { run: async () => textResult(`${enqueue() ?? "seen"}`) })],
      hooks,
      scenario: [reply([toolUse("Look", { text: "a" })]), reply("Done.")],
    });
    await h.engine.submit({ prompt: "go" });
    expect(seen.flatMap((input) => (input.event === "UserPromptSubmit" ? [input.prompt] : []))).toEqual([
      "go",
      "leak",
      "faster",
    ]);
    const texts = sent(h.twin.requests[1])
      .at(-1)
      ?.content.flatMap(({ text }) => text ?? []);
    expect(texts).toEqual(["by the way", "faster"]);
    expect(h.events).toContainEqual({ type: "notice", message: "A hook refused the input: not that" });
    expect(h.engine.state.queue).toEqual([]);
  });

  test("that still think of such words when the turn is broken off leave them waiting", async () => {
    const { hooks } = hooking((input) => {
      if (input.event === "UserPromptSubmit" && input.prompt === "more") h.engine.interrupt();
      return {};
    });
    await using h = await engineHarness({
      tools: [testTool("Look", { run: async () => textResult(h.engine.enqueue({ prompt: "more" }, "steer")) })],
      hooks: {
        ...hooks,
        run: async (input, signal) => {
          const said = await hooks.run(input, signal);
          signal.throwIfAborted();
          return said;
        },
      },
      scenario: [reply([toolUse("Look", { text: "a" })])],
    });
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "aborted" } });
    expect(h.engine.state.queue.map(({ prompt }) => prompt)).toEqual(["more"]);
  });

  test("may refuse a call, or give it another input", async () => {
    const { hooks, seen } = hooking((input) => {
      if (input.event !== "PreToolUse") return {};
      return input.toolName === "Change"
        ? { permission: { decision: "deny", reason: "read-only day" } }
        : { updatedInput: { text: "other" } };
    });
    await using h = await engineHarness({
      tools: LOOK,
      hooks,
      scenario: [reply([toolUse("Change", { text: "a" }), toolUse("Look", { text: "b" })]), reply("Done.")],
    });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report.denials).toMatchObject([{ toolName: "Change", decidedBy: { kind: "hook" }, unanswered: false }]);
    expect(results(h.twin.requests[1])).toEqual(["Refused by a hook of the user: read-only day", "Look: other"]);
    // A call that did not run has no result to report; a call that ran is reported with its real input.
    expect(seen.filter(({ event }) => event === "PostToolUse")).toMatchObject([
      { toolName: "Look", toolInput: { text: "other" }, toolResponse: "Look: other", isError: false },
    ]);
  });

  test("may send the model on instead of stopping, a few times at most", async () => {
    const { hooks, seen } = hooking(({ event }) => (event === "Stop" ? { block: { reason: "tests are red" } } : {}));
    await using h = await engineHarness({ hooks, scenario: () => reply("Done.") });
    const report = await h.engine.submit({ prompt: "go" });
    expect(report).toMatchObject({ outcome: { reason: "completed" }, steps: 6 });
    const stops = seen.filter(({ event }) => event === "Stop");
    expect(stops.map((stop) => stop.event === "Stop" && stop.isAgain)).toEqual([false, true, true, true, true]);
    expect(lastText(h.twin.requests[1])).toContain("tests are red");
    const notices = h.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
    expect(notices).toEqual(["Hooks kept the turn from ending 5 times, so it was ended."]);
  });

  test("may put something else in the place of a result that went well, and never of an error", async () => {
    const { hooks } = hooking(({ event }) =>
      event === "PostToolUse"
        ? { updatedOutput: [{ type: "text", text: "[hidden]" }], additionalContext: "ask me" }
        : {},
    );
    const fail = testTool("Fail", { run: async () => textResult("it broke", { isError: true }) });
    await using h = await engineHarness({
      tools: [...LOOK, fail],
      hooks,
      scenario: [reply([toolUse("Look", { text: "secret" }), toolUse("Fail", { text: "x" })]), reply("Done.")],
    });
    await h.engine.submit({ prompt: "go" });
    const [looked, failed] = results(h.twin.requests[1]) ?? [];
    expect(looked).toEqual([
      { type: "text", text: "[hidden]" },
      { type: "text", text: "ask me" },
    ]);
    expect(failed).toBe("it broke\nask me");
    expect(JSON.stringify(h.twin.requests[1])).not.toContain("Look: secret");
    expect(JSON.stringify(h.written)).not.toContain("Look: secret");
  });

  test("speak to the model about a call that is then refused by someone else", async () => {
    const { hooks, seen } = hooking(({ event }) =>
      event === "PreToolUse" ? { additionalContext: "Writes need a ticket." } : {},
    );
    const permissions = answering(() => ({
      decision: "deny",
      decidedBy: { kind: "rule", reason: "a rule" },
      message: "No writing.",
      unanswered: false,
    }));
    await using h = await engineHarness({
      tools: LOOK,
      hooks,
      permissions,
      scenario: [reply([toolUse("Change", { text: "a" })]), reply("Done.")],
    });
    await h.engine.submit({ prompt: "go" });
    expect(results(h.twin.requests[1])).toEqual(["No writing.\nWrites need a ticket."]);
    expect(seen.map(({ event }) => event)).not.toContain("PostToolUse");
  });

  test("go on with a word for the model at the end of a turn", async () => {
    const { hooks } = hooking((input) =>
      input.event === "Stop" && !input.isAgain ? { additionalContext: "The build is green." } : {},
    );
    await using h = await engineHarness({ hooks, scenario: [reply("Done?"), reply("Done.")] });
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ text: "Done.", steps: 2 });
    expect(lastText(h.twin.requests[1])).toBe("The build is green.");
  });

  test.each(["PreToolUse", "PostToolUse"] as const)(
    "end the turn at %s with the reason that they give, and the history stays whole",
    async (where) => {
      const { hooks } = hooking(({ event }) => (event === where ? { stop: { reason: "enough for today" } } : {}));
      const ran: string[] = [];
      const change = testTool("Change", {
        level: "write",
        run: async (text) => {
          ran.push(text);
          return textResult("changed");
        },
      });
      await using h = await engineHarness({
        tools: [change],
        hooks,
        scenario: [reply([toolUse("Change", { text: "a" }), toolUse("Change", { text: "b" })]), reply("Again.")],
      });
      const report = await h.engine.submit({ prompt: "go" });
      const message = "A hook ended the turn: enough for today";
      expect(report.outcome).toEqual({ reason: "stopped_short", message });
      expect(ran).toEqual(where === "PreToolUse" ? [] : ["a"]);
      expect(pairingProblems(h.engine.state.messages)).toEqual([]);
      expect(await h.engine.submit({ prompt: "go on" })).toMatchObject({ text: "Again." });
    },
  );

  test("end the first turn before it begins", async () => {
    const { hooks } = hooking(({ event }) =>
      event === "SessionStart" ? { stop: { reason: "closed on Sundays" } } : {},
    );
    await using h = await engineHarness({ hooks, scenario: [] });
    const message = "A hook ended the session's first turn: closed on Sundays";
    expect((await h.engine.submit({ prompt: "go" })).outcome).toEqual({ reason: "stopped_short", message });
  });

  test("let a turn end although other hooks would continue it, and the person learns why", async () => {
    const { hooks } = hooking(({ event }) =>
      event === "Stop" ? { block: { reason: "once more" }, stop: { reason: "no more money" } } : {},
    );
    await using h = await engineHarness({ hooks, scenario: [reply("Done.")] });
    expect(await h.engine.submit({ prompt: "go" })).toMatchObject({ outcome: { reason: "completed" }, text: "Done." });
    expect(h.events).toContainEqual({ type: "notice", message: "A hook ended the turn: no more money" });
  });

  test("that are still thinking at the end of a turn don't cost its answer when it is broken off", async () => {
    const { hooks, seen } = hooking(({ event }, signal) =>
      event === "Stop"
        ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))
        : {},
    );
    await using h = await engineHarness({ hooks, scenario: [reply("Done."), reply("Again.")] });
    const turn = h.engine.submit({ prompt: "go" });
    await until(() => seen.some(({ event }) => event === "Stop"));
    h.engine.interrupt();
    expect(await turn).toMatchObject({ outcome: { reason: "aborted" }, text: "Done." });
    expect(h.engine.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("see a call that can't be made as the model wrote it, and may fix it", async () => {
    const { hooks, seen } = hooking((input) =>
      input.event === "PreToolUse" && JSON.stringify(input.toolInput) === '{"wrong":"a"}'
        ? { updatedInput: { text: "fixed" } }
        : {},
    );
    await using h = await engineHarness({
      tools: LOOK,
      hooks,
      scenario: [
        reply([toolUse("Look", { wrong: "a" }), toolUse("Look", { wrong: "b" }), toolUse("Nowhere", {})]),
        reply("Done."),
      ],
    });
    await h.engine.submit({ prompt: "go" });
    const [fixed, failed, unknown] = results(h.twin.requests[1]) ?? [];
    expect([fixed, failed, unknown]).toEqual([
      "Look: fixed",
      expect.stringContaining("text"),
      expect.stringContaining("Nowhere"),
    ]);
    const about = seen.flatMap((one) => ("toolName" in one ? [[one.event, one.toolName, one.toolInput]] : []));
    expect(about.toSorted()).toEqual([
      ["PostToolUse", "Look", { text: "fixed" }],
      ["PostToolUse", "Look", { wrong: "b" }],
      ["PreToolUse", "Look", { wrong: "a" }],
      ["PreToolUse", "Look", { wrong: "b" }],
    ]);
  });

  test("learn at SessionStart that the conversation was cleared", async () => {
    const { hooks, seen } = hooking(() => ({}));
    await using h = await engineHarness({ hooks, scenario: [reply("One."), reply("Two.")] });
    await h.engine.submit({ prompt: "go" });
    h.engine.clear();
    await h.engine.submit({ prompt: "again" });
    const starts = seen.flatMap((input) => (input.event === "SessionStart" ? [input.source] : []));
    expect(starts).toEqual(["startup", "clear"]);
  });
});
