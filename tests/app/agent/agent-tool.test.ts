import { expect, test } from "bun:test";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import type { Twin } from "@quoll/model-twin/server";
import { openSession } from "../../../src/app/session/open-session.ts";
import { call, MODEL, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

type Body = {
  readonly system: readonly { readonly text: string }[];
  readonly model: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: readonly { readonly text?: string; readonly content?: unknown }[] }[];
};
const bodies = (twin: Twin) => twin.requests.map(({ body }) => body as Body);
const namesOf = (body: Body | undefined) => (body?.tools ?? []).map(({ name }) => name);
const lastText = ({ messages }: Body) =>
  (messages.at(-1)?.content ?? []).map(({ text, content }) => text ?? JSON.stringify(content)).join("\n");
const agent = (more: object = {}) =>
  call("Agent", { description: "look around", prompt: "Find it.", subagent_type: "Explore", ...more });
const definition = (fields: string, text = "Review with care.") => `---\n${fields}\n---\n${text}\n`;

test("the tool Agent gives an agent its own prompt and reading tools, and returns its answer with one line of facts", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ "a.txt": "needle\n" });
  const { session, events } = await sessionIn(here.app, project.dir);
  const prompt = call("Read", { file_path: "a.txt" });
  const { text } = await session.main.engine.submit({ prompt: agent({ subagent_type: "explorer", prompt }) });
  const [, child] = bodies(here.twin);
  expect(child?.system.map((block) => block.text).join("\n")).toContain("an agent that explores");
  expect(namesOf(child)).toEqual(["Read", "Glob", "Grep", "WebFetch"]);
  expect(text).toContain("needle");
  expect(text).toMatch(/\[Explore a1: completed · 2 requests · 1 tool call · 2\.0k tokens · [\d.]+m?s\]/);
  const owners = new Set(events.flatMap(({ parentToolUseId }) => parentToolUseId ?? []));
  expect(owners.size).toBe(1);
});

deepTest("the row of an agent tells the lines that it changed and its answer", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session, events } = await sessionIn(here.app, project.dir, { permissionMode: "acceptEdits" });
  const write = call("Write", { file_path: project.path("new.txt"), content: "one\ntwo\n" });
  await session.main.engine.submit({ prompt: agent({ subagent_type: "general-purpose", prompt: write }) });
  const shown = events.flatMap(({ event }) => (event.type === "tool_finished" && event.display ? [event.display] : []));
  expect(shown.filter(({ kind }) => kind === "summary")).toMatchObject([
    {
      text: expect.stringMatching(/^\+2 · 2 requests · 1 tool call · [\d.]+k tokens$/),
      body: { kind: "text", text: expect.stringContaining("new.txt"), isInResult: true },
    },
  ]);
});

test("an agent gets no tool Agent and no wider mode, and a type that does not exist is an error with a hint", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { permissionMode: "plan" });
  const write = call("Write", { file_path: project.path("new.txt"), content: "x" });
  const asked = agent({ subagent_type: "general-purpose", prompt: write });
  expect((await session.main.engine.submit({ prompt: asked })).text).toContain("plan");
  expect(namesOf(bodies(here.twin)[1])).not.toContain("Agent");
  expect(await Bun.file(project.path("new.txt")).exists()).toBe(false);
  const { text } = await session.main.engine.submit({ prompt: agent({ subagent_type: "Explor" }) });
  expect(text).toContain('There is no agent type \\"Explor\\". Did you mean Explore?');
});

test("Agent(name) rules deny a type under each of its names, and call limits are kept", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody", deny: ["Agent(Plan)"] });
  const ask = async (more: object) => (await session.main.engine.submit({ prompt: agent(more) })).text;
  expect(await ask({ subagent_type: "planner" })).toContain("Refused by the deny rule Agent(Plan)");
  expect(await ask({ allowed_tools: ["Bash"] })).toContain(
    "Explore can't have the tool Bash. It can have: Read, Glob, Grep, WebFetch.",
  );
  const limited = await ask({ max_turns: 1, prompt: call("Glob", { pattern: "*" }) });
  expect(limited).toContain("[Explore a1: stopped at its limit of 1 request");
  expect(await ask({ model: "openai/gpt-5" })).toContain("openai/gpt-5");
});

test("an ask rule asks before an agent of its type starts, and a budget ends an agent", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ "a.txt": "a" });
  const settings = JSON.stringify({ permissions: { ask: ["Agent(Plan)"] } });
  const { session } = await sessionIn(here.app, project.dir, { settings });
  const { engine } = session.main;
  const turn = engine.submit({ prompt: agent({ subagent_type: "planner" }) });
  await until(() => engine.questions.pending.length === 1);
  expect(here.twin.requests).toHaveLength(1);
  engine.questions.reply(engine.questions.pending[0]?.id ?? "", { decision: "reject" });
  await turn;
  const poor = agent({ budget: 10, prompt: call("Read", { file_path: "a.txt" }) });
  expect((await engine.submit({ prompt: poor })).text).toContain("[Explore a1: stopped early: ");
});

