import { expect, test } from "bun:test";
import { projectHooksLine } from "../../../src/cli/config/project-hooks-line.ts";
import { tempProject } from "../../support/temp-project.ts";

const hooks = (...commands: readonly string[]) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }] } });

async function projectWith(files: Readonly<Record<string, string>>) {
  const place = await tempProject(files);
  const folder = (name: string) => place.path(`home/quoll/${name}`);
  const own = { config: folder("c"), data: folder("d"), state: folder("s"), cache: folder("k") };
  const parts = { own: { ...own, home: place.path("home") }, project: { root: place.path("repo") }, isTrusted: true };
  return { place, parts, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

test("hooks of a project's .claude folder are named once, and again when they change", async () => {
  await using here = await projectWith({ "repo/.claude/settings.json": hooks("a", "b") });
  const line = "2 hooks in this project's .claude folder do not run in Quoll. How to move them: quoll config import";
  expect(await projectHooksLine({ ...here.parts, isTrusted: false })).toBeUndefined();
  expect(await projectHooksLine(here.parts)).toBe(line);
  expect(await projectHooksLine(here.parts)).toBeUndefined();
  await here.place.write("repo/.claude/settings.json", hooks("a", "c"));
  expect(await projectHooksLine(here.parts)).toBe(line);
});

test("hooks that the project's own settings have too are not named", async () => {
  await using here = await projectWith({
    "repo/.claude/settings.local.json": hooks("a", "b"),
    "repo/.quoll/settings.json": hooks("b"),
  });
  const line = "1 hook in this project's .claude folder does not run in Quoll. How to move it: quoll config import";
  expect(await projectHooksLine(here.parts)).toBe(line);
  await here.place.write("repo/.quoll/settings.json", hooks("a", "b"));
  expect(await projectHooksLine(here.parts)).toBeUndefined();
});
