import { describe, expect, test } from "bun:test";
import type { CommandContext } from "../../../src/contracts/command.ts";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { EngineEvent, EventEnvelope } from "../../../src/contracts/event.ts";
import type { InputLine } from "../../../src/faces/headless/input-lines.ts";
import { MAX_WAITING } from "../../../src/faces/headless/message-intake.ts";
import { runSession } from "../../../src/faces/headless/run-session.ts";
import type { OpenSession, SessionPorts } from "../../../src/faces/headless/session-props.ts";
import type { WireLine } from "../../../src/faces/headless/wire-format.ts";
import { callbackHooks } from "../../../src/services/hooks/callback-hooks.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest } from "../../support/deep.ts";
import { countedIds, until } from "../../support/engine-harness.ts";
import { everyKindCommand } from "../../support/every-kind-command.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { programSession } from "../../support/program-session.ts";
import { type Script, scriptedEngine } from "../../support/scripted-engine.ts";

/** Lines that the test sends one by one. */
function speech() {
  const waiting: InputLine[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  let failure: Error | undefined;
  return {
    say(...values: readonly object[]) {
      for (const value of values) waiting.push({ kind: "line", text: JSON.stringify(value), isReplaced: false });
      wake();
    },
    end(error?: Error) {
      isOver = true;
      failure = error;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (failure) throw failure;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

type Options = {
  readonly script?: Script;
  readonly open?: () => Promise<void>;
  readonly prompt?: string;
  readonly signal?: AbortSignal;
};

const TASKS: OpenSession["tasks"] = {
  agents: { commands: [], count: 0, stop: async () => [], waitMs: 0 },
  stop: async () => undefined,
  moveToBackground: () => undefined,
  output: async () => ({ text: "", totalBytes: 0, isCut: false }),
};
const ANSWERS: OpenSession["answers"] = {
  context: () => ({
    ...{ system: "", tools: [], count: async () => undefined },
    report: async () => {
      throw new Error("No test of this file asks for it.");
    },
  }),
  rules: () => ({}),
  hooks: () => ({}),
  settings: async () => ({}),
  cost: async () => "",
  styles: async () => ["default"],
  reloadSkills: async () => [],
  reloadPlugins: async () => ({ commands: [], agents: [], plugins: [], error_count: 0 }),
};
/** The command uses no service of its face. */
const NO_CONTEXT = {} as CommandContext;
const NO_SERVERS: OpenSession["mcp"] = {
  states: [],
  tools: () => [],
  reconnect: async () => false,
  setEnabled: async () => false,
  receive: () => false,
  call: async () => ({}),
  resource: async () => [],
  exchange: async () => ({ added: [], removed: [], errors: {} }),
};

function session({ script = async ({ say }) => say("Yes.", { ms: 0 }), open, prompt, signal }: Options = {}) {
  const scripted = scriptedEngine({ script });
  const words = speech();
  const clock = fakeClock();
  const lines: WireLine[] = [];
  const err: string[] = [];
  const opened: { ports?: SessionPorts; setups: unknown[] } = { setups: [] };
  const { engine } = scripted;
  const readers = new Set<(envelope: EventEnvelope) => void>();
  const ofChild = { sessionId: "s", agentId: "child", parentAgentId: "main", parentToolUseId: "call-1" };
  const tellOfChild = (event: EngineEvent) => {
    for (const reader of readers) reader({ ...ofChild, event });
  };
  const made: OpenSession = {
    engine,
    session: programSession(engine, {
      agents: {
        subscribe: (reader) => {
          readers.add(reader);
          return engine.subscribe(reader);
        },
      },
      commands: {
        run: (words, ending) =>
          words.startsWith("/every")
            ? everyKindCommand.run(words.slice("/every ".length), NO_CONTEXT, ending)
            : undefined,
      },
      clock,
    }),
    mcp: NO_SERVERS,
    answers: ANSWERS,
    tasks: TASKS,
    version: "1",
    agents: () => [],
    addAgents: () => [],
    init: () => ({ cwd: "/w" }),
    catalogue: () => ({ commands: [] }),
    models: () => [],
    limits: () => ({ contextWindow: 1, maxOutputTokens: 1 }),
    changeRules: async () => [],
    setMode: (mode) => engine.setMode(mode),
  };
  const done = runSession({
    lines: words,
    open: async (setup, ports) => {
      opened.setups.push(setup);
      opened.ports = ports;
      await open?.();
      return made;
    },
    callbackHooks: (call) => callbackHooks(call, clock),
    clock,
    ids: countedIds(),
    partial: false,
    replay: true,
    ...(prompt !== undefined && { prompt }),
    out: (text) => void lines.push(JSON.parse(text) as WireLine),
    err: (line) => void err.push(line),
    signal: signal ?? new AbortController().signal,
  });
  const outline = () => lines.map(({ type, subtype }) => (subtype === undefined ? `${type}` : `${type}/${subtype}`));
  return { ...scripted, ...words, clock, lines, err, opened, done, outline, tellOfChild };
}

const said = (content: string, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more });
const control = (id: string, request: object) => ({ type: "control_request", request_id: id, request });

describe("a session", () => {
  test("is opened once, by the first line, and no line overtakes another meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ open: () => gate.promise });
    s.say(said("one"), control("r1", { subtype: "set_model", model: "m2" }), said("two"));
    s.say(
      control("r2", { subtype: "initialize", systemPrompt: "late", hooks: { Stop: [{ hookCallbackIds: ["h"] }] } }),
    );
    s.end();
    await until(() => s.opened.setups.length === 1);
    expect(s.lines).toEqual([]);
    gate.resolve();
    await s.done;
    expect(s.opened.setups).toMatchObject([{ agents: [] }]);
    expect(s.prompts).toEqual(["one", "two"]);
    expect(s.engine.state.model).toBe("m2");
    expect(s.opened.ports?.hooks.wants("Stop")).toBe(true);
    expect(s.outline().filter((line) => line === "result/success")).toHaveLength(2);
  });

  test("that can't be opened answers every request with the reason, and ends", async () => {
    const s = session({ open: () => Promise.reject(new UserFacingError("no key", 2)) });
    s.say(control("r1", { subtype: "initialize" }), control("r2", { subtype: "interrupt" }), said("hi"));
    await expect(s.done).rejects.toThrow("no key");
    const error = (id: string) => ({ subtype: "error", request_id: id, error: "no key" });
    expect(s.lines).toEqual([
      { type: "control_response", response: error("r1") },
      { type: "control_response", response: error("r2") },
    ]);
    expect(s.prompts).toEqual([]);
  });

  test("tells what a child does under the call that started it, and the child's refused calls in the result", async () => {
    const s = session({
      script: async ({ prompt }) => {
        if (prompt === "one") s.tellOfChild({ type: "permission_denied", denial });
        if (prompt === "one") s.tellOfChild({ type: "mode_changed", mode: "plan" });
      },
    });
    const about = {
      toolName: "Bash",
      toolUseId: "t1",
      input: {},
      decidedBy: { kind: "default" },
      unanswered: true,
    } as const;
    const denial = { ...about, remedy: { kind: "rules", rules: ["Bash(ls)"] } } as const;
    s.say(said("one"), said("two"));
    s.end();
    await s.done;
    expect(s.lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === "call-1")).toMatchObject([
      { subtype: "permission_denied", tool_name: "Bash", agent_id: "child" },
    ]);
    const results = s.lines.filter(({ type }) => type === "result");
    expect(results.map((line) => line["permission_denials"])).toMatchObject([[{ tool_use_id: "t1" }], []]);
    expect(s.err).toEqual([expect.stringContaining("Bash(ls)")]);
  });

  test("reports a stdin that fails, and finishes the requested work", async () => {
    const s = session();
    s.say(said("one"));
    await until(() => s.outline().includes("result/success"));
    s.end(new Error("EIO"));
    await s.done;
    expect(s.err).toEqual(["stdin failed: EIO."]);
    expect(s.outline().at(-1)).toBe("system/informational");
  });

  deepTest("takes no more words into the running turn than may wait", async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ script: () => gate.promise });
    s.say(said("wait"));
    await until(() => s.prompts.length === 1);
    s.say(...Array.from({ length: MAX_WAITING + 1 }, (_, n) => said(`${n}`, { priority: "now" })));
    s.say(control("r1", { subtype: "interrupt", cancel_queued: true }));
    s.end();
    await until(() => s.err.length > 0);
    expect(s.err).toEqual([
      `Line ${MAX_WAITING + 2} of stdin was ignored: ${MAX_WAITING} inputs, or too many bytes, are already queued.`,
    ]);
    gate.resolve();
    await s.done;
  });

  test("that was stopped before it began does nothing", async () => {
    const s = session({ prompt: "hi", signal: AbortSignal.abort() });
    await s.done;
    expect(s.prompts).toEqual([]);
  });

  test("that is stopped while it is put together does nothing of what waited for it", async () => {
    const gate = Promise.withResolvers<void>();
    const over = new AbortController();
    const s = session({ open: () => gate.promise, signal: over.signal });
    s.say(said("one"), control("r1", { subtype: "set_model", model: "m2" }));
    await until(() => s.opened.setups.length === 1);
    over.abort();
    gate.resolve();
    await s.done;
    expect(s.prompts).toEqual([]);
  });

  test("that is stopped waits for no change of the model behind the running turn", async () => {
    const gate = Promise.withResolvers<void>();
    const over = new AbortController();
    const s = session({ script: () => gate.promise, signal: over.signal });
    s.say(said("wait"), control("r1", { subtype: "set_model", model: "m2" }));
    await until(() => s.prompts.length === 1);
    over.abort();
    gate.resolve();
    await s.done;
    const error = "the session was ended before its turn came";
    expect(s.lines).toContainEqual({
      type: "control_response",
      response: { subtype: "error", request_id: "r1", error },
    });
  });

  test("sends keep-alive lines after stdin has closed while a turn runs, and none afterwards", async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ script: () => gate.promise });
    s.say(said("wait"));
    await until(() => s.prompts.length === 1);
    await s.clock.advance(60_000);
    expect(s.outline()).not.toContain("keep_alive");
    s.end();
    await until(() => s.clock.sleeping > 0);
    await s.clock.advance(15_000);
    expect(s.outline().filter((type) => type === "keep_alive")).toHaveLength(1);
    gate.resolve();
    await s.done;
    await s.clock.advance(60_000);
    expect(s.outline().at(-1)).toBe("result/success");
    expect(s.clock.sleeping).toBe(0);
  });

  test("gives a turn that the engine begins by itself its lines too", async () => {
    const s = session();
    s.say(said("one"));
    await until(() => s.outline().includes("result/success"));
    await s.engine.submit({ prompt: "from the background" });
    s.end();
    await s.done;
    expect(s.outline()).toEqual(["system/init", "user", "result/success", "system/init", "result/success"]);
  });

  test("ends after a turn that the engine begins behind the last message", async () => {
    const s = session({
      script: async ({ prompt, say }) => {
        if (prompt === "one") s.engine.enqueue({ prompt: "from the background" }, "later");
        else await say("Done.", { ms: 1 });
      },
    });
    s.say(said("one"));
    s.end();
    await s.done;
    expect(s.prompts).toEqual(["one", "from the background"]);
    expect(s.outline()).toEqual(["system/init", "user", "result/success", "system/init", "result/success"]);
  });

  test("waits for such a turn before it begins another", async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ script: ({ prompt }) => (prompt === "background" ? gate.promise : Promise.resolve()) });
    s.say(control("r1", { subtype: "initialize" }));
    await until(() => s.lines.length > 0);
    const own = s.engine.submit({ prompt: "background" });
    s.say(said("mine"));
    s.end();
    await until(() => s.clock.sleeping > 0);
    expect(s.prompts).toEqual(["background"]);
    gate.resolve();
    await own;
    await s.done;
    expect(s.prompts).toEqual(["background", "mine"]);
  });
});

