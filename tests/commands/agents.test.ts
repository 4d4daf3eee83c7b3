import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentsCommand } from "../../src/commands/agents.ts";
import { type CommandResult, linesOf } from "../../src/contracts/command-result.ts";
import { oneProcess, sessionIn } from "../support/app-harness.ts";
import { tempProject } from "../support/temp-project.ts";

const BUILTIN = { commands: { builtin: [agentsCommand] } };
const { signal } = new AbortController();
const FIELDS = { name: "reviewer", description: "Reviews: a change", tools: "Read, Grep", model: "", place: "" };

async function opened() {
  const cleanup = new AsyncDisposableStack();
  const here = cleanup.use(await oneProcess());
  const project = cleanup.use(
    await tempProject({ ".quoll/agents/old.md": "---\nname: old\ndescription: d\n---\nx\n" }),
  );
  const { session } = await sessionIn(here.app, project.dir, {}, BUILTIN);
  const run = async (words: string) => (await session.commands.run(words, signal)) as CommandResult;
  const said = async (words: string) => linesOf((await run(words)) as never).join("\n");
  const create = async (fields: Partial<typeof FIELDS>) => {
    const form = await run("/agents new fields");
    if (form.kind !== "form") throw new Error("No form.");
    return form.submit({ ...FIELDS, ...fields }, signal);
  };
  /** The problem with which the form opens again. */
  const refused = async (fields: Partial<typeof FIELDS>) => {
    const again = await create(fields);
    if (again.kind !== "form") throw new Error("The agent was created.");
    expect(again.fields.map(({ value = "" }) => value)).toEqual(Object.values({ ...FIELDS, ...fields }));
    return again.fields[0]?.problem;
  };
  const path = join(project.dir, ".quoll/agents/reviewer.md");
  return { run, said, create, refused, path, dir: project.dir, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

test("/agents lists the types with their source, and shows one", async () => {
  await using here = await opened();
  expect(await here.said("/agents")).toMatch(/ {2}old {2}d {2}project\n[\s\S]* {2}Explore {2}.* built in/);
  const list = await here.run("/agents");
  expect(list.kind === "choose" && list.choices.find(({ label }) => label === "old")).toMatchObject({
    ...{ detail: "d", about: ["d", "project"] },
  });
  expect(await here.said("/agents Explore")).toMatch(/tools: Read, Glob, Grep.*\n {2}model: the session's/);
  await expect(here.run("/agents Explorr")).rejects.toThrow("Did you mean Explore?");
});

test("an agent is created from a form as a file that counts at once, and only if its fields can be used", async () => {
  await using here = await opened();
  expect(await here.refused({ name: "a b" })).toContain("letters, digits");
  expect(await here.refused({ description: " " })).toContain("`description` is missing");
  expect(await here.refused({ place: "moon" })).toContain("project or user");
  expect(await here.refused({ tools: "Read, Grpe" })).toContain('"Grpe". Did you mean Grep?');
  expect(await here.refused({ tools: "run_shell_command" })).toContain("Did you mean Bash?");
  expect(existsSync(here.path)).toBe(false);
  const made = await here.create({});
  expect(made.kind === "choose" && made.choices.map(({ input }) => input)).toEqual([
    "",
    "/agents edit reviewer",
    "/agents write reviewer",
    "/agents delete reviewer",
  ]);
  expect(readFileSync(here.path, "utf8")).toContain('description: "Reviews: a change"\ntools: Read, Grep\n');
  expect(await here.said("/agents reviewer")).toMatch(/^reviewer: Reviews: a change[\s\S]*tools: Read, Grep\n/);
  expect(await here.refused({})).toContain("exists already");
  await here.create({ name: "other", tools: "Read, mcp__shop, mcp__docs__*" });
});

test("a file of one's own is edited in the editor, written by the model, and deleted after a question", async () => {
  await using here = await opened();
  await here.create({});
  const edit = await here.run("/agents edit reviewer");
  if (edit.kind !== "edit") throw new Error("No editor.");
  expect(edit.file).toBe(here.path);
  expect(linesOf((await edit.edited(signal)) as never).join()).toContain("reviewer takes effect");
  for (const name of ["old", "reviewer"])
    await Bun.write(
      join(here.dir, `.quoll/agents/${name}.md`),
      `---\nname: ${name}\ndescription: d\nof-${name}: 1\n---\nx\n`,
    );
  const warned = linesOf((await edit.edited(signal)) as never).join();
  expect([warned.includes("of-reviewer"), warned.includes("of-old")]).toEqual([true, false]);
  const write = await here.run("/agents write reviewer");
  expect(write.kind === "prompt" && write.prompt).toContain(here.path);
  const question = await here.run("/agents delete reviewer");
  expect([question.kind === "choose" && question.isYesNo, existsSync(here.path)]).toEqual([true, true]);
  await here.run("/agents delete reviewer --yes");
  expect(existsSync(here.path)).toBe(false);
  await expect(here.run("/agents reviewer")).rejects.toThrow("no agent reviewer");
  await expect(here.run("/agents delete Explore --yes")).rejects.toThrow("not one of your files");
});

test("of two files with one name the weaker is listed as not used", async () => {
  await using here = await opened();
  await Bun.write(join(here.dir, ".claude/agents/old.md"), "---\nname: old\ndescription: the other\n---\nx\n");
  expect(await here.said("/agents")).toMatch(/ {2}old {2}the other {2}project · not used\n/);
  expect(await here.said("/agents old")).toMatch(/not used, same name: .*\.claude\/agents\/old\.md/);
});

test("a wish in one line has the model write the file of an agent", async () => {
  await using here = await opened();
  const start = await here.run("/agents new");
  expect(start.kind === "choose" && start.choices.map(({ input }) => input)).toEqual([
    "/agents new wish",
    "/agents new fields",
  ]);
  const asked = await here.run("/agents new wish");
  const given = asked.kind === "form" ? await asked.submit({ wish: "check the links" }, signal) : undefined;
  expect(given?.kind === "prompt" && given.typed).toBe("/agents new check the links");
  for (const result of [given, await here.run("/agents new check the links")])
    expect(result?.kind === "prompt" && result.prompt).toMatch(/check the links[\s\S]*\.quoll\/agents/);
});
