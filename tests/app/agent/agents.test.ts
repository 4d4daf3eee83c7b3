import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lazyFiles } from "../../../src/app/mentions/lazy-file-finder.ts";
import type { Session } from "../../../src/app/session/session.ts";
import type { AgentScope } from "../../../src/contracts/agent-scope.ts";
import { defineTool, inputSchemaOf } from "../../../src/contracts/define-tool.ts";
import type { Files } from "../../../src/contracts/files.ts";
import type { Hooks } from "../../../src/contracts/hook.ts";
import { declareTool, type Tool, textResult } from "../../../src/contracts/tool.ts";
import { type HeadlessProps, runHeadless } from "../../../src/faces/headless/run-headless.ts";
import { SDK_SERVER } from "../../services/mcp/mcp-harness.ts";
import { bash, call, MODEL, oneProcess, runIn, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { testTool, until } from "../../support/engine-harness.ts";
import { programSession } from "../../support/program-session.ts";
import { tempProject } from "../../support/temp-project.ts";

test("two sessions in two folders share a process, and nothing that was read or is open", async () => {
  await using here = await oneProcess();
  await using one = await tempProject({ "a.txt": "one\n" });
  await using two = await tempProject({ "a.txt": "two\n" });
  const first = await sessionIn(here.app, one.dir, { permissionMode: "acceptEdits" });
  const second = await sessionIn(here.app, two.dir, { permissionMode: "acceptEdits" });
  const read = await first.session.main.engine.submit({ prompt: call("Read", { file_path: one.path("a.txt") }) });
  expect(read.text).toContain("one");
  const edit = call("Edit", { file_path: two.path("a.txt"), old_string: "two", new_string: "2" });
  expect((await second.session.main.engine.submit({ prompt: edit })).text).toContain("was not read");
  await first.session.close();
  await second.session.main.engine.submit({ prompt: call("Read", { file_path: two.path("a.txt") }) });
  await second.session.main.engine.submit({ prompt: edit });
  expect(readFileSync(two.path("a.txt"), "utf8")).toBe("2\n");
  expect(new Set(first.events.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(first.session.conversation.log.sessionId).not.toBe(second.session.conversation.log.sessionId);
});

deepTest("children work side by side in folders of their own; one asks while the other runs", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "left/x": "", "right/y": "" });
  const { session, events } = await sessionIn(here.app, place.dir, { allow: ["Bash(pwd)", "Bash(ls)"] });
  const [left, right] = await Promise.all([
    session.main.spawn({ cwd: place.path("left"), parentToolUseId: "call-1" }),
    session.main.spawn({ cwd: place.path("right") }),
  ]);
  const asking = left.run(bash("touch made"));
  await until(() => session.main.engine.questions.pending.length === 1);
  const [question] = session.main.engine.questions.pending;
  expect(question).toMatchObject({
    agentId: left.source.agentId,
    parentAgentId: "main",
    body: { call: { toolName: "Bash" } },
  });
  const ran = await right.run(bash("ls"));
  expect(ran.text).toContain("y");
  expect(session.main.engine.questions.pending).toHaveLength(1);
  session.main.engine.questions.reply(question?.id ?? "", { decision: "once" });
  expect((await asking).reason).toBe("completed");
  expect(existsSync(place.path("left/made"))).toBe(true);
  expect(session.main.workspace.cwd).toBe(place.dir);
  const asked = events.filter(({ event }) => event.type === "question_asked");
  expect(asked.map(({ agentId, parentAgentId, parentToolUseId }) => [agentId, parentAgentId, parentToolUseId])).toEqual(
    [[left.source.agentId, "main", "call-1"]],
  );
});

