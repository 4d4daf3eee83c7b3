import { expect, test } from "bun:test";
import { skillsCommand } from "../../src/commands/skills.ts";
import type { CommandContext, SkillsView } from "../../src/contracts/command.ts";
import type { Skill } from "../../src/contracts/skill.ts";

const skill = (name: string, changes: Partial<Skill> = {}) =>
  ({
    ...{ name, description: "Cuts a release of the shop, and writes the changelog of what was merged since the last" },
    ...{ origin: "project", isForModel: true, isForUser: true, paths: [], chars: 0 },
    ...changes,
  }) as unknown as Skill;

async function linesWith(...all: readonly Skill[]): Promise<readonly string[]> {
  const skills: Partial<SkillsView> = {
    list: async () => all,
    shadowed: () => [],
    warnings: () => [],
    isOff: (name) => name === "gone",
  };
  const result = await skillsCommand.run("", { skills } as unknown as CommandContext, new AbortController().signal);
  if (result.kind !== "view") throw new Error(result.kind);
  return result.lines;
}

test("/skills says what the states in its list mean, and ends each description with a word", async () => {
  const lines = await linesWith(skill("release"), skill("fix", { isForModel: false }));
  expect(lines.slice(1, 3)).toEqual([
    "  /release  on          Cuts a release of the shop, and writes the changelog …",
    "  /fix      you only    Cuts a release of the shop, and writes the changelog …",
  ]);
  expect(lines.join("\n")).toContain("on: you and the model start it; you only: it starts when you type its name.");
  expect((await linesWith(skill("gone"))).join("\n")).toContain("off: nobody starts it.");
});
