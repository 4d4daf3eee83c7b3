import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/contracts/message.ts";
import type { Reply } from "../../../src/contracts/question.ts";
import { CallInputs } from "../../../src/faces/headless/call-inputs.ts";
import { permissionRequest, readPermissionAnswer } from "../../../src/faces/headless/permission-answer.ts";
import { PermissionBridge } from "../../../src/faces/headless/permission-bridge.ts";
import { until } from "../../support/engine-harness.ts";
import { type QuestionParts, questionOf } from "../../support/question.ts";
import { scriptedEngine } from "../../support/scripted-engine.ts";

const QUESTION: QuestionParts = {
  id: "q1",
  agentId: "main",
  parentAgentId: null,
  kind: "permission",
  toolUseId: "t1",
  toolName: "Bash",
  title: "Run this command?",
  preview: { kind: "command", command: "npm publish", description: "", unclear: [] },
  reason: "no rule covers it",
  hazards: ["publishes a package"],
  suggestions: ["Bash(npm publish)"],
  sessionRules: ["Bash(npm *)"],
  confinement: "outside the sandbox",
  isOutside: true,
};

describe("a question on the wire", () => {
  test("has the call, what could be remembered, and why it is asked", () => {
    const rule = (ruleContent: string, destination: string) => ({
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent }],
      behavior: "allow",
      destination,
    });
    expect(
      permissionRequest({
        question: questionOf(QUESTION),
        call: { toolName: "Bash", toolUseId: "t1" },
        input: { command: "npm publish" },
      }),
    ).toEqual({
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "npm publish" },
      tool_use_id: "t1",
      permission_suggestions: [rule("npm *", "session"), rule("npm publish", "localSettings")],
      decision_reason: "no rule covers it",
      title: "Run this command?",
      description: "publishes a package\nIt would run outside the sandbox.",
    });
  });

  test("is answered in words that are understood, or with an error that says what was expected", () => {
    const rules = (destination: string) => ({
      type: "addRules",
      behavior: "allow",
      destination,
      rules: [{ toolName: "Read" }, { toolName: "Bash", ruleContent: "ls *" }],
    });
    const added = { kind: "add", decision: "allow" } as const;
    const updates = [
      rules("session"),
      rules("projectSettings"),
      { type: "setMode", mode: "plan" },
      { type: "addDirectories" },
      7,
    ];
    expect(readPermissionAnswer({ behavior: "allow", updatedInput: { a: 1 }, updatedPermissions: updates })).toEqual({
      behavior: "allow",
      updatedInput: { a: 1 },
      updates: [
        { kind: "rules", change: { ...added, rules: ["Read", "Bash(ls *)"] }, isKept: false },
        { kind: "rules", change: { ...added, rules: ["Read", "Bash(ls *)"] }, isKept: true },
        { kind: "mode", mode: "plan" },
        { kind: "unknown", problem: expect.stringMatching(/addDirectories.*--add-dir/) },
        { kind: "unknown", problem: expect.stringContaining("without a type") },
      ],
    });
    expect(readPermissionAnswer({ behavior: "deny" })).toEqual({ behavior: "deny", message: "", interrupt: false });
    for (const odd of [{}, { behavior: "maybe" }, { behavior: "allow", updatedInput: [] }])
      expect(() => readPermissionAnswer(odd)).toThrow("expected");
  });

  test.each([
    ["addRules", "deny", { kind: "add", decision: "deny" }],
    ["replaceRules", "ask", { kind: "replace", decision: "ask" }],
    ["removeRules", "allow", { kind: "remove", decision: "allow" }],
  ] as const)("may %s that %s", (type, behavior, change) => {
    const update = { type, behavior, destination: "session", rules: [{ toolName: "Read" }] };
    expect(readPermissionAnswer({ behavior: "allow", updatedPermissions: [update] })).toMatchObject({
      updates: [{ kind: "rules", change: { ...change, rules: ["Read"] }, isKept: false }],
    });
  });
});