test("a child has no more than its parent: rules, modes, folders and tools", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "", "sub/b": "" });
  const { session } = await sessionIn(here.app, place.dir, { permissionMode: "acceptEdits", allow: ["Bash(ls *)"] });
  const child = await session.main.spawn({ deny: ["Write"], permissionMode: "bypassPermissions" });
  session.main.permissions.changeRules({ kind: "add", decision: "deny", rules: ["Bash(ls *)"] }, "a test");
  expect((await child.run(bash("ls sub"))).text).toContain("rule");
  const write = call("Write", { file_path: place.path("new.txt"), content: "x" });
  await child.run(write);
  expect(existsSync(place.path("new.txt"))).toBe(false);
  await session.main.engine.submit({ prompt: write });
  expect(existsSync(place.path("new.txt"))).toBe(true);
  const names = async (scope: AgentScope) => {
    await runIn(session, scope, "hello");
    const body = here.twin.requests.at(-1)?.body as { tools: { name: string }[] };
    return body.tools.map(({ name }) => name);
  };
  expect(await names({ tools: ["Read", "Glob"] })).toEqual(["Read", "Glob"]);
  await expect(session.main.spawn({ tools: ["Fly"] })).rejects.toThrow("Fly");
  await expect(session.main.spawn({ cwd: "/" })).rejects.toThrow("outside its parent's folders");
});

deepTest(
  "a child that is to plan changes nothing, also under a parent in dontAsk whose rules allow edits",
  async () => {
    await using here = await oneProcess();
    await using place = await tempProject();
    const { session } = await sessionIn(here.app, place.dir, { permissionMode: "dontAsk", allow: ["Edit(/**)"] });
    const child = await session.main.spawn({ permissionMode: "plan" });
    const write = call("Write", { file_path: place.path("new.txt"), content: "x" });
    expect((await child.run(write)).text).toContain("Plan mode is on");
    expect(existsSync(place.path("new.txt"))).toBe(false);
    await session.main.engine.submit({ prompt: write });
    expect(existsSync(place.path("new.txt"))).toBe(true);
  },
);

test("an agent that is closed runs nothing, opens no agents and leaves no cap", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir);
  const { main } = session;
  const child = await main.spawn({ budget: { tokens: 10 } });
  await child.close();
  await expect(child.run("hello")).rejects.toThrow("closed");
  const { caps } = await session.spend.status();
  expect(caps.filter(({ setting }) => setting === "the agent's budget")).toEqual([]);
  const [late] = await Promise.allSettled([main.spawn({ model: MODEL }), main.close()]);
  expect(late).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("closed") } });
  await expect(main.spawn({})).rejects.toThrow("closed");
  await expect(main.engine.submit({ prompt: "hello" })).rejects.toThrow("closed");
  expect(() => main.engine.enqueue({ prompt: "hello" }, "next")).toThrow("closed");
  expect(here.twin.requests).toEqual([]);
});

deepTest("a child takes no more steps in a turn than its parent may", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "a\n" });
  const { session } = await sessionIn(here.app, place.dir, { maxSteps: 1 });
  const { report } = await runIn(session, { maxSteps: 10 }, call("Read", { file_path: place.path("a.txt") }));
  expect(report).toMatchObject({ reason: "step_limit", steps: 1 });
});

deepTest("a child fires the hooks of its calls with its id, and none of the session's", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "a\n" });
  const fired: string[] = [];
  const hooks: Hooks = {
    wants: () => true,
    run: async ({ event, agentId }) => {
      fired.push(`${event} ${agentId}`);
      return {};
    },
  };
  const { session } = await sessionIn(here.app, place.dir, {}, { hooks });
  const { agent } = await runIn(session, {}, call("Read", { file_path: place.path("a.txt") }));
  expect(fired).toEqual([`PreToolUse ${agent.agentId}`, `PostToolUse ${agent.agentId}`]);
  fired.length = 0;
  await session.main.engine.submit({ prompt: "hello" });
  await session.close();
  expect(fired).toEqual(
    ["SessionStart", "UserPromptSubmit", "MessageDisplay", "Stop", "SessionEnd"].map((event) => `${event} undefined`),
  );
});

/** A tool that lets a child agent work on a prompt, and returns the child's answer. */
function delegateTool(): Tool {
  const input = z.object({ prompt: z.string() });
  const about = { name: "Delegate", summary: "Delegate", description: "A test tool.", level: "none" } as const;
  return defineTool(
    declareTool({ ...about, inputSchema: inputSchemaOf(input) }),
    input,
    async ({ prompt }, { spawnAgent, signal }) => ({
      ...{ level: "none", concurrencySafe: false, subjects: [], title: "delegate" },
      run: async () => {
        const agent = await spawnAgent({}, signal);
        try {
          return textResult((await agent.run(prompt, signal)).text);
        } finally {
          await agent.close();
        }
      },
    }),
  );
}

