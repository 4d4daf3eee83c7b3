import { expect, test } from "bun:test";
import { BUILTIN_COMMANDS } from "../../../src/commands/builtin-commands.ts";
import { addAnswered } from "../../../src/engine/add-answered.ts";
import { randomIds } from "../../../src/platform/clock.ts";
import { bash, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { json, on, playing } from "../../support/hooked-session.ts";
import { tempProject } from "../../support/temp-project.ts";

const commands = { builtin: BUILTIN_COMMANDS };
const signal = new AbortController().signal;

const skill = (description: string, text: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\n${text}\n`;

test("a skill of the user is a command whose text goes to the model with its arguments and files", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/skills/hail/SKILL.md", skill("Greets", "Greet $ARGUMENTS as in @hello.txt."));
  await using project = await tempProject({ "hello.txt": "Good day" });
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(session.commands.registry.get("hail")).toMatchObject({
    source: { kind: "user" },
    value: { summary: "Greets" },
  });
  const result = await session.commands.run("/hail Ann", signal);
  expect(result).toEqual({
    kind: "prompt",
    prompt: `/hail Ann\n\n<skill name="hail" folder="${here.home.path(".claude/skills/hail")}">\nGreet Ann as in @hello.txt.\n\n<file path="hello.txt">\nGood day\n</file>\n</skill>`,
    skill: "hail",
  });
});

test("an inline command of a skill runs under the permissions of the session, and a refused one stops the skill", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/commands/now.md", "State: !`echo fine`.");
  await here.home.write(".claude/commands/bad.md", "State: !`touch made.txt`.");
  await using project = await tempProject({});
  const rules = { answerer: "nobody", deny: ["Bash(touch *)"], allow: ["Bash(echo *)"] } as const;
  const { session } = await sessionIn(here.app, project.dir, rules, { commands });
  expect(await session.commands.run("/now", signal)).toEqual({ kind: "prompt", prompt: "State: fine.", skill: "now" });
  const refused = session.commands.run("/bad", signal);
  expect(refused).rejects.toThrow("/bad was not started, because its command `touch made.txt` was refused: deny rule");
  await refused?.catch(() => undefined);
  expect(await Bun.file(project.path("made.txt")).exists()).toBe(false);
});

test("the duration of a slow inline command does not become part of the prompt", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/commands/slow.md", "State: !`sleep 1.05; echo fine`.");
  await using project = await tempProject({});
  const rules = { answerer: "nobody", allow: ["Bash(sleep *)", "Bash(echo *)"] } as const;
  const { session } = await sessionIn(here.app, project.dir, rules, { commands });
  expect(await session.commands.run("/slow", signal)).toMatchObject({ kind: "prompt", prompt: "State: fine." });
});

test("in a folder that is not trusted, a command of a project's skill does not run", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/commands/now.md": "State: !`touch made.txt`." });
  const untrusted = { answerer: "nobody", allow: ["Bash(touch *)"] } as const;
  const { isTrusted: _, ...config } = { isTrusted: true, ...untrusted };
  const { session } = await sessionIn(here.app, project.dir, { ...config, isTrusted: undefined } as never, {
    commands,
  });
  expect(await session.commands.run("/now", signal)).toEqual({
    kind: "prompt",
    prompt: "State: [not run, because this folder is not trusted: touch made.txt].",
    skill: "now",
  });
  expect(await Bun.file(project.path("made.txt")).exists()).toBe(false);
});

test("a skill with the name of a command of Quoll, or of a stronger skill, is named at the start", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/skills/review/SKILL.md", skill("My own review", "Review."));
  await using project = await tempProject({
    ".claude/commands/help.md": "Help!",
    ".claude/skills/review/SKILL.md": skill("The project's", "Review this."),
  });
  const { session, warnings } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(warnings).toEqual([
    "Not used, because the name is already used: /review of .claude/skills/review/SKILL.md, /review of Quoll (~/.claude/skills/review/SKILL.md counts), /help of .claude/commands/help.md. /skills lists them.",
  ]);
  expect(session.commands.registry.get("review")?.value.summary).toBe("My own review");
  expect(session.commands.registry.get("help")?.source.kind).toBe("builtin");
  const list = await session.commands.run("/skills", signal);
  const text = list?.kind === "view" ? list.lines.join("\n") : "";
  expect(text).toContain("/help of .claude/commands/help.md: a command of Quoll has this name");
  expect(text).toContain("/review of .claude/skills/review/SKILL.md: ~/.claude/skills/review/SKILL.md counts");
});

test("an own command that replaces a built-in skill is named in the first session, and listed in each", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/commands/review.md", "Mine");
  await using project = await tempProject();
  const first = await sessionIn(here.app, project.dir, {}, { commands });
  expect(first.warnings).toEqual([
    "Not used, because the name is already used: /review of Quoll (~/.claude/commands/review.md counts). /skills lists them.",
  ]);
  const second = await sessionIn(here.app, project.dir, {}, { commands });
  expect(second.warnings).toEqual([]);
  const list = await second.session.commands.run("/skills", signal);
  expect(list?.kind === "view" ? list.lines.join("\n") : "").toContain(
    "/review of Quoll: ~/.claude/commands/review.md counts",
  );
});

test("a project's file never replaces a built-in skill silently, and not at all in a folder that is not trusted", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/commands/commit.md": "Mine" });
  const trusted = await sessionIn(here.app, project.dir, {}, { commands });
  expect(trusted.warnings).toEqual([
    "Not used, because the name is already used: /commit of Quoll (.claude/commands/commit.md counts). /skills lists them.",
  ]);
  expect(await trusted.session.commands.run("/commit", signal)).toMatchObject({ prompt: "Mine" });
  const list = await trusted.session.commands.run("/skills", signal);
  expect(list?.kind === "view" ? list.lines.join("\n") : "").toContain(
    "/commit of Quoll: .claude/commands/commit.md counts",
  );
  const untrusted = await sessionIn(here.app, project.dir, { isTrusted: undefined } as never, { commands });
  expect(untrusted.warnings).toContain(
    "Not used, because the name is already used: /commit of .claude/commands/commit.md. /skills lists them.",
  );
  const result = await untrusted.session.commands.run("/commit", signal);
  expect(result?.kind === "prompt" && result.prompt).toStartWith('/commit\n\n<skill name="commit">');
});

test("a changed skill is read again when it is started, and a new one becomes a command", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/commands/a.md": "First" });
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  await project.write(".claude/commands/a.md", "Second text");
  await project.write(".claude/commands/b.md", "New");
  expect(await session.commands.run("/a", signal)).toEqual({ kind: "prompt", prompt: "Second text", skill: "a" });
  expect(session.commands.registry.get("b")).toBeDefined();
});

test("the built-in skills are commands, and no file is read for them", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  for (const name of ["commit", "review", "write-tests", "explain-failure", "make-skill"])
    expect(session.commands.registry.get(name)?.source.kind).toBe("builtin");
  const result = await session.commands.run("/review main", signal);
  expect(result?.kind === "prompt" && result.prompt).toStartWith(
    '/review main\n\n<skill name="review">\nReview code. Change nothing. main\n',
  );
});

test("a skill that is switched off is no command, and stays off in later sessions of the project", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/skills/a/SKILL.md": skill("A", "a") });
  const { session } = await sessionIn(here.app, project.dir, {}, { commands });
  expect(await session.commands.run("/skills off a", signal)).toEqual({
    kind: "text",
    lines: ["The skill a is off: neither you nor the model can start it."],
  });
  expect([session.commands.registry.get("a"), session.skills.forModel]).toEqual([undefined, []]);
  await session.close();
  const later = await sessionIn(here.app, project.dir, {}, { commands });
  expect([later.session.commands.registry.get("a"), later.session.skills.hasForModel]).toEqual([undefined, false]);
  await later.session.commands.run("/skills on a", signal);
  expect(later.session.commands.registry.get("a")).toBeDefined();
});

deepTest(
  "/name of a skill with context fork shows its agent's answer, which the model gets once, also after a resume",
  async () => {
    await using here = await oneProcess();
    await using project = await tempProject({
      ".claude/skills/look/SKILL.md": skill(
        "Looks",
        bash("touch $0.txt"),
        "context: fork\nallowed-tools: Bash(touch *)\n",
      ),
    });
    const { session, events } = await sessionIn(here.app, project.dir, { answerer: "nobody" }, { commands });
    const result = await session.commands.run("/look moss", signal);
    if (result?.kind !== "operation") throw new Error(`not an operation: ${result?.kind}`);
    const progress: string[] = [];
    const shown = await result.run(({ text }) => void progress.push(text), signal);
    expect(progress).toEqual(["Bash touch moss.txt"]);
    expect(shown).toMatchObject({ kind: "text", lines: [expect.stringContaining("exit code 0")] });
    expect(
      events.every(({ parentAgentId, parentToolUseId }) => (parentAgentId === null) === (parentToolUseId === null)),
    ).toBe(true);
    const { messages, sessionId } = session.main.engine.state;
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(session.main.engine.prompts.map(({ text }) => text)).toEqual(["/look moss"]);
    await session.close();
    const conversation = { kind: "saved", id: sessionId } as const;
    const { session: again } = await sessionIn(here.app, project.dir, { answerer: "nobody", conversation });
    expect(again.main.engine.state.messages).toEqual(messages);
    await again.main.engine.submit({ prompt: "one" });
    await again.main.engine.submit({ prompt: bash("touch two.txt") });
    const last = JSON.stringify(here.twin.requests.at(-1)?.body);
    expect(last.split("The user ran /look moss.")).toHaveLength(2);
    // The skill's rules have ended with it.
    expect(await Bun.file(project.path("two.txt")).exists()).toBe(false);
  },
);

test("words that a hook adds to /name reach the agent of a skill with context fork", async () => {
  const context = { hookSpecificOutput: { additionalContext: "mind the moss" } };
  await using play = await playing(on("UserPromptExpansion", { command: json(context) }, "look"), {}, undefined, {
    ".claude/skills/look/SKILL.md": skill("Looks", "Look.", "context: fork\n"),
  });
  const result = await play.session.commands.run("/look", signal);
  if (result?.kind !== "operation") throw new Error(`not an operation: ${result?.kind}`);
  await result.run(() => undefined, signal);
  expect(JSON.stringify(play.here.twin.requests.at(-1)?.body)).toContain("Look.\\n\\nmind the moss");
});

test("an answer of a skill's agent that comes during a turn reaches the model with the turn's next request", async () => {
  await using play = await playing({});
  const { engine } = play.session.main;
  const turn = engine.submit({ prompt: bash("true") });
  await addAnswered({ typed: "/look", prompt: "The user ran /look.", answer: "moss" }, engine, randomIds);
  await turn;
  expect(JSON.stringify(play.here.twin.requests.at(-1)?.body)).toContain("The user ran /look.\\nmoss");
});
