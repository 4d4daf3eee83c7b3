import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { failing, fault, reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";

setDefaultTimeout(60_000);

/** A first piece of work: look, build, try, change, commit, clean up. */
const COMMANDS = [
  "ls -la",
  "sh build.sh",
  "mkdir -p notes && echo one > notes/a.txt",
  "sh build.sh | tail -1",
  "rm built.txt",
  "cat notes/a.txt",
];
const COMMIT = "git add -A && git commit -q -m 'Build it'";

function work(commands: readonly string[]): Scenario {
  const calls = commands.map((command) => reply([toolUse("Bash", { command, description: "A step of the work" })]));
  return [...calls, reply("All of it is done.")];
}

eachOrDeep(
  "in %s one answer is enough, and the rest of the work is unasked",
  (at) => at === 1,
  [
    ["a plain folder", { isGit: false, flags: [], size: { columns: 80, rows: 24 } }],
    ["a git folder that is not trusted", { isGit: true, flags: [], size: { columns: 120, rows: 40 } }],
    ["a trusted git folder", { isGit: true, flags: ["--trust"], size: { columns: 80, rows: 24 } }],
  ] as const,
  async (_, { isGit, flags, size }) => {
    const commands = isGit ? [...COMMANDS, COMMIT] : COMMANDS;
    await using here = await quollPlace({
      files: { "build.sh": "echo built | tee built.txt\n", "README.md": "# Shop\n" },
      settings: {},
      scenario: work(commands),
    });
    if (!isGit) rmSync(here.project.path(".git"), { recursive: true });
    await using terminal = await tmuxProcess([...QUOLL, ...flags], {
      ...size,
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    const needsTrust = isGit && flags.length === 0;
    if (needsTrust) {
      await terminal.shows("Do you trust this folder?");
      await terminal.pressUntil("3", /^(?![\s\S]*continue without trust)/);
    }
    await terminal.shows("? for keys");
    await terminal.type("build it and write a note");
    await terminal.press("Enter");
    await terminal.shows("Run this command?");
    await terminal.pressUntil("C-e", "reach no host");
    const question = (await terminal.screen()).replace(/[\s│]+/g, " ");
    expect(question).toContain("sh build.sh");
    await terminal.pressUntil("2", "Yes, always in this project");
    expect((await terminal.screen()).replace(/[\s│]+/g, " ")).toMatch(
      /Commands may change and delete files in \S+ and temporary files, read everything but stored credentials such as ~\/\.ssh \(\.env files of projects can be read\), and reach no host\./,
    );
    await terminal.pressUntil("1", "All of it is done.");
    // One question in all: the model was sent a result for each command without another.
    expect([here.sent().length, here.refused()]).toEqual([commands.length + 1, []]);
    expect(await terminal.all()).not.toContain("You denied");
    expect(["notes/a.txt", "built.txt"].map((name) => existsSync(here.project.path(name)))).toEqual([true, false]);
    const results = JSON.stringify(here.sent().at(-1));
    expect(results).not.toContain('"is_error":true');
  },
);

const KEY = "sk-ant-test-0123456789-abcd";

test("a new person sees the first steps, adds a key and a model, gets a first answer, and later two lines", async () => {
  await using here = await quollPlace({
    files: { "README.md": "# Shop\n" },
    // The first key is wrong.
    scenario: (request) =>
      JSON.stringify(request.headers).includes("wrong")
        ? failing(fault.status(401, { message: "no" }))
        : reply("Hello."),
  });
  rmSync(here.home.path("own/config/settings.json"));
  const place = { cwd: here.project.dir, env: here.environmentOf({ env: { ANTHROPIC_API_KEY: "" } }) };
  const start = (columns: number, rows: number) => tmuxProcess([...QUOLL, "--trust"], { ...place, columns, rows });
  {
    await using low = await start(40, 15);
    await low.shows("? for keys");
    const screen = await low.screen();
    for (const part of ["quoll ", "Model", "/login", "Try", "@README.md"]) expect(screen).toContain(part);
  }
  {
    await using terminal = await start(80, 24);
    await terminal.shows("? for keys");
    for (const part of ["Look", "/help"]) expect(await terminal.screen()).toContain(part);
    const enter = async (text: string, shown: string | RegExp) => {
      await terminal.type(text);
      await terminal.press("Enter");
      await terminal.shows(shown);
    };
    const login = async (key: string) => {
      await enter("/login", "Whose models?");
      await enter("", "Key for anthropic (not shown)");
      await enter(key, "Which model of anthropic?");
    };
    await login(KEY.replace("test", "wrong"));
    await enter("", /does not answer yet[\s\S]*\/login/);
    await login(KEY);
    await enter("", "It answers “Hello.”");
    expect(here.sent().at(-1)?.tools ?? []).toEqual([]);
    expect(await terminal.all()).not.toContain(KEY);
  }
  await using later = await start(80, 24);
  await later.shows("? for keys");
  expect(await later.screen()).not.toContain("Try");
});