type Ask = (request: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** One question, put to `ask` while a call with an input waits for it. */
async function asked(ask: Ask, question: QuestionParts = {}) {
  const told: string[] = [];
  const changes: unknown[] = [];
  const replies: Reply[] = [];
  const { engine } = scriptedEngine({
    script: async (stage) => {
      const waiting = stage.ask({ ...QUESTION, toolUseId: "t1", ...question });
      // The call may be told of after the question.
      stage.emit({
        type: "tool_started",
        use: { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
        title: "ls",
        level: "execute",
      });
      replies.push(await waiting);
    },
  });
  const inputs = new CallInputs();
  const desk = new PermissionBridge({
    questions: engine.questions,
    inputs,
    ask,
    changeRules: async ({ rules }, isKept) => {
      changes.push([rules, isKept]);
      return rules.includes("Bash") ? ["Not added as a rule: Bash."] : [];
    },
    setMode: (mode) => {
      if (mode === "auto") throw new Error("The mode auto can't be used here.");
      changes.push(mode);
    },
    notify: (line) => void told.push(line),
  });
  engine.subscribe(({ event }) => inputs.note({ event, agentId: "main" }));
  engine.questions.answerWith((question, signal) => desk.answer(question, signal));
  await engine.submit({ prompt: "go" });
  await until(() => true);
  return { replies, told, changes };
}

describe("a program that decides about calls", () => {
  test("allows as it was asked, with the same input or none", async () => {
    const requests: JsonObject[] = [];
    const same: Ask = async (request) => {
      requests.push(request);
      return { behavior: "allow", updatedInput: { command: "ls" } };
    };
    expect((await asked(same)).replies).toEqual([{ decision: "once" }]);
    expect(requests[0]?.["input"]).toEqual({ command: "ls" });
    expect((await asked(async () => ({ behavior: "allow" }))).replies).toEqual([{ decision: "once" }]);
  });

  test("allows something else", async () => {
    const other: Ask = async () => ({ behavior: "allow", updatedInput: { command: "ls -a" } });
    expect((await asked(other)).replies).toEqual([{ decision: "once", updatedInput: { command: "ls -a" } }]);
  });

  test("denies with and without words, and may end the turn", async () => {
    const deny =
      (more: object): Ask =>
      async () => ({ behavior: "deny", ...more });
    expect((await asked(deny({ message: "no" }))).replies).toEqual([{ decision: "reject", message: "no" }]);
    expect((await asked(deny({ message: " ", interrupt: true }))).replies).toEqual([
      { decision: "reject", endsTurn: true },
    ]);
  });

  test("brings rules and modes along; unusable parts are reported", async () => {
    const rules = [{ toolName: "Bash" }, { toolName: "Read" }];
    const updatedPermissions = [
      { type: "addRules", behavior: "allow", destination: "localSettings", rules },
      { type: "setMode", mode: "acceptEdits" },
      { type: "setMode", mode: "auto" },
      { type: "removeRules" },
    ];
    const { replies, changes, told } = await asked(async () => ({ behavior: "allow", updatedPermissions }));
    await until(() => told.length === 3);
    expect(replies).toEqual([{ decision: "once" }]);
    expect(changes).toEqual([[["Bash", "Read"], true], "acceptEdits"]);
    expect(told).toEqual([
      "Not added as a rule: Bash. The call was allowed once.",
      "The mode auto can't be used here.",
      expect.stringContaining("removeRules"),
    ]);
  });

  test("approves a plan, and with it the mode that carries it out", async () => {
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits" }];
    const plan = await asked(async () => ({ behavior: "allow", updatedPermissions }), { kind: "plan" });
    expect(plan).toEqual({ replies: [{ decision: "session" }], changes: [], told: [] });
    expect((await asked(async () => ({ behavior: "allow" }), { kind: "plan" })).replies).toEqual([
      { decision: "once" },
    ]);
  });

  test("that fails, or answers nonsense, is a no that says why", async () => {
    const { replies } = await asked(() => Promise.reject(new Error("it is gone")));
    expect(replies).toEqual([
      { decision: "reject", message: "The question about this call got no answer: it is gone." },
    ]);
    expect((await asked(async () => ({ ok: true }))).replies).toEqual([
      { decision: "reject", message: expect.stringContaining("expected") },
    ]);
  });

  test.each(["spend", "wait", "keep"] as const)("is never asked to %s", async (kind) => {
    const { replies } = await asked(() => Promise.reject(new Error("asked")), { kind, toolUseId: "" });
    expect(replies).toEqual([{ decision: "reject" }]);
  });

  test("is asked about a rule that can't be carried out in full, and decides whether commands run", async () => {
    const gap = {
      kind: "gap",
      toolUseId: "",
      preview: { kind: "text", text: "The rule Read(x)." },
      reason: "why",
    } as const;
    const requests: JsonObject[] = [];
    const yes: Ask = async (request) => {
      requests.push(request);
      return { behavior: "allow" };
    };
    expect((await asked(yes, gap)).replies).toEqual([{ decision: "once" }]);
    expect(requests).toEqual([
      expect.objectContaining({
        tool_name: "SandboxRuleGap",
        input: { problem: "The rule Read(x).", reason: "why" },
        decision_reason: "why",
      }),
    ]);
    expect((await asked(async () => ({ behavior: "deny" }), gap)).replies).toEqual([{ decision: "reject" }]);
  });

  test("gets a message when the question no longer needs an answer", async () => {
    const signals: AbortSignal[] = [];
    const held = Promise.withResolvers<JsonObject>();
    const ask: Ask = (_, signal) => {
      signals.push(signal);
      signal.addEventListener("abort", () => held.reject(signal.reason), { once: true });
      return held.promise;
    };
    let withdraw = () => undefined as unknown;
    const { engine } = scriptedEngine({
      script: async (stage) => {
        const waiting = stage.ask(QUESTION);
        const { id = "" } = engine.questions.pending[0] ?? {};
        stage.emit({
          type: "tool_started",
          use: { type: "tool_use", id: "t1", name: "Bash", input: {} },
          title: "",
          level: "execute",
        });
        withdraw = () => engine.questions.reply(id, { decision: "once" });
        await waiting;
      },
    });
    const inputs = new CallInputs();
    const desk = new PermissionBridge({
      questions: engine.questions,
      inputs,
      ask,
      changeRules: async () => [],
      setMode: () => undefined,
      notify: () => undefined,
    });
    engine.subscribe(({ event }) => inputs.note({ event, agentId: "main" }));
    engine.questions.answerWith((question, signal) => desk.answer(question, signal));
    const turn = engine.submit({ prompt: "go" });
    await until(() => signals.length === 1);
    withdraw();
    expect((await turn).outcome).toEqual({ reason: "completed" });
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("inputs of calls", () => {
  const started = (id: string, input: JsonObject) =>
    ({ type: "tool_started", use: { type: "tool_use", id, name: "Read", input }, title: "", level: "read" }) as const;

  test("are known until the call ends, and are what a hook made of them", async () => {
    const inputs = new CallInputs();
    const { signal } = new AbortController();
    const early = inputs.of("t1", signal);
    inputs.note({ event: started("t1", { a: 1 }), agentId: "main" });
    expect(await early).toEqual({ a: 1 });
    inputs.replace("t1", { a: 2 });
    expect(await inputs.of("t1", signal)).toEqual({ a: 2 });
    inputs.note({ event: { type: "tool_discarded", toolUseId: "t1" }, agentId: "main" });
    expect(await inputs.of("t1", AbortSignal.abort())).toEqual({});
  });

  test("that never come delay nothing after the end of the question", async () => {
    const inputs = new CallInputs();
    const abort = new AbortController();
    const waiting = inputs.of("t9", abort.signal);
    abort.abort();
    expect(await waiting).toEqual({});
  });
});
