import { expect, test } from "bun:test";
import { BUILTIN_COMMANDS } from "../../../../src/commands/builtin-commands.ts";
import { oneProcess, sessionIn } from "../../../support/app-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;
const skill = (fields: string) => `---\ndescription: d\n${fields}---\nText.\n`;
const agent = (fields: string) => `---\nname: a\ndescription: d\n${fields}---\nText.\n`;

test("the parts left out of a collection are one line with a count at the first start, and one line when there are more", async () => {
  await using here = await oneProcess();
  for (let at = 0; at < 6; at += 1) await here.home.write(`.claude/skills/s${at}/SKILL.md`, skill("tools: x\n"));
  await here.home.write(".claude/agents/a.md", agent("maxTurns: never\n"));
  await using project = await tempProject();
  const warningsOf = async () => (await sessionIn(here.app, project.dir, {}, { commands })).warnings;
  expect(await warningsOf()).toEqual([
    "7 parts of agents, skills and commands are left out (1 whole file): `quoll doctor` lists them.",
  ]);
  expect(await warningsOf()).toEqual([]);
  await here.home.write(".claude/commands/c.md", skill("odd: x\n"));
  expect(await warningsOf()).toEqual([expect.stringContaining("8 parts")]);
  expect(await warningsOf()).toEqual([]);
});

test("the second of two skills with one name has the name of its folder, and the first start says so", async () => {
  await using here = await oneProcess();
  for (const folder of ["one", "two"])
    await here.home.write(`.claude/skills/${folder}/SKILL.md`, skill("name: same\n").replace("Text", `Of ${folder}`));
  await using project = await tempProject();
  const first = await sessionIn(here.app, project.dir, {}, { commands });
  expect(first.warnings).toEqual(["Two skills have one name: /same of ~/.claude/skills/two/SKILL.md is /two."]);
  expect(await first.session.commands.run("/two", signal)).toMatchObject({ prompt: expect.stringContaining("Of two") });
  expect(await first.session.commands.run("/same", signal)).toMatchObject({
    prompt: expect.stringContaining("Of one"),
  });
  expect((await sessionIn(here.app, project.dir, {}, { commands })).warnings).toEqual([]);
});

test("a skill whose folder has the name of another skill takes no name from it", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/skills/one/SKILL.md", skill("name: same\n").replace("Text", "Of one"));
  await here.home.write(".claude/skills/two/SKILL.md", skill("name: same\n").replace("Text", "Of two"));
  await here.home.write(".claude/skills/zwei/SKILL.md", skill("name: two\n").replace("Text", "Of zwei"));
  await using project = await tempProject();
  const { session, warnings } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(await session.commands.run("/two", signal)).toMatchObject({ prompt: expect.stringContaining("Of zwei") });
  expect(warnings.join()).toContain("/same of ~/.claude/skills/two/SKILL.md");
  const again = await sessionIn(here.app, project.dir, {}, { commands });
  expect(again.warnings).toEqual([]);
});
