import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { projectSkillItems } from "../../../src/app/skills/skill-permissions.ts";
import { BUILTIN_COMMANDS } from "../../../src/commands/builtin-commands.ts";
import type { ApprovalRequest } from "../../../src/contracts/approval.ts";
import { decidedByText } from "../../../src/contracts/decided-by.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest } from "../../support/deep.ts";
import { partsOf } from "../../support/question.ts";
import { tempProject } from "../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;
const skill = (text: string, more: string) => `---\ndescription: d\n${more}---\n${text}\n`;
const UNTRUSTED = { isTrusted: undefined } as unknown as Partial<SessionConfig>;

/** The text and the skill of a command, as a face passes them on. */
async function started(session: Awaited<ReturnType<typeof sessionIn>>["session"], words: string) {
  const result = await session.commands.run(words, signal);
  if (result?.kind !== "prompt") throw new Error(`${words} gave ${result?.kind}`);
  return { prompt: result.prompt, typed: words, ...(result.skill !== undefined && { skill: result.skill }) };
}

test("allowed-tools count while a skill is in use, and end with the turn", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/t/SKILL.md": skill("T.", "allowed-tools: Bash(touch a*)\n"),
  });
  const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody" }, { commands });
  const { engine } = session.main;
  const input = await started(session, "/t");
  const during = await engine.submit({ ...input, prompt: `${input.prompt}\n${bash("touch a1")}` });
  expect(during.denials).toEqual([]);
  const after = await engine.submit({ prompt: bash("touch a2") });
  expect(after.denials).toHaveLength(1);
  expect([existsSync(project.path("a1")), existsSync(project.path("a2"))]).toEqual([true, false]);
});

test("allowed-tools never beat a deny rule, and disallowed-tools deny while the skill is in use", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/t/SKILL.md": skill("T.", "allowed-tools: Bash\ndisallowed-tools: Bash(ls *)\n"),
  });
  const config = { answerer: "nobody", deny: ["Bash(touch *)"], allow: ["Bash(ls *)"] } as const;
  const { session } = await sessionIn(here.app, project.dir, config, { commands });
  const run = async (command: string, isUsed: boolean) => {
    const input = isUsed ? await started(session, "/t") : { prompt: "" };
    const report = await session.main.engine.submit({ ...input, prompt: `${input.prompt}\n${bash(command)}` });
    return report.denials.map(({ decidedBy }) => decidedByText(decidedBy));
  };
  expect(await run("touch a", true)).toEqual([expect.stringContaining("deny rule Bash(touch *)")]);
  expect(await run("ls -l", true)).toEqual(["deny rule Bash(ls *) (the skill t)"]);
  expect(await run("ls -l", false)).toEqual([]);
});

test("the powers of a project's skill count only for the text that the person approved", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".claude/commands/now.md": "---\nallowed-tools: Bash(touch *)\n---\nNow: !`touch made`",
    ".claude/skills/plain/SKILL.md": skill("Plain", ""),
  });
  const asked: string[][] = [];
  const ports = {
    commands,
    askTrust: async () => "trust" as const,
    askApproval: async ({ reasons }: ApprovalRequest) => {
      asked.push([...reasons]);
      return "no" as const;
    },
  };
  const first = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  await started(first.session, "/now");
  expect(existsSync(project.path("made"))).toBe(true);
  await first.session.close();
  await project.write(".claude/commands/now.md", "---\nallowed-tools: Bash(touch *)\n---\nNow: !`touch other`");
  const second = await sessionIn(here.app, project.dir, { ...UNTRUSTED, answerer: "nobody" }, ports);
  expect(asked).toEqual([
    [
      "has changed: runs commands when /now starts: touch other (.claude/commands/now.md)",
      "allows Bash(touch *) while the skill now is in use (.claude/commands/now.md)",
    ],
  ]);
  const { prompt } = await started(second.session, "/now");
  expect(prompt).toBe("Now: [not run, because the user has not approved this text of the skill: touch other]");
  const report = await second.session.main.engine.submit({ prompt: `x\n${bash("touch other")}`, skill: "now" });
  expect(report.denials).toHaveLength(1);
  expect(existsSync(project.path("other"))).toBe(false);
});

