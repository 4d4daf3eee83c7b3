import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { BUILTIN_COMMANDS } from "../../../src/commands/builtin-commands.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;

test.each([
  ["new", "clear"],
  ["plugin", "plugins"],
  ["stats", "cost"],
])("/%s is another name of /%s", async (alias, name) => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(session.commands.registry.get(alias)?.value.name).toBe(name);
});

test("/skills off without a name asks for one", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(session.commands.run("/skills off", signal)).rejects.toThrow("Name the skill: `/skills off NAME`");
});

test("/export makes no folder", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  await session.main.engine.submit({ prompt: "hello" });
  await expect(session.commands.run("/export new/place/a.md", signal) ?? Promise.resolve()).rejects.toThrow(
    `There is no folder ${project.path("new/place")}`,
  );
  expect(existsSync(project.path("new"))).toBe(false);
  expect(await session.commands.run("/export a.md", signal)).toMatchObject({ kind: "text" });
});