type HeadlessOptions = Partial<Pick<HeadlessProps, "format" | "desk" | "verbose" | "partial">>;

/** Runs one prompt as `quoll -p` does. */
async function headless(session: Session, prompt: string, options: HeadlessOptions = {}) {
  let out = "";
  const err: string[] = [];
  const { exitCode: code } = await runHeadless({
    ...{
      engine: session.main.engine,
      session: programSession(session.main.engine, { agents: session.agents }),
      input: { prompt },
      ids: session.app.ids,
    },
    ...{ format: "text", verbose: false, init: {} },
    out: (text) => {
      out += text;
    },
    err: (line) => void err.push(line),
    limits: () => ({ contextWindow: 1, maxOutputTokens: 1 }),
    ...options,
  });
  return { code, out, err };
}

test("a call of a child that nobody can allow makes a run without a person end with exit code 4", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir, { answerer: "nobody" });
  session.main.offered.set({ kind: "plugin", name: "test" }, [delegateTool()]);
  const { code, err } = await headless(session, call("Delegate", { prompt: bash("touch made") }));
  expect(existsSync(place.path("made"))).toBe(false);
  expect(code).toBe(4);
  expect(err.join("\n")).toContain("Refused: Bash");
  expect(err.at(-1)).toContain("--allow-sandboxed");
  expect((await headless(session, "hello")).code).toBe(0);
});

test("lines of a child name the call that started it, and its refused calls stand in the result", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir, { answerer: "nobody" });
  session.main.offered.set({ kind: "plugin", name: "test" }, [delegateTool()]);
  const prompt = call("Delegate", { prompt: bash("touch made") });
  const { out } = await headless(session, prompt, { format: "stream-json", partial: true });
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [delegation] = lines.filter(({ type }) => type === "assistant").map(({ message }) => message.content[0]);
  expect(delegation).toMatchObject({ type: "tool_use", name: "Delegate" });
  const of = (parent: string | null) =>
    lines.filter(({ type, parent_tool_use_id }) => type !== "result" && parent_tool_use_id === parent);
  const kinds = of(delegation.id).map(({ type, subtype }) => subtype ?? type);
  expect(kinds).toEqual(["assistant", "permission_denied", "user", "assistant"]);
  const [asked, denied] = of(delegation.id);
  expect(asked.message.content[0]).toMatchObject({ type: "tool_use", name: "Bash" });
  expect(denied).toMatchObject({ tool_name: "Bash", agent_id: expect.any(String) });
  const own = of(null).filter(({ type }) => type !== "stream_event");
  expect(own.map(({ type }) => type)).toEqual(["assistant", "user", "assistant"]);
  expect(lines.at(-1).permission_denials).toMatchObject([{ tool_name: "Bash", tool_use_id: denied.tool_use_id }]);
});

deepTest("a program that decides about calls answers a child's question too", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir, { allow: ["Bash(until *)"] });
  const asked: unknown[] = [];
  const running = headless(session, bash("until test -e go; do sleep 0.01; done"), {
    desk: {
      ask: async (request) => {
        asked.push(request);
        return { behavior: "allow" };
      },
      changeRules: async () => [],
      setMode: () => undefined,
    },
  });
  try {
    const { agent } = await runIn(session, {}, bash("touch made"));
    const input = expect.objectContaining({ command: "touch made" });
    expect(asked).toMatchObject([{ tool_name: "Bash", agent_id: agent.agentId, input }]);
    expect(existsSync(place.path("made"))).toBe(true);
  } finally {
    await place.write("go", "");
    await running;
  }
});

