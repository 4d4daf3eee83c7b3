import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

type Body = {
  readonly model: string;
  readonly system: readonly { readonly text: string }[];
  readonly tools: readonly { readonly name: string }[];
  readonly messages: unknown;
};
const definition = (fields: string) => `---\nname: reviewer\ndescription: Reviews\n${fields}\n---\nReview with care.\n`;
const write = (path: string) => call("Write", { file_path: path, content: "x" });

test("the main conversation works as an agent: its prompt, tools, model, mode, skills and hooks count", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    "a.txt": "a",
    ".claude/skills/house-rules/SKILL.md": "---\ndescription: d\n---\nTabs are forbidden here.\n",
    ".claude/agents/reviewer.md": definition(
      "tools: Read, Write, Grep, Bash\ndisallowedTools: Bash, Read(/secret/**)\nmodel: claude-haiku-4-5\npermissionMode: plan\nskills: house-rules\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: echo run >> hooked.txt",
    ),
  });
  const { session } = await sessionIn(here.app, project.dir, { agent: "Reviewer", model: undefined as never });
  const { engine } = session.main;
  await engine.submit({ prompt: call("Read", { file_path: project.path("a.txt") }) });
  const body = here.twin.requests[0]?.body as Body;
  expect(body.system.map(({ text }) => text).join("")).toContain("Review with care.");
  expect(body.tools.map(({ name }) => name)).toEqual(["Read", "Write", "Grep"]);
  expect(body.model).toBe("claude-haiku-4-5");
  expect(JSON.stringify(body.messages)).toContain("Tabs are forbidden here.");
  expect(readFileSync(project.path("hooked.txt"), "utf8")).toBe("run\n");
  await engine.submit({ prompt: write(project.path("new.txt")) });
  expect(engine.state.mode).toBe("plan");
  expect(existsSync(project.path("new.txt"))).toBe(false);
  const read = await engine.submit({ prompt: call("Read", { file_path: project.path("secret/a.txt") }) });
  expect(read.denials).toHaveLength(1);
});

test("an agent widens no mode, and options of the command line are stronger than its fields", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/reviewer.md": definition("permissionMode: bypassPermissions\nmodel: claude-haiku-4-5\nmaxTurns: 1"),
  });
  const config = { agent: "reviewer", model: "claude-opus-4-1", systemPrompt: { append: "Added." } };
  const { session } = await sessionIn(here.app, project.dir, { ...config, answerer: "nobody" });
  const { outcome } = await session.main.engine.submit({ prompt: write(project.path("new.txt")) });
  expect(outcome.reason).toBe("step_limit");
  expect(existsSync(project.path("new.txt"))).toBe(false);
  const body = here.twin.requests[0]?.body as Body;
  expect(body.model).toBe("claude-opus-4-1");
  const system = body.system.map(({ text }) => text).join("");
  expect([system.includes("Review with care."), system.includes("Added.")]).toEqual([true, true]);
});

deepTest("a resumed conversation keeps its agent, and the setting counts for new ones only", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/agents/reviewer.md": definition("maxTurns: 9") });
  const settings = JSON.stringify({ agent: "reviewer" });
  const first = await sessionIn(here.app, project.dir, { settings });
  expect(first.session.delegation.main?.name).toBe("reviewer");
  await first.session.main.engine.submit({ prompt: "hello" });
  const { sessionId } = first.session.conversation.log;
  await first.session.close();
  const plain = await sessionIn(here.app, project.dir);
  await plain.session.main.engine.submit({ prompt: "hello" });
  const plainId = plain.session.conversation.log.sessionId;
  await plain.session.close();
  const again = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id: sessionId } });
  expect(again.session.delegation.main?.name).toBe("reviewer");
  await again.session.close();
  const other = await sessionIn(here.app, project.dir, { settings, conversation: { kind: "saved", id: plainId } });
  expect(other.session.delegation.main).toBeUndefined();
  await project.write(".claude/agents/reviewer.md", "gone");
  const gone = await sessionIn(here.app, project.dir, { settings });
  expect([gone.session.delegation.main, gone.warnings]).toEqual([
    undefined,
    [expect.stringContaining('There is no agent type "reviewer"')],
  ]);
});

test("an agent that an option names must exist", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  await expect(sessionIn(here.app, project.dir, { agent: "Explor" })).rejects.toThrow("Did you mean Explore?");
  const untrusted = { agent: "reviewer", isTrusted: undefined as never };
  await expect(sessionIn(here.app, project.dir, untrusted)).rejects.toThrow("folder is not trusted");
  await expect(sessionIn(here.app, project.dir, { agent: "fork" })).rejects.toThrow("can't be the main one");
});

test("a deny rule of the main agent that nothing can match stops the start", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/reviewer.md":
      "---\nname: reviewer\ndescription: Reviews\ndisallowedTools: Bash(touch:* a*)\n---\nReview.",
  });
  await expect(sessionIn(here.app, project.dir, { agent: "reviewer" })).rejects.toThrow("the agent reviewer: the deny");
});

test.each([
  ["disallowedTools: Bsh(rm *)", "did you mean Bash?"],
  ["disallowedTools: Wirte", "did you mean Write?"],
  ["disallowedTools: Read Bash", '"Read Bash" is not the name of a tool'],
  ["disallowed-tools: Bash(touch:* a*)", "is invalid"],
])("an agent with `%s`, which forbids nothing, is not used, and a line says why", async (fields, why) => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/agents/reviewer.md": definition(fields) });
  await expect(sessionIn(here.app, project.dir, { agent: "reviewer" })).rejects.toThrow(why);
  const { warnings } = await sessionIn(here.app, project.dir);
  expect(warnings).toEqual([expect.stringContaining(why)]);
  expect(warnings[0]).toContain("the agent is not used");
});

const BAD_RULE = { description: "Helps", prompt: "Help.", disallowedTools: ["Bsh(rm *)"] };
test.each([
  ["the command line", {}, { helper: BAD_RULE }, /^Agent helper: the deny rule /],
  ["a file", { ".claude/agents/helper.md": definition("disallowedTools: Wirte") }, {}, /helper\.md: the deny rule /],
])("the line about a bad deny rule of an agent of %s names the agent once", async (_, files, agents, line) => {
  await using here = await oneProcess();
  await using project = await tempProject(files);
  const { warnings } = await sessionIn(here.app, project.dir, { agents });
  expect(warnings).toEqual([expect.stringMatching(line)]);
});

test("other spellings of an agent's limits count, and a line names the tools of `tools` that do not exist", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/reviewer.md": definition(
      "tools: Read, Grep, Edit, Bsh, Flurb, WebSearch\ndisallowed-tools: MultiEdit, mcp__*",
    ),
  });
  const { session, warnings } = await sessionIn(here.app, project.dir, { agent: "reviewer" });
  await session.main.engine.submit({ prompt: "hello" });
  const body = here.twin.requests[0]?.body as Body;
  expect(body.tools.map(({ name }) => name)).toEqual(["Read", "Grep"]);
  expect(warnings).toEqual([expect.stringContaining("Quoll does not have Bsh (did you mean Bash?), Flurb.")]);
});
