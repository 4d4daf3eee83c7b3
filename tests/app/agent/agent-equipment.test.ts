import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest } from "../../../src/contracts/approval.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { SDK_SERVER } from "../../services/mcp/mcp-harness.ts";
import { bash, call, oneProcess, runIn, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const definition = (fields: string, text = "Review with care.") =>
  `---\nname: reviewer\ndescription: Reviews\n${fields}\n---\n${text}\n`;
const agent = (prompt = "Look.", more: object = {}) =>
  call("Agent", { description: "look", prompt, subagent_type: "reviewer", ...more });
const UNTRUSTED = { isTrusted: undefined } as unknown as Partial<SessionConfig>;
const hook = (event: string, command: string) =>
  `  ${event}:\n    - hooks:\n        - type: command\n          command: ${command}`;

test("an agent begins with the text of its skills, and continues without a missing skill", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/house-rules/SKILL.md": "---\ndescription: d\n---\nTabs are forbidden here.\n",
    ".claude/agents/reviewer.md": definition("skills: [house-rules, gone]"),
  });
  const { session, events } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: agent("Look around.") });
  const [, child] = here.twin.requests.map(({ body }) => JSON.stringify((body as { messages: unknown }).messages));
  expect(child).toContain("Tabs are forbidden here.");
  expect(child?.indexOf("Tabs are forbidden")).toBeLessThan(child?.indexOf("Look around.") ?? 0);
  const notices = events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  expect(notices).toEqual([expect.stringContaining("reviewer continues without the skill gone")]);
});

test("the hooks of a definition run for the calls of its agent only, and only while it works", async () => {
  await using here = await oneProcess();
  // A file of the project that a hook names, and that changes, stops the hook.
  const file = join(here.home.dir, "hooked.txt");
  await using project = await tempProject({
    "a.txt": "a",
    ".claude/agents/reviewer.md": definition(`hooks:\n${hook("PreToolUse", `echo run >> ${file}`)}`),
  });
  const { session } = await sessionIn(here.app, project.dir, { allow: ["Bash(until *)"] });
  const read = call("Read", { file_path: project.path("a.txt") });
  const hooked = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const turn = session.main.engine.submit({ prompt: agent(bash("until test -e go; do sleep 0.01; done")) });
  await until(() => hooked() === "run\n");
  await runIn(session, {}, read);
  await project.write("go", "");
  await turn;
  await session.main.engine.submit({ prompt: read });
  expect(hooked()).toBe("run\n");
}, 60_000);

test("a guard of a definition is also asked about the commands of the skills that its agent uses", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/inline/SKILL.md": "---\ndescription: d\nallowed-tools: Bash(touch *)\n---\nMade: !`touch made`\n",
    ".claude/agents/reviewer.md": definition(
      `hooks:\n${hook("PreToolUse", "exit 2").replace("- hooks", "- matcher: Bash\n      hooks")}`,
    ),
  });
  const { session } = await sessionIn(here.app, project.dir, { allow: ["Skill"] });
  await session.main.engine.submit({ prompt: agent(call("Skill", { skill: "inline" })) });
  expect(existsSync(project.path("made"))).toBe(false);
  await session.main.engine.submit({ prompt: call("Skill", { skill: "inline" }) });
  expect(existsSync(project.path("made"))).toBe(true);
});

test("a project's agent with hooks is asked about at the start, and does not start unless it is approved", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".claude/agents/reviewer.md": definition(`hooks:\n${hook("PreToolUse", "./guard.sh")}`),
    "guard.sh": "touch guarded\n",
  });
  const asked: string[] = [];
  const ports = {
    askTrust: async ({ reasons }: { reasons: readonly string[] }) => {
      asked.push(...reasons);
      return "trust" as const;
    },
    askApproval: async ({ reasons }: ApprovalRequest) => {
      asked.push(...reasons);
      return "no" as const;
    },
  };
  const first = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  expect((await first.session.main.engine.submit({ prompt: agent() })).text).toContain("[reviewer a1: completed");
  await first.session.close();
  await project.write("guard.sh", "touch changed\n");
  const second = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  const { text } = await second.session.main.engine.submit({ prompt: agent(call("Glob", { pattern: "*" })) });
  expect(text).toContain("reviewer can't start: the user has not approved the hooks");
  const line = "runs at PreToolUse: ./guard.sh, while the agent reviewer works (.claude/agents/reviewer.md)";
  expect(asked).toEqual([line, `has changed: ${line}`]);
  expect(existsSync(project.path("changed"))).toBe(false);
});

