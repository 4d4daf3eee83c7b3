import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import type { Twin } from "@quoll/model-twin/server";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

type Body = {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: readonly { readonly text?: string; readonly content?: unknown }[] }[];
};
const bodies = (twin: Twin) => twin.requests.map(({ body }) => body as Body);
const toolNames = (body: Body | undefined) => (body?.tools ?? []).map(({ name }) => name);
const textsOf = (body: Body | undefined, at: number) =>
  (body?.messages.at(at)?.content ?? []).map(({ text, content }) => text ?? JSON.stringify(content)).join("\n");
/** The lists of skills in a message. */
const listsIn = (text: string) => [...text.matchAll(/<skills>\n([\s\S]*?)\n<\/skills>/g)].map(([, list]) => list);

const skill = (description: string, text: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\n${text}\n`;

test("without skills for the model, neither the tool nor a list is sent", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/x/SKILL.md": skill("x", "x", "disable-model-invocation: true\n"),
  });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: "hi" });
  const [body] = bodies(here.twin);
  expect(toolNames(body)).not.toContain("Skill");
  expect(textsOf(body, 0)).not.toContain("<skills>");
});

test("the first message lists the skills for the model, and Skill loads one with its arguments", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/deploy/SKILL.md": skill("Deploys the shop", `Deploy $0 from \${CLAUDE_SKILL_DIR}.`),
    ".claude/skills/mine/SKILL.md": skill("Mine", "x", "disable-model-invocation: true\n"),
    ".claude/commands/tidy.md": "No description.",
  });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: call("Skill", { skill: "deploy", args: "staging now" }) });
  const [first, second] = bodies(here.twin);
  expect(toolNames(first).at(-1)).toBe("Skill");
  const [list = ""] = listsIn(textsOf(first, 0));
  expect(list.split("\n").slice(1)).toEqual(["- deploy: Deploys the shop"]);
  const folder = project.path(".claude/skills/deploy");
  expect(JSON.parse(textsOf(second, -1))).toBe(
    `<skill name="deploy" folder="${folder}">\nDeploy staging from ${folder}.\n</skill>`,
  );
});

deepTest("the text of a skill ends with the names of the other files of its folder", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/deploy/SKILL.md": skill("Deploys the shop", "Deploy."),
    ".claude/skills/deploy/scripts/go.sh": "exit 0\n",
    ".claude/skills/deploy/reference.md": "x\n",
    ".claude/skills/deploy/.env": "KEY=1\n",
  });
  const { session } = await sessionIn(here.app, project.dir, { deny: ["Read(**/.env)"] });
  await session.main.engine.submit({ prompt: call("Skill", { skill: "deploy" }) });
  const [, second] = bodies(here.twin);
  expect(JSON.parse(textsOf(second, -1)).split("\n").slice(1)).toEqual([
    "Deploy.",
    "",
    "Files in the skill's folder: reference.md scripts/ scripts/go.sh",
    "</skill>",
  ]);
});

test("rules for Skill(name) hold, and a skill that only people start is refused", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/deploy/SKILL.md": skill("Deploys", "Deploy."),
    ".claude/skills/lint/SKILL.md": skill("Lints", "Lint."),
    ".claude/skills/mine/SKILL.md": skill("Mine", "x", "disable-model-invocation: true\n"),
  });
  const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody", deny: ["Skill(deploy)"] });
  const ask = async (name: string) =>
    (await session.main.engine.submit({ prompt: call("Skill", { skill: name }) })).text;
  expect(await ask("deploy")).toContain("Refused by the deny rule Skill(deploy)");
  expect(await ask("lint")).toContain("Lint.");
  expect(await ask("mine")).toContain("Only the user can start the skill mine");
  expect(await ask("lnt")).toContain("Did you mean lint?");
});

deepTest("skills that appear or disappear during the session are reported before the next request", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/skills/a/SKILL.md": skill("A", "a") });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: "one" });
  await session.main.engine.submit({ prompt: "two" });
  await project.write(".claude/skills/b/SKILL.md", skill("B", "b"));
  await rm(project.path(".claude/skills/a"), { recursive: true });
  await session.main.engine.submit({ prompt: "three" });
  await session.main.engine.submit({ prompt: "four" });
  const [, two, three, four] = bodies(here.twin);
  expect(listsIn(textsOf(two, -1))).toEqual([]);
  expect(listsIn(textsOf(three, -1))).toEqual(["New skills:\n- b: B\nNo longer there: a"]);
  expect(listsIn(textsOf(four, -1))).toEqual([]);
});

test("the first skill of a session brings the tool with it", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: "one" });
  await project.write(".claude/skills/b/SKILL.md", skill("B", "b"));
  await session.main.engine.submit({ prompt: "two" });
  const [one, two] = bodies(here.twin);
  expect(toolNames(one)).not.toContain("Skill");
  expect(toolNames(two).at(-1)).toBe("Skill");
  expect(listsIn(textsOf(two, -1))).toEqual(["New skills:\n- b: B"]);
});

deepTest("skills below a folder, and skills for files, join when a call touches one of the files", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    "packages/a/src/x.ts": "x",
    "packages/a/.claude/skills/near/SKILL.md": skill("Near", "near"),
    ".claude/skills/styles/SKILL.md": skill("Styles", "s", 'paths: "**/*.css"\n'),
    ".claude/skills/typed/SKILL.md": skill("Typed", "t", "paths: packages/**/*.ts\n"),
  });
  const { session } = await sessionIn(here.app, project.dir);
  await session.main.engine.submit({ prompt: call("Read", { file_path: project.path("packages/a/src/x.ts") }) });
  const [first, second] = bodies(here.twin);
  expect(toolNames(first)).toContain("Skill");
  expect(listsIn(textsOf(first, 0))).toEqual([]);
  expect(listsIn(textsOf(second, -1))).toEqual(["New skills:\n- typed: Typed\n- near: Near"]);
});

deepTest("a skill with context fork runs in an agent of its own, whose answer is the result", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/look/SKILL.md": skill("Looks", bash("touch made.txt"), "context: fork\nagent: Explore\n"),
  });
  const { session, events } = await sessionIn(here.app, project.dir, { allow: ["Bash(touch *)"] });
  const { text } = await session.main.engine.submit({ prompt: call("Skill", { skill: "look" }) });
  expect(text).toContain("[Explore a1: completed");
  expect(toolNames(bodies(here.twin)[1])).toEqual(["Read", "Glob", "Grep", "WebFetch"]);
  expect(session.tasks.list()).toMatchObject([{ id: "a1", status: "completed", title: "Explore: /look" }]);
  expect(events.some(({ parentAgentId }) => parentAgentId === "main")).toBe(true);
  expect(await Bun.file(project.path("made.txt")).exists()).toBe(false);
});

deepTest(
  "the agent of a skill has the type that the skill names, with its prompt, model, tools and skills",
  async () => {
    await using here = await oneProcess();
    const type = "name: reader\ndescription: Reads\ntools: Read, Grep, Skill\nmodel: claude-haiku-4-5\nskills: rules";
    await using project = await tempProject({
      ".claude/agents/reader.md": `---\n${type}\n---\nRead slowly.\n`,
      ".claude/skills/rules/SKILL.md": skill("Rules", "Rule 7."),
      ".claude/skills/look/SKILL.md": skill("Looks", "Look.", "context: fork\nagent: reader\ndisallowed-tools: Grep\n"),
      ".claude/skills/odd/SKILL.md": skill("Odd", "Look.", "context: fork\nagent: raeder\n"),
    });
    const { session } = await sessionIn(here.app, project.dir);
    await session.main.engine.submit({ prompt: call("Skill", { skill: "look" }) });
    const child = bodies(here.twin)[1];
    expect(JSON.stringify(child)).toMatch(/claude-haiku-4-5.*Read slowly\..*Rule 7\..*Look\./);
    expect(toolNames(child)).toEqual(["Read", "Skill"]);
    const { text } = await session.main.engine.submit({ prompt: call("Skill", { skill: "odd" }) });
    expect(text).toMatch(/skill odd .*raeder.*Did you mean reader\?/);
    expect(session.tasks.list().map(({ title }) => title)).toEqual(["reader: /look"]);
  },
);

test("a skill whose agent has a type that a rule denies does not start, and no other type takes its place", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/look/SKILL.md": skill("Looks", "Look.", "context: fork\nagent: Explore\n"),
  });
  const { session } = await sessionIn(here.app, project.dir, { deny: ["Agent(Explore)"] });
  const { text } = await session.main.engine.submit({ prompt: call("Skill", { skill: "look" }) });
  expect(text).toContain("Agent(Explore)");
  expect(session.tasks.list()).toEqual([]);
});

test("a resumed session sends the bytes of the skill that it had, although the file has changed", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/skills/a/SKILL.md": skill("A", "The old text.") });
  const first = await sessionIn(here.app, project.dir);
  await first.session.main.engine.submit({ prompt: call("Skill", { skill: "a" }) });
  await first.session.close();
  await project.write(".claude/skills/a/SKILL.md", skill("A", "Another text."));
  const id = first.session.conversation.log.sessionId;
  const again = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id } });
  await again.session.main.engine.submit({ prompt: "go on" });
  const [, before, after] = bodies(here.twin);
  const unmarked = (body: Body | undefined) =>
    JSON.stringify(body?.messages ?? []).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  expect(unmarked(after)).toStartWith(unmarked(before).slice(0, -1));
  expect(listsIn(textsOf(after, -1))).toEqual([]);
});

deepTest("a compaction attaches the skills in use again", async () => {
  const summary = "<summary>\n## Goal\nThe work so far.\n## Next step\nGo on.\n</summary>";
  const load = reply([toolUse("Skill", { skill: "a" })]);
  await using here = await oneProcess([
    load,
    reply("words ".repeat(5_000)),
    reply("Yes."),
    reply(summary),
    reply("Done."),
  ]);
  await using project = await tempProject({ ".claude/skills/a/SKILL.md": skill("A", "Follow rule 7.") });
  const { session } = await sessionIn(here.app, project.dir);
  const { engine } = session.main;
  await engine.submit({ prompt: "load it" });
  await engine.submit({ prompt: "go on" });
  expect(await engine.compact()).toBeGreaterThan(0);
  await engine.submit({ prompt: "go on" });
  const sent = textsOf(bodies(here.twin).at(-1), 0);
  expect(sent).toContain("## Goal\nThe work so far.");
  expect(sent.match(/Follow rule 7/g)).toHaveLength(1);
  expect(listsIn(sent)).toHaveLength(1);
});