test("a project's skill that changes during the session is asked about when it is used next", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/commands/now.md": "Now: !`touch one`" });
  const { session, warnings } = await sessionIn(
    here.app,
    project.dir,
    { answerer: "person", allow: ["Bash(touch *)"] },
    { commands },
  );
  const { questions } = session.main.engine;
  const answers = [{ decision: "reject" }, { decision: "once" }] as const;
  const asked: string[] = [];
  questions.subscribe(() => {
    for (const { id, title, preview, reason } of questions.pending.map(partsOf)) {
      asked.push([title, preview.kind === "text" ? preview.text : preview.kind, reason].join("\n"));
      questions.reply(id, answers[asked.length - 1] ?? { decision: "reject" });
    }
  });
  await started(session, "/now");
  for (const name of ["two", "two", "three"]) {
    await project.write(".claude/commands/now.md", `Now: !\`touch ${name}\``);
    await started(session, "/now");
  }
  const questionAbout = (name: string) =>
    `Use all parts of the skill now?\nruns commands when /now starts: touch ${name} (.claude/commands/now.md)\n` +
    "This file of the project has changed since you approved it.";
  expect(asked).toEqual([questionAbout("two"), questionAbout("three")]);
  expect(["one", "two", "three"].map((name) => existsSync(project.path(name)))).toEqual([true, false, true]);
  expect(warnings).toEqual([]);
});

test("without a person at the keyboard, one line names a project's skill that changed during the session", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/commands/now.md": "Now: !`touch one`" });
  const { session, warnings } = await sessionIn(
    here.app,
    project.dir,
    { answerer: "nobody", allow: ["Bash(touch *)"] },
    { commands },
  );
  for (const name of ["two", "three"]) {
    await project.write(".claude/commands/now.md", `Now: !\`touch ${name}\``);
    await started(session, "/now");
  }
  expect(warnings).toEqual([
    expect.stringContaining("the skill now is new or has changed, and you have not approved it"),
  ]);
  expect(existsSync(project.path("two"))).toBe(false);
});

test("a project's skill loses its powers when a file of its folder, or one that its text names, changes", async () => {
  const names = Array.from({ length: 210 }, (_, at) => `f${at}.txt`).join(" ");
  const text = skill(`${names}\nOutput: !\`\${CLAUDE_SKILL_DIR}/run\` by tools/last.sh.`, "");
  await using project = await tempProject({
    ...{ ".claude/skills/s/SKILL.md": text, ".claude/skills/s/run": "1", ".claude/skills/s/deep/er": "1" },
    "tools/last.sh": "1",
  });
  const place = { cwd: project.dir, root: project.dir };
  const content = async () => (await projectSkillItems(place)).items.map((item) => item.content);
  let last = await content();
  expect(last).toHaveLength(1);
  for (const file of [".claude/skills/s/run", ".claude/skills/s/deep/er", "tools/last.sh"]) {
    await project.write(file, "2");
    const now = await content();
    expect([file, now[0] === last[0]]).toEqual([file, false]);
    last = now;
  }
  await symlink(".", project.path(".claude/skills/s/loop"));
  expect(await projectSkillItems(place)).toEqual({
    items: [],
    problems: [expect.stringContaining("too many files to check for changes, so /s runs no commands")],
  });
});

test("the text of a skill is searched for file names in linear time", async () => {
  await using project = await tempProject({
    ".claude/skills/s/SKILL.md": skill("a-".repeat(100_000), "allowed-tools: Bash\n"),
  });
  const spent = cpuClock();
  expect((await projectSkillItems({ cwd: project.dir, root: project.dir })).items).toHaveLength(1);
  expect(spent()).toBeLessThan(2_000);
});