deepTest("a call that is interrupted interrupts its child; a session that is closed waits for its turn", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session, events } = await sessionIn(here.app, place.dir, { allow: ["Bash(sleep *)"] });
  const of = (agentId: string) => events.filter((envelope) => envelope.agentId === agentId).map(({ event }) => event);
  const started = (agentId: string) => until(() => of(agentId).some(({ type }) => type === "tool_started"));
  const turn = new AbortController();
  const child = await session.main.spawn({}, turn.signal);
  const running = child.run(bash("sleep 600"), turn.signal);
  await started(child.source.agentId);
  turn.abort(new Error("Interrupted."));
  expect((await running).reason).toBe("aborted");
  await expect(child.run("hello", turn.signal)).rejects.toThrow("Interrupted.");
  await expect(session.main.spawn({}, turn.signal)).rejects.toThrow("Interrupted.");
  void session.main.engine.submit({ prompt: bash("sleep 600") });
  await started("main");
  await session.close();
  expect(of("main").at(-2)).toMatchObject({ type: "turn_finished", report: { outcome: { reason: "aborted" } } });
  expect(of("main").at(-1)).toEqual({ type: "busy_changed", busy: false, interrupted: true });
});

test("a child is given the tools of servers that come later, and can't call those that go", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir);
  const child = await session.main.spawn({});
  const plain = await session.main.spawn({ tools: ["Read"] });
  const toolsOf = async ({ run }: typeof child) => {
    await run("hello");
    const body = here.twin.requests.at(-1)?.body as { tools: { name: string }[] };
    return body.tools.map(({ name }) => name);
  };
  session.main.offered.set({ kind: "mcp" }, [testTool("mcp__late__look")]);
  expect(await toolsOf(child)).toContain("mcp__late__look");
  expect(await toolsOf(plain)).toEqual(["Read"]);
  session.main.offered.set({ kind: "mcp" }, []);
  await child.run(call("mcp__late__look", { text: "x" }));
  const last = here.twin.requests.at(-1)?.body as { messages: unknown } | undefined;
  expect(JSON.stringify(last?.messages)).toContain("mcp__late__look is not available now");
});

deepTest("a child takes the model in force, and its requests are logged once, as the child's", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir, { debug: ["api"] });
  await session.main.engine.setModel("claude-haiku-4-5");
  session.main.engine.setEffort("low");
  const child = await session.main.spawn({});
  await child.run("hello");
  expect(here.twin.requests.at(-1)?.body).toMatchObject({ model: "claude-haiku-4-5" });
  await child.close();
  const { log } = session.debugging;
  await session.close();
  const lines = readFileSync(log?.path ?? "", "utf8").split("\n");
  expect(lines.filter((line) => / request \d+ ok /.test(line))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("subagent"))).toHaveLength(1);
});

deepTest("a tool that changes the mode changes the session's state, and the change is reported once", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session, events } = await sessionIn(here.app, place.dir, { permissionMode: "acceptEdits" });
  const { engine } = session.main;
  await engine.submit({ prompt: call("EnterPlanMode", {}) });
  const { mode, modeBeforePlan, prompts, cwd } = session.main.state;
  expect({ mode, modeBeforePlan, cwd }).toEqual({ mode: "plan", modeBeforePlan: "acceptEdits", cwd: place.dir });
  expect(prompts).toEqual(["EnterPlanMode {}"]);
  const child = await session.main.spawn({ permissionMode: "acceptEdits" });
  const write = call("Write", { file_path: place.path("new.txt"), content: "x" });
  await child.run(write);
  expect(existsSync(place.path("new.txt"))).toBe(false);
  engine.setMode("acceptEdits");
  await child.run(write);
  expect(existsSync(place.path("new.txt"))).toBe(true);
  const modes = events.flatMap(({ event }) => (event.type === "mode_changed" ? [event.mode] : []));
  expect(modes).toEqual(["plan", "acceptEdits"]);
});

test("tools read and change the files that the session's opener provides, in children too", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "on disk\n" });
  const disk = lazyFiles();
  const asked: string[] = [];
  const files: Files = {
    ...disk,
    readLines: (path, window, signal) => {
      asked.push(path);
      return disk.readLines(path, window, signal);
    },
  };
  const { session } = await sessionIn(here.app, place.dir, {}, { files });
  const read = call("Read", { file_path: place.path("a.txt") });
  await session.main.engine.submit({ prompt: read });
  await runIn(session, {}, read);
  expect(asked).toEqual([place.path("a.txt"), place.path("a.txt")]);
});

