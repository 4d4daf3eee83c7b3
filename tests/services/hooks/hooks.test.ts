import { describe, expect, test } from "bun:test";
import type { HookCommon, HookEvent, HookInput, HookOutcome, Hooks } from "../../../src/contracts/hook.ts";
import { hookCaller, notingInputs } from "../../../src/faces/headless/call-inputs.ts";
import { ControlChannel } from "../../../src/faces/headless/control-channel.ts";
import { callbackHooks } from "../../../src/services/hooks/callback-hooks.ts";
import { combineHooks, mergeOutcomes } from "../../../src/services/hooks/combine-hooks.ts";
import { readHookAnswer } from "../../../src/services/hooks/hook-answer.ts";
import { hookMatches, matcherProblem } from "../../../src/services/hooks/hook-matcher.ts";
import { HookRunner } from "../../../src/services/hooks/run-hooks.ts";
import { countedIds } from "../../support/engine-harness.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("a matcher", () => {
  const CASES: readonly (readonly [matcher: string | undefined, name: string, matches: boolean])[] = [
    [undefined, "Read", true],
    ["", "Read", true],
    ["*", "Read", true],
    ["Read", "Read", true],
    ["Read", "ReadAll", false],
    ["Edit|Write", "Write", true],
    ["Edit, Write", "Write", true],
    ["Edit|Write", "WriteAll", false],
    ["mcp__memory__.*", "mcp__memory__add", true],
    ["mcp__memory__.*", "mcp__other__add", false],
    ["Not.*", "MyNotebook", true],
    ["^Not.*", "MyNotebook", false],
    ["(", "Read", false],
  ];
  test.each(CASES)("%j over %s: %p", (matcher, name, matches) => {
    expect(hookMatches(matcher, name)).toBe(matches);
  });

  test.each([
    ["Task", "Agent", true],
    ["Task", "TaskCreate", false],
    ["Task.*", "TaskCreate", true],
    ["Task|Bash", "Agent", true],
    ["MultiEdit", "Edit", true],
    ["MultiEdit", "Write", false],
    ["^(Write|MultiEdit)$", "Edit", true],
    ["^(Write|MultiEdit)$", "Bash", false],
    ["\\bMultiEdit\\b", "Edit", true],
    ["^(?!Task$).*", "Agent", false],
    ["^(?!Task$).*", "Bash", true],
    ["^(?!Bash$).*", "Bash", false],
    ["[Task]x", "Agent", false],
    ["BashOutput|KillShell", "TaskStop", true],
    ["run_shell_command", "Bash", true],
    ["read_file|read_many_files", "Read", true],
    ["replace|write_file", "Edit", true],
    ["replace|write_file", "Write", true],
    ["apply_patch", "Write", true],
    ["edit", "Edit", true],
    ["^(bash|edit)$", "Bash", true],
    ["mcp__task__.*", "Agent", false],
    ["mcp__task__.*", "mcp__task__add", true],
    ["mcp__.*", "Agent", false],
  ] as const)("of tools takes a former name or another agent's: %j over %s: %p", (matcher, name, matches) => {
    expect(hookMatches(matcher, name, true)).toBe(matches);
  });

  test("of another kind takes no name of a tool", () => {
    expect([hookMatches("Task", "Agent"), hookMatches("task|x", "Agent"), hookMatches("^Task$", "Agent")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("that can't be read is told", () => {
    expect([matcherProblem("("), matcherProblem("a|b"), matcherProblem("x.*"), matcherProblem("")]).toEqual([
      "it is not a regular expression",
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("a hook's answer", () => {
  test("refuses although another of its fields is invalid", () => {
    const answer = {
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: 5, updatedInput: "x" },
    };
    expect(readHookAnswer("PreToolUse", answer)).toEqual({ permission: { decision: "deny", reason: "5" } });
    expect(readHookAnswer("Stop", { decision: "block", reason: ["a"], systemMessage: 1 })).toEqual({
      block: { reason: '["a"]' },
    });
  });

  test("may give its verdict outside of hookSpecificOutput", () => {
    const answer = { permissionDecision: "deny", permissionDecisionReason: "no" };
    expect(readHookAnswer("PreToolUse", answer)).toEqual({ permission: { decision: "deny", reason: "no" } });
  });

  test("before a call becomes a verdict, also in the older words", () => {
    const specific = (fields: object) => readHookAnswer("PreToolUse", { hookSpecificOutput: fields });
    expect(specific({ permissionDecision: "deny", permissionDecisionReason: "no" })).toEqual({
      permission: { decision: "deny", reason: "no" },
    });
    expect(specific({ permissionDecision: "defer" })).toEqual({
      permission: { decision: "ask", reason: "no reason was given" },
    });
    expect(specific({ updatedInput: { a: 1 }, additionalContext: "by the way" })).toEqual({
      updatedInput: { a: 1 },
      additionalContext: "by the way",
    });
    expect(readHookAnswer("PreToolUse", { decision: "approve", reason: "ok" })).toEqual({
      permission: { decision: "allow", reason: "ok" },
    });
    expect(readHookAnswer("PreToolUse", { decision: "block", reason: "no" })).toEqual({
      permission: { decision: "deny", reason: "no" },
    });
  });

  test("that blocks is a block whatever else it allows", () => {
    const both = { decision: "block", reason: "no", hookSpecificOutput: { permissionDecision: "allow" } };
    expect(readHookAnswer("PreToolUse", both)).toMatchObject({ block: { reason: "no" } });
  });

  test("elsewhere blocks, adds and stops", () => {
    const answer = {
      decision: "block",
      reason: "once more",
      continue: false,
      stopReason: "enough",
      systemMessage: "a word",
      hookSpecificOutput: { additionalContext: "context", permissionDecision: "deny", updatedInput: {} },
      suppressOutput: true,
    };
    expect(readHookAnswer("Stop", answer)).toEqual({
      block: { reason: "once more" },
      additionalContext: "context",
      systemMessage: "a word",
      stop: { reason: "enough" },
    });
    expect(readHookAnswer("Stop", {})).toEqual({});
    expect(readHookAnswer("Stop", { async: true, decision: "approve" })).toEqual({});
  });

  test("after a call may bring another result, as text, as blocks of either kind or as anything", () => {
    const output = (fields: object, tool = "Read") =>
      readHookAnswer("PostToolUse", { hookSpecificOutput: fields }, tool).updatedOutput;
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    expect(output({ updatedToolOutput: "short" })).toBe("short");
    expect(output({ updatedToolOutput: "" })).toBe("");
    expect(
      output({
        updatedToolOutput: [
          { type: "text", text: "a" },
          { type: "image", source },
        ],
      }),
    ).toEqual([{ type: "text", text: "a" }, image]);
    expect(
      output({ updatedToolOutput: { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] } }),
    ).toEqual([image]);
    expect(output({ updatedToolOutput: { stdout: "a", stderr: "" } })).toBe('{"stdout":"a","stderr":""}');
    expect(output({ updatedToolOutput: [{ type: "text" }] })).toBe('[{"type":"text"}]');
    expect(output({ updatedToolOutput: null })).toBeUndefined();
    // The older field is for tools of servers alone, and the newer one goes first.
    expect(output({ updatedMCPToolOutput: "old" })).toBeUndefined();
    expect(output({ updatedMCPToolOutput: "old" }, "mcp__a__b")).toBe("old");
    expect(output({ updatedMCPToolOutput: "old", updatedToolOutput: "new" }, "mcp__a__b")).toBe("new");
    expect(readHookAnswer("PreToolUse", { hookSpecificOutput: { updatedToolOutput: "x" } })).toEqual({});
  });

  test("that is not valid is reported with the invalid field", () => {
    expect(() => readHookAnswer("Stop", { decision: "maybe" })).toThrow(/not a valid hook answer \(`decision` must be/);
    expect(() => readHookAnswer("Stop", { hookSpecificOutput: { additionalContext: 7 } })).toThrow("additionalContext");
  });

  test("combines several hooks: the strictest verdict, the last input, all texts", () => {
    const ask = { decision: "ask", reason: "hm" } as const;
    const merged = mergeOutcomes([
      { permission: { decision: "allow", reason: "fine" }, additionalContext: "a", updatedInput: { n: 1 } },
      { permission: ask, systemMessage: "s", updatedInput: { n: 2 } },
      { permission: { decision: "ask", reason: "too" }, additionalContext: "b", stop: { reason: "stop" } },
      { block: { reason: "no" }, updatedOutput: "a" },
      { updatedOutput: "" },
    ]);
    expect(merged).toEqual({
      block: { reason: "no" },
      permission: ask,
      updatedInput: { n: 2 },
      updatedOutput: "",
      additionalContext: "a\nb",
      systemMessage: "s",
      stop: { reason: "stop" },
    });
    expect(mergeOutcomes([])).toEqual({});
  });
});

type Sent = {
  readonly id: string;
  readonly callback: string;
  readonly input: Record<string, unknown>;
  readonly use: unknown;
};

function callbacks(hooks: Readonly<Record<string, unknown>>, words?: string) {
  const sent: Sent[] = [];
  const cancelled: unknown[] = [];
  const clock = fakeClock();
  const channel = new ControlChannel({
    ids: countedIds(),
    write: (line) => {
      if (line["type"] !== "control_request") return void cancelled.push(line["request_id"]);
      const { callback_id, input, tool_use_id } = line["request"] as Record<string, unknown>;
      const id = String(line["request_id"]);
      sent.push({ id, callback: String(callback_id), input: input as Record<string, unknown>, use: tool_use_id });
    },
  });
  const replaced: unknown[] = [];
  const inputs = { replace: (id: string, input: unknown) => void replaced.push([id, input]) };
  const registered = callbackHooks(
    hookCaller(channel, () => words),
    clock,
  );
  const remarks = registered.register(hooks);
  const made = notingInputs(registered, inputs);
  return { hooks: made, channel, clock, sent, cancelled, replaced, remarks };
}

const COMMON: HookCommon = { sessionId: "s", transcriptPath: "/t.jsonl", cwd: "/w", mode: "default" };
const never = () => new AbortController().signal;
const call: HookInput = { event: "PreToolUse", toolName: "Write", toolUseId: "t1", toolInput: { a: 1 } };
const hook = (id: string, more: object = {}) => ({ hookCallbackIds: [id], ...more });

describe("callbacks", () => {
  test("are called side by side with what happened, each once, and their answers are merged", async () => {
    const h = callbacks({
      PreToolUse: [hook("h0", { matcher: "Write" }), hook("h1"), hook("h0"), hook("h2", { matcher: "Bash" })],
    });
    expect([h.hooks.wants("PreToolUse", "Write"), h.hooks.wants("Stop")]).toEqual([true, false]);
    const outcome = h.hooks.run({ ...call, ...COMMON }, never());
    expect(h.sent.map(({ callback, use }) => [callback, use])).toEqual([
      ["h0", "t1"],
      ["h1", "t1"],
    ]);
    expect(h.sent[0]?.input).toEqual({
      hook_event_name: "PreToolUse",
      session_id: "s",
      transcript_path: "/t.jsonl",
      cwd: "/w",
      permission_mode: "default",
      tool_name: "Write",
      tool_input: { a: 1 },
      tool_use_id: "t1",
    });
    h.channel.settle("id-2", { response: { systemMessage: "later" } });
    h.channel.settle("id-1", { response: { hookSpecificOutput: { updatedInput: { a: 2 } } } });
    expect(await outcome).toEqual({ updatedInput: { a: 2 }, systemMessage: "later" });
    expect(h.replaced).toEqual([["t1", { a: 2 }]]);
  });

  test("for a call that failed have an event of their own", async () => {
    const h = callbacks({ PostToolUse: [hook("ok")], PostToolUseFailure: [hook("bad", { matcher: "Write" })] });
    expect([h.hooks.wants("PostToolUse", "Write"), h.hooks.wants("PostToolUse", "Read")]).toEqual([true, true]);
    const about = {
      toolName: "Write",
      toolUseId: "t1",
      toolInput: {},
      toolResponse: "text",
      durationMs: 7,
      ...COMMON,
    } as const;
    void h.hooks.run({ event: "PostToolUse", isError: true, ...about }, never());
    void h.hooks.run({ event: "PostToolUse", isError: false, ...about }, never());
    expect(
      h.sent.map(({ callback, input }) => [callback, input["hook_event_name"], input["error"], input["tool_response"]]),
    ).toEqual([
      ["bad", "PostToolUseFailure", "text", undefined],
      ["ok", "PostToolUse", undefined, "text"],
    ]);
  });

  test("get the fields of each event, and all that was said", () => {
    const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
    const h = callbacks(Object.fromEntries(events.map((event) => [event, [hook(event)]])), "all of it");
    void h.hooks.run({ event: "SessionStart", source: "resume", model: "m", ...COMMON }, never());
    void h.hooks.run({ event: "UserPromptSubmit", prompt: "it", ...COMMON }, never());
    void h.hooks.run({ event: "Stop", isAgain: true, lastText: "Bye.", ...COMMON }, never());
    void h.hooks.run({ event: "SessionEnd", reason: "exit", ...COMMON }, never());
    const common = new Set(Object.keys({ session_id: 0, transcript_path: 0, cwd: 0, permission_mode: 0 }));
    const own = h.sent.map(({ input }) =>
      Object.fromEntries(Object.entries(input).filter(([key]) => !common.has(key))),
    );
    expect(own).toEqual([
      { hook_event_name: "SessionStart", source: "resume", model: "m" },
      { hook_event_name: "UserPromptSubmit", prompt: "all of it", source: "sdk" },
      { hook_event_name: "Stop", stop_hook_active: true, last_assistant_message: "Bye." },
      { hook_event_name: "SessionEnd", reason: "other" },
    ]);
  });

  test("of a session's start are chosen by its source", async () => {
    const h = callbacks({ SessionStart: [hook("r", { matcher: "resume" })] });
    expect(await h.hooks.run({ event: "SessionStart", source: "startup", model: "m", ...COMMON }, never())).toEqual({});
    expect(h.sent).toEqual([]);
  });

  test("that fail, answer nonsense or take too long say nothing, and the person is told", async () => {
    const h = callbacks({ PreToolUse: [hook("a"), hook("b"), hook("c", { timeout: 5 })] });
    const outcome = h.hooks.run({ ...call, ...COMMON }, never());
    h.channel.settle("id-1", { error: "it threw" });
    h.channel.settle("id-2", { response: { decision: 7 } });
    await h.clock.advance(5_000);
    const { systemMessage = "", ...rest } = await outcome;
    expect(rest).toEqual({});
    expect(systemMessage.split("\n")).toEqual([
      "A hook for PreToolUse failed: it threw. Quoll continued without the hook.",
      expect.stringContaining("not a valid hook answer"),
      "A hook for PreToolUse failed: it did not answer within 5 s. Quoll continued without the hook.",
    ]);
    expect(h.cancelled).toEqual(["id-3"]);
  });

  test("whose answers have no effect here are reported, once", async () => {
    const h = callbacks({ SessionStart: [hook("a"), hook("b")] });
    const start = { event: "SessionStart", source: "startup", model: "m", ...COMMON } as const;
    const outcome = h.hooks.run(start, never());
    const response = { systemMessage: "hi", hookSpecificOutput: { initialUserMessage: "x", sessionTitle: "y" } };
    h.channel.settle("id-1", { response });
    h.channel.settle("id-2", { response });
    const remark = "A hook for SessionStart answered with initialUserMessage, sessionTitle, which has no effect here.";
    expect(await outcome).toEqual({ systemMessage: `hi\n${remark}\nhi` });
  });

  test("that say so block when they fail, but never keep a turn from ending", async () => {
    const strict = [hook("a", { onFailure: "block" })];
    const h = callbacks({ PreToolUse: strict, Stop: strict });
    const outcome = h.hooks.run({ ...call, ...COMMON }, never());
    h.channel.settle("id-1", { error: "it threw" });
    expect(await outcome).toMatchObject({ block: { reason: "A hook for PreToolUse failed: it threw." } });
    const stop = h.hooks.run({ event: "Stop", isAgain: false, lastText: "", ...COMMON }, never());
    h.channel.settle("id-2", { error: "it threw" });
    expect(await stop).not.toHaveProperty("block");
  });

  test("are withdrawn when the turn is broken off", async () => {
    const h = callbacks({ PreToolUse: [hook("a")] });
    const abort = new AbortController();
    const outcome = h.hooks.run({ ...call, ...COMMON }, abort.signal);
    abort.abort(new Error("Esc"));
    await expect(outcome).rejects.toThrow("Esc");
    expect(h.cancelled).toEqual(["id-1"]);
  });

  test("for SessionEnd are still called after the client has disconnected", async () => {
    const h = callbacks({ SessionEnd: [hook("bye")], Stop: [hook("stop")] });
    h.channel.close("gone");
    expect(await h.hooks.run({ event: "SessionEnd", reason: "exit", ...COMMON }, never())).toEqual({});
    expect(h.sent.map(({ callback }) => callback)).toEqual(["bye"]);
    const stop = await h.hooks.run({ event: "Stop", isAgain: false, lastText: "", ...COMMON }, never());
    expect(stop).toEqual({ systemMessage: "A hook for Stop failed: gone. Quoll continued without the hook." });
  });

  test("for an event that never happens, or with an unreadable matcher, are reported", () => {
    const h = callbacks({
      TeammateIdle: [hook("a")],
      Stop: [],
      Notification: null,
      PreToolUse: [hook("b", { matcher: "(" })],
    });
    expect(h.remarks).toEqual([
      "Quoll accepts hooks for TeammateIdle but never calls them: this event does not exist yet.",
      'The matcher "(" of PreToolUse matches nothing: it is not a regular expression.',
    ]);
  });

  test("that are not formed as registrations are an error with their event", () => {
    expect(() => callbacks({ Stop: [{ hookCallbackIds: "h0" }] })).toThrow("hooks.Stop: expected a list");
    expect(() => callbacks({ Stop: [hook("a", { timeout: -1 })] })).toThrow("hooks.Stop");
  });
});

describe("one failure rule", () => {
  const EVENTS = {
    SessionStart: { event: "SessionStart", source: "startup", model: "m" },
    UserPromptSubmit: { event: "UserPromptSubmit", prompt: "p" },
    PreToolUse: call,
    PostToolUse: {
      ...{ event: "PostToolUse", toolName: "Read", toolUseId: "t", toolInput: {} },
      ...{ toolResponse: "r", isError: false, durationMs: 1 },
    },
    Stop: { event: "Stop", isAgain: false, lastText: "" },
    SessionEnd: { event: "SessionEnd", reason: "clear" },
  } as const satisfies Record<string, HookInput>;
  const FAILURES = {
    throws: { run: () => Promise.reject(new Error("it broke")), why: "it broke" },
    "answers nonsense": { run: async () => ({ decision: 7 }), why: "not a valid hook answer" },
    "takes too long": {
      why: "it did not answer within 2 s",
      run: (_: object, signal: AbortSignal) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        }),
    },
  } as const;
  const cases = Object.entries(EVENTS).flatMap(([event, input]) =>
    Object.entries(FAILURES).map(([kind, failure]) => [event, kind, input, failure] as const),
  );

  test.each(cases)("a hook for %s that %s says nothing, or blocks where it was registered so", async (...one) => {
    const [event, , input, { run, why }] = one;
    const clock = fakeClock();
    const outcome = async (blocksOnFailure: boolean) => {
      const runner = new HookRunner(clock);
      runner.register([{ id: "h", event, timeoutMs: 2_000, blocksOnFailure, run }]);
      const [said] = await Promise.all([runner.run({ ...input, ...COMMON }, never()), clock.advance(2_000)]);
      return said;
    };
    const { systemMessage, ...rest } = await outcome(false);
    expect(systemMessage).toContain(why);
    expect(rest).toEqual({});
    const strict = await outcome(true);
    expect(strict.systemMessage).toContain(why);
    expect(strict.block?.reason ?? "").toContain(event === "Stop" ? "" : why);
    expect("block" in strict).toBe(event !== "Stop");
  });
});

describe("hooks of several sources", () => {
  const saying = (outcome: HookOutcome, ...events: readonly HookEvent[]): Hooks => ({
    wants: (event) => events.includes(event),
    run: async () => outcome,
  });

  test("are asked where one of them listens, and their answers are merged", async () => {
    const all = combineHooks([
      saying({ permission: { decision: "allow", reason: "fine" }, additionalContext: "a" }, "PreToolUse"),
      saying({ permission: { decision: "deny", reason: "no" }, additionalContext: "b" }, "PreToolUse", "Stop"),
      saying({ block: { reason: "not asked" } }, "SessionEnd"),
    ]);
    expect([all.wants("PreToolUse"), all.wants("Stop"), all.wants("SessionStart")]).toEqual([true, true, false]);
    expect(await all.run({ ...call, ...COMMON }, never())).toEqual({
      permission: { decision: "deny", reason: "no" },
      additionalContext: "a\nb",
    });
  });

  test("continue without the hook that fails", async () => {
    const broken: Hooks = { wants: () => true, run: () => Promise.reject(new Error("it broke")) };
    const all = combineHooks([broken, saying({ additionalContext: "b" }, "PreToolUse")]);
    expect(await all.run({ ...call, ...COMMON }, never())).toEqual({
      additionalContext: "b",
      systemMessage: "A hook for PreToolUse failed: it broke. Quoll continued without the hook.",
    });
    await expect(all.run({ ...call, ...COMMON }, AbortSignal.abort(new Error("Esc")))).rejects.toThrow("Esc");
  });

  test("of which there are none are never asked", () => {
    expect(combineHooks([]).wants("PreToolUse", "Read")).toBe(false);
  });
});