deepTest("an agent has a limit of money, and the limits of the settings hold beside those of the call", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ "a.txt": "a" });
  const said = async (agents: object, more: object) => {
    const { session } = await sessionIn(here.app, project.dir, { settings: JSON.stringify({ agents }) });
    const prompt = agent({ ...more, prompt: call("Read", { file_path: "a.txt" }) });
    const { text } = await session.main.engine.submit({ prompt });
    await session.close();
    return text;
  };
  expect(await said({}, { max_usd: 0.001 })).toMatch(/stopped early: .*\$/);
  expect(await said({ usdLimit: 0.001 }, { max_usd: 10 })).toMatch(/stopped early: .*\$/);
  expect(await said({ tokenLimit: 10 }, { budget: 1_000_000 })).toMatch(/stopped early: .*10 tokens/);
  expect(await said({ turnLimit: 1 }, { max_turns: 5 })).toContain("stopped at its limit of 1 request");
  expect(await said({ turnLimit: 5, usdLimit: 10 }, {})).toContain("completed");
});

deepTest("definitions of the project and the command line are listed, and their fields count", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/reviewer.md": definition(
      "name: reviewer\ndescription: Reviews changes\ntools: Read, Grep, WebSearch\ndisallowedTools: Grep\nmodel: openai/gpt-5\nmaxTurns: 3",
    ),
    ".quoll/agents/apart.md": definition("name: apart\ndescription: Works apart\nisolation: container"),
  });
  const agents = { helper: { description: "Helps", prompt: "Help.", tools: ["Bash"] } };
  const { session, warnings, events } = await sessionIn(here.app, project.dir, { agents });
  await session.main.engine.submit({ prompt: agent({ subagent_type: "Reviewer", prompt: "hi" }) });
  const [first, child] = bodies(here.twin);
  const list = JSON.stringify(first?.messages[0]);
  expect(list).toContain("- helper: Helps\\n- reviewer: Reviews changes\\n</agents>");
  expect(namesOf(child)).toEqual(["Read"]);
  expect(child?.system.map(({ text }) => text).join("")).toContain("Review with care.");
  expect(warnings).toEqual([
    expect.stringContaining(".quoll/agents/apart.md: `isolation` container: expected worktree; the agent is not used."),
  ]);
  const notices = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  expect(notices).toEqual(["The model openai/gpt-5 of the agent reviewer is not available: it uses this session's."]);
});

test("an untrusted project defines no agents", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/agents/x.md": definition("name: x\ndescription: X") });
  const config = { cwd: project.dir, answerer: "nobody", conversation: { kind: "new" }, isSaved: false } as const;
  await using session = await openSession(here.app, { ...config, model: MODEL }, { startupWarning: () => undefined });
  expect(session.delegation.types.all.map(({ name }) => name)).toEqual([
    ...["Explore", "Plan", "Verification", "general-purpose", "fork", "guide", "statusline-setup"],
  ]);
});

deepTest("agents of one answer run side by side; a question names its agent and holds up no other", async () => {
  const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
  const use = (prompt: string) =>
    toolUse("Agent", { description: `does ${prompt.length}`, prompt, subagent_type: "general-purpose" });
  await using here = await oneProcess((request) => {
    const last = lastText(request.body as Body);
    if (!isChild(request))
      return last.includes("Both are done")
        ? reply("ok")
        : last.includes("asks:")
          ? reply("end")
          : reply([use("asks: Bash"), use("quick")]);
    return last.includes("asks: Bash")
      ? reply([toolUse("Bash", { command: "touch made", description: "x" })])
      : reply("Both are done");
  });
  await using project = await tempProject();
  const { session, events } = await sessionIn(here.app, project.dir);
  const turn = session.main.engine.submit({ prompt: "go" });
  await until(() => session.main.engine.questions.pending.length === 1);
  const [question] = session.main.engine.questions.pending;
  expect(question?.agentLabel).toBe("general-purpose: does 10");
  await until(() =>
    events.some(({ event, parentAgentId }) => event.type === "turn_finished" && parentAgentId !== null),
  );
  session.main.engine.interrupt();
  expect((await turn).outcome.reason).toBe("aborted");
  const open = events.filter(({ event, parentAgentId }) => event.type === "turn_finished" && parentAgentId !== null);
  expect(open).toHaveLength(2);
});

test("an agent whose disallowedTools nothing can match does not start, and the answer names the rule", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/careful.md": definition("name: careful\ndescription: Careful\ndisallowedTools: Bash(touch:* a*)"),
  });
  const { session } = await sessionIn(here.app, project.dir, { allow: ["Bash(touch *)", "Agent"] });
  const { text } = await session.main.engine.submit({
    prompt: agent({ subagent_type: "careful", prompt: call("Bash", { command: "touch ab", description: "A step" }) }),
  });
  expect(text).toContain("Bash(touch:* a*)");
  expect(text).toContain("is invalid");
  expect(await Bun.file(project.path("ab")).exists()).toBe(false);
});
