import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

const definition = (memory: string, tools = "Read, Write, Edit") =>
  `---\nname: keeper\ndescription: Keeps notes\ntools: ${tools}\nmemory: ${memory}\n---\nKeep notes.\n`;
const agent = (prompt: string) => call("Agent", { description: "keep", prompt, subagent_type: "keeper" });
const NOTE = "---\nname: build\ndescription: The build needs Bun\ntype: project\n---\nUse Bun.\n";
const SETTINGS = JSON.stringify({ memory: { enabled: true } });

deepTest(
  "an agent writes notes into its own folder without a question, and begins with them the next time",
  async () => {
    await using here = await oneProcess();
    await using project = await tempProject({ ".claude/agents/keeper.md": definition("local") });
    const config = { answerer: "nobody", settings: SETTINGS } as const;
    const { session } = await sessionIn(here.app, project.dir, config);
    const { engine } = session.main;
    await engine.submit({ prompt: agent("Look.") });
    const sent = () => JSON.stringify(here.twin.requests.at(-2)?.body);
    const folder =
      /<project-memory folder=\\"([^"\\]+)\\"/.exec(JSON.stringify(here.twin.requests[1]?.body))?.[1] ?? "";
    expect(folder).toContain("agent-memory");
    await engine.submit({ prompt: agent(call("Write", { file_path: join(folder, "build.md"), content: NOTE })) });
    expect(readdirSync(folder).sort()).toEqual(["MEMORY.md", "build.md"]);
    await engine.submit({ prompt: agent(call("Write", { file_path: project.path("x.md"), content: "x" })) });
    expect(existsSync(project.path("x.md"))).toBe(false);
    await engine.submit({ prompt: agent("Look again.") });
    expect(sent()).toContain("The build needs Bun");
    await engine.submit({ prompt: "hello" });
    // Later messages hold the answers of the agent, which repeat the end of its prompt.
    const body = here.twin.requests.at(-1)?.body as { messages: readonly unknown[] } | undefined;
    const first = JSON.stringify(body?.messages[0]);
    expect(first).toContain("<project-memory ");
    expect(first).not.toContain("Your own notes from earlier tasks");
  },
  60_000,
);

test("notes in the project's files stay inside the project", async () => {
  await using here = await oneProcess();
  await using elsewhere = await tempProject({ "keeper/secret.md": NOTE });
  await using project = await tempProject({
    ".claude/agents/keeper.md": definition("project"),
    ".quoll/agent-memory/keeper/build.md": NOTE,
    ".quoll/agent-memory/keeper/MEMORY.md": "- [build](build.md): The build needs Bun\n",
  });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: agent("Look.") });
  expect(JSON.stringify(here.twin.requests[1]?.body)).toContain("The build needs Bun");
  await session.close();
  await project.write(".quoll/agents/keeper.md", definition("project").replaceAll("keeper", "linked"));
  await symlink(join(elsewhere.dir, "keeper"), project.path(".quoll/agent-memory/linked"));
  const { session: second } = await sessionIn(here.app, project.dir);
  const linked = call("Agent", { description: "keep", prompt: "Look.", subagent_type: "linked" });
  const before = here.twin.requests.length;
  await second.main.engine.submit({ prompt: linked });
  expect(JSON.stringify(here.twin.requests[before + 1]?.body)).not.toContain("project-memory");
}, 60_000);

test("a scope of notes that does not exist, and notes that can't be written, are named", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".quoll/agents/other.md": definition("user", "Read").replace("keeper", "other"),
  });
  const { warnings } = await sessionIn(here.app, project.dir);
  expect(warnings).toEqual([expect.stringContaining("other.md: `memory`: without Write")]);
  await project.write(".quoll/agents/other.md", definition("global"));
  const { warnings: second } = await sessionIn(here.app, project.dir);
  expect(second).toEqual([expect.stringContaining("other.md: `memory`: expected one of user, project, local")]);
});

deepTest("a setting names the model of Explore", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const settings = JSON.stringify({ agents: { exploreModel: "claude-haiku-4-5" } });
  const { session } = await sessionIn(here.app, project.dir, { settings });
  const explore = (more: object) => call("Agent", { description: "look", prompt: "Look.", ...more });
  await session.main.engine.submit({ prompt: explore({ subagent_type: "Explore" }) });
  await session.main.engine.submit({ prompt: explore({ subagent_type: "Plan" }) });
  const models = here.twin.requests.map(({ body }) => (body as { model: string }).model);
  expect([models[1], models[4]]).toEqual(["claude-haiku-4-5", "claude-sonnet-4-5"]);
});