describe("steering messages", () => {
  test("that came too late start a separate turn, before waiting messages", async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ script: ({ prompt }) => (prompt === "one" ? gate.promise : Promise.resolve()) });
    s.say(said("one"), said("two"));
    await until(() => s.prompts.length === 1);
    s.say(said("now!", { priority: "now", uuid: "u-now" }), control("r1", { subtype: "mcp_status" }));
    await until(() => s.outline().includes("control_response"));
    expect(s.engine.state.queue).toMatchObject([{ prompt: "two" }, { prompt: "now!", when: "steer" }]);
    gate.resolve();
    s.end();
    await s.done;
    expect(s.prompts).toEqual(["one", "now!", "two"]);
    expect(s.engine.state.queue).toEqual([]);
  });

  test("are ordinary messages when no turn runs", async () => {
    const s = session();
    s.say(said("now!", { priority: "now" }));
    s.end();
    await s.done;
    expect(s.prompts).toEqual(["now!"]);
  });
});

deepTest(
  "ten thousand messages in one piece are taken in well under a second, and listed by an interrupt",
  async () => {
    const gate = Promise.withResolvers<void>();
    const s = session({ script: () => gate.promise });
    s.say(said("first"));
    await until(() => s.prompts.length === 1);
    const spent = cpuClock();
    s.say(
      ...Array.from({ length: 10_001 }, (_, index) => said("more", { uuid: `u${index}` })),
      control("r1", { subtype: "interrupt", cancel_queued: true }),
    );
    await until(() => s.outline().includes("control_response"));
    expect(spent()).toBeLessThan(1_000);
    expect(s.err).toEqual([expect.stringContaining("Line 10002 of stdin was ignored: 10000 inputs")]);
    const reply = s.lines.find(({ type }) => type === "control_response")?.["response"] as {
      response: { cancelled: string[] };
    };
    expect(reply.response.cancelled).toHaveLength(10_000);
    gate.resolve();
    s.end();
    await s.done;
    expect(s.prompts).toEqual(["first"]);
  },
);