test("a project's skill shows its hooks, its model and its effort before they count", async () => {
  const hooks =
    "hooks:\n  PreToolUse:\n    - matcher: Read\n      hooks:\n        - type: command\n          command: id > made\n";
  await using project = await tempProject({
    ".claude/skills/z/SKILL.md": skill("Z.", `model: claude-opus-4-6\neffort: low\n${hooks}`),
  });
  const { items } = await projectSkillItems({ cwd: project.dir, root: project.dir });
  expect(items[0]?.lines).toEqual([
    "runs at PreToolUse (Read): id > made, while the skill z is in use (.claude/skills/z/SKILL.md)",
    "uses the model claude-opus-4-6 for /z (.claude/skills/z/SKILL.md)",
    "uses the effort low for /z (.claude/skills/z/SKILL.md)",
  ]);
});

deepTest("a skill's model and effort count for its turn", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/skills/m/SKILL.md", skill("M.", "model: claude-opus-4-6\neffort: low\n"));
  await using project = await tempProject({});
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  await session.main.engine.submit(await started(session, "/m"));
  await session.main.engine.submit({ prompt: "hi" });
  await session.main.engine.submit({ prompt: call("Skill", { skill: "m" }) });
  const sent = here.twin.requests.map(({ body }) => {
    const { model, output_config: output } = body as { model: string; output_config?: { effort?: string } };
    return [model, output?.effort];
  });
  expect(sent).toEqual([
    ["claude-opus-4-6", "low"],
    ["claude-sonnet-4-5", undefined],
    ["claude-sonnet-4-5", undefined],
    ["claude-opus-4-6", "low"],
  ]);
});

test("hooks of a skill run while it is in use, and no longer", async () => {
  await using here = await oneProcess();
  const hooks = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: "echo not now >&2; exit 2"
  PostToolUse:
    - matcher: Bash
      type: command
      command: exit 2
  Unknown: []
`;
  await here.home.write(".claude/skills/h/SKILL.md", skill("H.", hooks));
  await using project = await tempProject({});
  const config = { answerer: "nobody", allow: ["Bash(touch *)"] } as const;
  const { session, warnings } = await sessionIn(here.app, project.dir, config, { commands });
  const { engine } = session.main;
  const input = await started(session, "/h");
  const during = await engine.submit({ ...input, prompt: `${input.prompt}\n${bash("touch a")}` });
  expect(during.denials.map(({ decidedBy }) => decidedBy)).toMatchObject([{ kind: "hook", reason: "not now" }]);
  expect(during.text).toContain("not now");
  expect((await engine.submit({ prompt: bash("touch b") })).denials).toEqual([]);
  expect([existsSync(project.path("a")), existsSync(project.path("b"))]).toEqual([false, true]);
  expect(warnings.join()).toContain('hooks: there is no event "Unknown".');
  expect(warnings.join()).toContain('hooks: PostToolUse: a matcher needs a list of "hooks".');
});

test("a skill whose disallowed-tools nothing can match is not used, and an allowed tool of that kind is one line", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".claude/skills/t/SKILL.md": skill("T.", "disallowed-tools: Bash(touch:* a*)\n"),
    ".claude/skills/u/SKILL.md": skill("U.", "allowed-tools: Bash(touch:* a*)\n"),
    ".claude/skills/v/SKILL.md": skill("V.", "disallowed-tools: Bsh(rm *)\n"),
    ".claude/skills/w/SKILL.md": skill("W.", "disallowed-tools: {a: b}\n"),
    ".claude/skills/x/SKILL.md": skill("X.", "disallowedTools: Bsh\n"),
  });
  const { session, warnings } = await sessionIn(here.app, project.dir, { answerer: "nobody" }, { commands });
  await expect(started(session, "/t")).rejects.toThrow("the skill t: the deny rule");
  await expect(started(session, "/v")).rejects.toThrow("did you mean Bash?");
  await expect(started(session, "/w")).rejects.toThrow("the skill w: the deny rule");
  await expect(started(session, "/x")).rejects.toThrow("did you mean Bash?");
  await started(session, "/u");
  expect(warnings).toEqual([
    expect.stringContaining("disallowed-tools must be a list"),
    expect.stringContaining("the skill u: the rule Bash(touch:* a*) allows nothing"),
  ]);
});