deepTest("the tools of each MCP server stand under its name, in the order of the configuration", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const server = { command: process.execPath, args: [SDK_SERVER] };
  const configs = [JSON.stringify({ mcpServers: { two: server, one: server } })];
  const { session } = await sessionIn(here.app, place.dir, {
    mcp: { configs, inProcess: [] },
    deny: ["mcp__two__add_numbers"],
  });
  const { offered } = session.main;
  const names = (server: string) =>
    offered.entries.filter(({ source }) => source.name === server).map(({ name }) => name);
  expect(names("one")).toContain("mcp__one__add_numbers");
  expect(names("two").length).toBe(names("one").length - 1);
  const servers = offered.entries.filter(({ source }) => source.kind === "mcp").map(({ source }) => source.name);
  expect([...new Set(servers)]).toEqual(["two", "one"]);
  const clash = () => offered.set({ kind: "mcp", name: "three" }, [testTool("mcp__one__add_numbers")]);
  expect(clash).toThrow("the MCP server one, one from the MCP server three");
  await session.servers.client?.setEnabled("two", false);
  expect(names("two")).toEqual([]);
  expect(names("one")).not.toEqual([]);
});

test("a child's own budget ends it alone, and what children spend is the parent's too", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "a\n" });
  const { session } = await sessionIn(here.app, place.dir);
  const poor = await runIn(session, { budget: { tokens: 10 } }, "hello");
  expect(poor.report).toMatchObject({ reason: "budget", steps: 1 });
  const one = await runIn(session, {}, "hello");
  const two = await runIn(session, { budget: { usd: 1 } }, call("Read", { file_path: place.path("a.txt") }));
  const own = await session.main.engine.submit({ prompt: "hello" });
  const { costUsd = 0, spendBySource = [] } = session.main.engine.state;
  const children = (one.report.costUsd ?? 0) + (two.report.costUsd ?? 0);
  expect(children).toBeGreaterThan(0);
  expect(costUsd).toBeCloseTo(children + (own.costUsd ?? 0), 9);
  expect(spendBySource.find(({ source }) => source === "subagent")?.usd).toBeCloseTo(children, 9);
  await session.close();
  const lines = await ledgerLines(here.home.dir);
  const of = (agentId: string) => lines.filter((line) => line["agentId"] === agentId && line["state"] === "settled");
  expect(of(one.agent.agentId)).toMatchObject([{ parentAgentId: "main", source: "subagent" }]);
  expect(of("main")).toMatchObject([{ parentAgentId: null, source: "main" }]);
});

deepTest("a question about a child's spending names the child", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const settings = JSON.stringify({ spend: { bySource: { subagent: { sessionUsd: 0 } } } });
  const { session, events } = await sessionIn(here.app, place.dir, { settings });
  const child = await session.main.spawn({});
  const { questions } = session.main.engine;
  const running = child.run("hello");
  await until(() => questions.pending.length === 1);
  const [question] = questions.pending;
  const { agentId } = child.source;
  expect(question).toMatchObject({ body: { kind: "spend" }, agentId, parentAgentId: "main" });
  const asked = events.filter(({ event }) => event.type === "question_asked");
  expect(asked.map((envelope) => envelope.agentId)).toEqual([agentId]);
  questions.reply(question?.id ?? "", { decision: "once" });
  expect((await running).reason).toBe("completed");
});