describe("a command", () => {
  const results = (s: ReturnType<typeof session>) => s.lines.filter(({ type }) => type === "result");

  test.each([
    ["text", "It said text."],
    ["choose", "Two are left.\n`/every <colour>`"],
    ["form", "`/every <host> <token>`"],
    ["edit", "Edit the file yourself."],
    ["view", "All pages\npage 1\npage 2"],
    ["quick", "Counted\n12 files"],
  ])("that answers with %s is answered in lines, and no model is asked", async (kind, text) => {
    const s = session();
    s.say(said(`/every ${kind}`));
    s.end();
    await s.done;
    expect(results(s)).toMatchObject([{ subtype: "success", is_error: false, result: text }]);
    expect(s.prompts).toEqual([]);
  });

  test("that answers with words for the model begins a turn with them", async () => {
    const s = session();
    s.say(said("/every prompt"));
    s.end();
    await s.done;
    expect(s.prompts).toEqual(["say what the command said"]);
    expect(results(s)).toMatchObject([{ subtype: "success", num_turns: 1 }]);
  });

  test("that works is interrupted by the program, and the next message is answered", async () => {
    const s = session();
    s.say(said("/every operation"));
    await until(() => s.lines.some(({ content }) => content === "files"));
    s.say(control("r1", { subtype: "interrupt" }), said("go on"));
    s.end();
    await s.done;
    expect(results(s)).toMatchObject([{ errors: ["Interrupted."] }, { subtype: "success", num_turns: 1 }]);
  });
});