test("a hook that can't be read keeps the agent from starting", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/agents/reviewer.md": definition("hooks:\n  PreTool:\n    - hooks: []"),
  });
  const { session } = await sessionIn(here.app, project.dir);
  expect((await session.main.engine.submit({ prompt: agent() })).text).toMatch(/there is no event \\?"PreTool/);
});

deepTest(
  "the servers that a definition describes run while its agent works, and give it their tools alone",
  async () => {
    await using here = await oneProcess();
    const server = JSON.stringify({ command: process.execPath, args: [SDK_SERVER] });
    await using project = await tempProject({
      ".claude/agents/reviewer.md": definition(`tools: Read\nmcpServers:\n  - sums: ${server}`),
      ".claude/agents/other.md": `---\nname: other\ndescription: d\nmcpServers:\n  gone:\n    command: /none/such\n---\nText.\n`,
    });
    const { session } = await sessionIn(here.app, project.dir, { allow: ["mcp__sums"] });
    const adding = call("mcp__sums__add_numbers", { a: 2, b: 3 });
    const { text } = await session.main.engine.submit({ prompt: agent(adding) });
    const child = here.twin.requests[1]?.body as { tools: { name: string }[] };
    expect(child.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Read", "mcp__sums__add_numbers"]));
    expect(text).toContain("completed");
    const client = await session.servers.open();
    await until(() => client.states.length === 0);
    await session.main.engine.submit({ prompt: "hello" });
    const last = here.twin.requests.at(-1)?.body as { tools: unknown };
    expect(JSON.stringify(last.tools)).not.toContain("mcp__sums");
    const failed = await session.main.engine.submit({ prompt: agent("Look.", { subagent_type: "other" }) });
    expect(failed.text).toContain("The MCP server gone, which it needs,");
    await session.close();
  },
  60_000,
);

test("a project's agent with servers of its own does not start unless they are approved", async () => {
  await using here = await oneProcess();
  const files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".claude/agents/reviewer.md": definition("mcpServers:\n  evil:\n    command: ./evil.sh"),
    "evil.sh": "touch ran\n",
  };
  await using project = await tempProject(files);
  const asked: string[] = [];
  const ports = {
    askTrust: async ({ reasons }: { reasons: readonly string[] }) => {
      asked.push(...reasons);
      return "trust" as const;
    },
    askApproval: async () => "no" as const,
  };
  const first = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  await first.session.close();
  expect(asked.join()).toContain("starts the MCP server evil: ./evil.sh (while the agent reviewer works");
  await project.write("evil.sh", "touch changed\n");
  const second = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  const { text } = await second.session.main.engine.submit({ prompt: agent() });
  expect(text).toContain("has not approved the hooks and servers");
  expect(existsSync(project.path("changed"))).toBe(false);
  await second.session.close();
});

deepTest(
  "an agent that needs MCP servers waits for them, and does not start without one",
  async () => {
    await using here = await oneProcess();
    await using project = await tempProject({
      ".claude/agents/reviewer.md": definition("mcpServers: [db]"),
      ".quoll/agents/other.md": "---\nname: other\ndescription: d\nmcpServers: absent, db\n---\nText.\n",
    });
    const configs = [JSON.stringify({ mcpServers: { db: { command: process.execPath, args: [SDK_SERVER] } } })];
    const mcp = { configs, inProcess: [], isInBackground: true } as const;
    const { session } = await sessionIn(here.app, project.dir, { mcp });
    session.servers.start();
    await session.main.engine.submit({ prompt: agent() });
    const child = here.twin.requests[1]?.body as { tools: { name: string }[] };
    expect(child.tools.map(({ name }) => name)).toContain("mcp__db__add_numbers");
    const { text } = await session.main.engine.submit({ prompt: agent("Look.", { subagent_type: "other" }) });
    expect(text).toContain("The MCP server absent, which it needs, is not configured.");
  },
  60_000,
);