deepTest(
  "every entry of the log names its agent, and the session is resumed without its children's words",
  async () => {
    await using here = await oneProcess();
    await using place = await tempProject();
    const first = await sessionIn(here.app, place.dir);
    await first.session.main.engine.submit({ prompt: "to the parent" });
    const { agent } = await runIn(first.session, {}, "to the child");
    const { sessionId } = first.session.conversation.log;
    const { folder } = first.session.conversation;
    await first.session.close();
    const entries = readFileSync(join(folder, `${sessionId}.jsonl`), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const child = entries.filter(({ agentId }) => agentId === agent.agentId);
    expect(child.map(({ kind }) => kind)).toEqual(["user", "assistant", "turn_finished"]);
    expect(new Set(child.map(({ parentAgentId }) => parentAgentId))).toEqual(new Set(["main"]));
    const again = await sessionIn(here.app, place.dir, { conversation: { kind: "saved", id: sessionId } });
    await again.session.main.engine.submit({ prompt: "once more" });
    const sent = JSON.stringify(here.twin.requests.at(-1)?.body);
    expect(sent).toContain("to the parent");
    expect(sent).not.toContain("to the child");
  },
);

deepTest(
  "the end of a background task is reported once: to an idle person, and to the model with the next prompt",
  async () => {
    await using here = await oneProcess();
    await using place = await tempProject();
    const allow = ["Bash(until *)"];
    const { session, events } = await sessionIn(here.app, place.dir, { permissionMode: "acceptEdits", allow });
    const background = (name: string) =>
      call("Bash", {
        command: `until test -e ${name}; do sleep 0.01; done`,
        description: "A test",
        run_in_background: true,
      });
    const { engine } = session.main;
    const ended = () => events.flatMap(({ event }) => (event.type === "task_ended" ? [event.task.id] : []));
    const notes = () => {
      const body = here.twin.requests.at(-1)?.body as { messages: { role: string }[] };
      const own = body.messages.filter(({ role }) => role === "user");
      return JSON.stringify(own).split("Background task b").length - 1;
    };

    await engine.submit({ prompt: background("one") });
    await place.write("one", "");
    await until(() => ended().length === 1);
    const told = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
    expect(told).toEqual([expect.stringContaining("Background task b1 completed with exit code 0")]);
    await engine.submit({ prompt: "hello" });
    expect(notes()).toBe(1);
    await engine.submit({ prompt: "hello again" });
    expect(notes()).toBe(1);

    await engine.submit({ prompt: background("two") });
    const turn = engine.submit({ prompt: bash("until test -e three; do sleep 0.01; done") });
    await place.write("two", "");
    await until(() => ended().length === 2);
    await place.write("three", "");
    await turn;
    expect(ended()).toEqual(["b1", "b2"]);
    const added = events.flatMap(({ event }) => (event.type === "words_added" ? [[event.by, event.prompt]] : []));
    expect(added).toEqual([["harness", expect.stringContaining("Background task b2 completed")]]);
    expect(events.filter(({ event }) => event.type === "task_started")).toHaveLength(2);
  },
);

test("a session that is closed leaves no listener, descriptor or process behind", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "" });
  const open = async () => {
    const { session } = await sessionIn(here.app, place.dir, {
      permissionMode: "acceptEdits",
      allow: ["Bash(sleep *)"],
    });
    const child = await session.main.spawn({});
    await child.run(call("Read", { file_path: place.path("a.txt") }));
    await child.run(call("Bash", { command: "sleep 600", description: "A test", run_in_background: true }));
    return session;
  };
  await (await open()).close();
  const before = look();
  const session = await open();
  const tasks = session.main.toolPorts.tasks.list();
  expect(tasks).toMatchObject([{ id: "b1", title: "sleep 600", status: "running", parentAgentId: "main" }]);
  const pid = tasks[0]?.process?.pid ?? 0;
  expect(await session.close()).toEqual(["b1 (sleep 600)"]);
  expect(() => process.kill(pid, 0)).toThrow();
  // The first session may have closed its last descriptor after `before`.
  await until(() => look().descriptors <= before.descriptors);
  expect(look().listeners).toBe(before.listeners);
});

function look() {
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { listeners, descriptors: descriptorsNow().length };
}

function descriptorsNow(): readonly string[] {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      // Connections to the model are kept for the next request.
      return !readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  });
}

async function ledgerLines(home: string): Promise<readonly Record<string, unknown>[]> {
  const folder = join(home, ".local", "share", "quoll", "spend");
  await mkdir(folder, { recursive: true });
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
