import { expect, test } from "bun:test";
import { symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { contentFolders, SKILL_FOLDERS } from "../../../src/app/content-folders.ts";
import type { Message } from "../../../src/contracts/message.ts";
import { triggerMatcher } from "../../../src/platform/globs/trigger-globs.ts";
import { skillsInUse } from "../../../src/services/skills/skill-elements.ts";
import { SkillSet } from "../../../src/services/skills/skill-set.ts";
import { tempProject } from "../../support/temp-project.ts";

const md = (description: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\nText of ${description}.\n`;

async function setOf(files: Readonly<Record<string, string>>) {
  const project = await tempProject(files);
  const root = join(project.dir, "shop");
  const cwd = join(root, "packages/a");
  const own = { home: join(project.dir, "home"), config: join(project.dir, "home/.config/quoll") };
  const sources = { env: {}, own, project: { cwd, root }, plugins: [], isTrusted: true };
  const set = new SkillSet(() => contentFolders({}, sources, SKILL_FOLDERS));
  await set.refresh();
  return { ...project, set, names: () => set.skills.map(({ name }) => name).toSorted() };
}

test("skills and commands in the layouts of other tools are found", async () => {
  await using place = await setOf({
    "home/.claude/skills/deploy/SKILL.md": md("deploy"),
    "home/.claude/skills/deploy/references/table.md": "a table",
    "home/.agents/skills/lint/SKILL.md": md("lint"),
    "home/.claude/commands/git/tidy.md": md("tidy"),
    "home/.codex/prompts/ask.md": "Ask $1.",
    "home/.gemini/commands/plan.toml": 'prompt = "Plan {{args}}"',
    "home/.config/opencode/command/oc.md": "Do $ARGUMENTS.",
    "home/.config/quoll/skills/mine/SKILL.md": md("mine"),
    "shop/.claude/skills/root/SKILL.md": md("root"),
    "shop/packages/a/.agents/skills/near/SKILL.md": md("near"),
    "shop/packages/b/.claude/skills/elsewhere/SKILL.md": md("elsewhere"),
    "shop/.quoll/commands/own.md": "Text",
    "shop/.qwen/commands/q/w.toml": 'description = "w"\nprompt = "x"',
  });
  expect(place.names()).toEqual([
    ...["ask", "deploy", "git:tidy", "lint", "mine", "near", "oc", "own", "plan", "q:w", "root"],
  ]);
  expect(place.set.warnings).toEqual([]);
  expect(place.set.get("own")).toMatchObject({ isForModel: false, description: "Text" });
  expect(place.set.get("git:tidy")).toMatchObject({ isForModel: true, description: "tidy" });
});

test("the user's skill counts before the project's, and a link to the same file is no clash", async () => {
  await using place = await setOf({
    "home/.claude/skills/deploy/SKILL.md": md("the user's"),
    "shop/.claude/skills/deploy/SKILL.md": md("the project's"),
    "shop/.agents/skills/lint/SKILL.md": md("lint"),
    "shop/.quoll/skills/x/SKILL.md": md("x"),
  });
  await symlink(join(place.dir, "shop/.agents/skills/lint"), join(place.dir, "shop/.quoll/skills/lint"));
  await place.set.refresh();
  expect(place.set.get("deploy")?.description).toBe("the user's");
  expect(place.set.get("lint")?.description).toBe("lint");
  expect(place.set.shadowed.map(({ skill, by }) => [skill.description, by?.description])).toEqual([
    ["the project's", "the user's"],
  ]);
});

test("a project's link out of the project is not followed", async () => {
  await using place = await setOf({ "secret/SKILL.md": md("secret"), "shop/.claude/skills/x/SKILL.md": md("x") });
  await symlink(join(place.dir, "secret"), join(place.dir, "shop/.claude/skills/out"));
  await place.set.refresh();
  expect(place.names()).toEqual(["x"]);
});

test("malformed files cost a warning with file and line, and the skill keeps its folder's name", async () => {
  await using place = await setOf({
    "shop/.claude/skills/broken/SKILL.md": "---\nname: [\ndescription: Works: still\n---\nText",
    "shop/.claude/skills/odd/SKILL.md": "---\ndescription: d\neffort: huge\nfoo: 1\n---\nText",
    "shop/.claude/skills/types/SKILL.md": `---
description: [a, b]
allowed-tools: {a: b}
user-invocable: perhaps
context: away
shell: powershell
background: true
---
Text`,
    "shop/.claude/commands/fine.md": "---\ndescription: d\nshell: bash\nbackground: false\n---\nText",
    "shop/.gemini/commands/bad.toml": "prompt = ",
  });
  expect(place.names()).toEqual(["broken", "fine", "odd", "types"]);
  expect(place.set.get("broken")?.description).toBe("Works: still");
  const warnings = place.set.warnings.map(({ line }) => line.replace(`${place.dir}/shop/`, ""));
  expect(warnings[0]).toStartWith(".claude/skills/broken/SKILL.md:");
  expect(warnings.slice(1)).toEqual([
    ".claude/skills/odd/SKILL.md:3: effort must be one of low, medium, high, xhigh, max.",
    ".claude/skills/odd/SKILL.md:4: ignored: foo.",
    ".claude/skills/types/SKILL.md:2: description must be text.",
    ".claude/skills/types/SKILL.md:4: user-invocable must be true or false.",
    ".claude/skills/types/SKILL.md:3: allowed-tools must be a list.",
    ".claude/skills/types/SKILL.md:5: context must be fork.",
    ".claude/skills/types/SKILL.md:6: shell: inline commands run in bash, not in powershell.",
    ".claude/skills/types/SKILL.md:7: background: the skill runs in the foreground.",
    expect.stringMatching(/^\.gemini\/commands\/bad\.toml is not used as a skill: /),
  ]);
});

test("every field of the frontmatter is read", async () => {
  const header = `when_to_use: at night\nargument-hint: [file]\narguments: a b\ndisable-model-invocation: true\nallowed-tools: Read, Bash(git *)\ndisallowed-tools:\n  - Write\nmodel: haiku\neffort: high\ncontext: fork\nagent: Explore\npaths: "src/**/*.{ts,tsx}, docs/**"\nlicense: MIT\n`;
  await using place = await setOf({ "shop/.claude/skills/full/SKILL.md": md("all", header) });
  expect(place.set.get("full")).toMatchObject({
    ...{ description: "all", whenToUse: "at night", argumentHint: "[file]", argumentNames: ["a", "b"] },
    ...{ isForModel: false, isForUser: true, allowedTools: ["Read", "Bash(git *)"], disallowedTools: ["Write"] },
    ...{ model: "haiku", effort: "high", isForked: true, agent: "Explore", paths: ["src/**/*.{ts,tsx}", "docs/**"] },
  });
  expect(place.set.warnings).toEqual([]);
});

test("a refresh notices new, changed and deleted skills, and nothing else", async () => {
  await using place = await setOf({ "shop/.claude/skills/x/SKILL.md": md("x") });
  expect(await place.set.refresh()).toBe(false);
  await place.write("shop/.claude/skills/y/SKILL.md", md("y"));
  expect(await place.set.refresh()).toBe(true);
  expect(place.names()).toEqual(["x", "y"]);
  const file = await place.write("shop/.claude/skills/x/SKILL.md", md("changed"));
  await utimes(file, 1, 1);
  expect(await place.set.refresh()).toBe(true);
  expect(place.set.get("x")?.description).toBe("changed");
  await Bun.$`rm -r ${join(place.dir, "shop/.claude/skills/x")}`.quiet();
  expect(await place.set.refresh()).toBe(true);
  expect(place.names()).toEqual(["y"]);
});

test("a skill in use comes from the tool Skill, not from the result of another tool", () => {
  const uses = ["Skill", "Read"].map((name) => ({ type: "tool_use", id: name, name, input: {} }) as const);
  const results = ["Skill", "Read"].map(
    (name) =>
      ({
        type: "tool_result",
        toolUseId: name,
        content: `<skill name="${name}-text">\nx\n</skill>`,
        isError: false,
      }) as const,
  );
  const messages: readonly Message[] = [
    { role: "assistant", id: "1", content: uses, stopReason: "tool_use" } as unknown as Message,
    { role: "user", id: "2", content: results },
  ];
  expect([...skillsInUse(messages).keys()]).toEqual(["Skill-text"]);
});

test.each([
  ["*.ts", "src/.x/a.ts", true],
  ["src/", "src/a/b.md", true],
  ["./src/*.{ts,tsx}", "src/a.tsx", true],
  ["src/*.ts", "src/a/b.ts", false],
  ["app/(auth)/**", "app/(auth)/login/page.tsx", true],
  ["app/(auth)/**", "app/auth/page.tsx", false],
  [`${"*a".repeat(15)}b`, "a".repeat(200), false],
  ["((a|aa)+)+c", "a".repeat(200), false],
])("the path pattern %j of a skill for %j: %j", (glob, name, isMatch) => {
  expect(triggerMatcher({ folder: "/p", globs: [glob] })(`/p/${name}`)).toBe(isMatch);
});
