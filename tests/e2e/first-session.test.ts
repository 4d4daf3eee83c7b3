import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
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

test.each([
  ["a plain folder", { isGit: false, flags: [], size: { columns: 80, rows: 24 } }],
  ["a git folder that is not trusted", { isGit: true, flags: [], size: { columns: 120, rows: 40 } }],
  ["a trusted git folder", { isGit: true, flags: ["--trust"], size: { columns: 80, rows: 24 } }],
] as const)("in %s one answer is enough, and the rest of the work is unasked", async (_, { isGit, flags, size }) => {
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
  const question = (await terminal.screen()).replace(/[\s│]+/g, " ");
  expect(question).toContain("sh build.sh");
  expect(question).toMatch(
    /Commands may change files in \S+ and temporary files, read everything but known secrets, and reach: nothing\./,
  );
  await terminal.pressUntil("2", "always in this project");
  await terminal.pressUntil("1", "All of it is done.");
  // One question in all: the model was sent a result for each command without another.
  expect([here.sent().length, here.refused()]).toEqual([commands.length + 1, []]);
  expect(await terminal.all()).not.toContain("You denied");
  expect(["notes/a.txt", "built.txt"].map((name) => existsSync(here.project.path(name)))).toEqual([true, false]);
  const results = JSON.stringify(here.sent().at(-1));
  expect(results).not.toContain('"is_error":true');
});
