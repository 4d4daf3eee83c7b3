import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { eachOrDeep } from "../../support/deep.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempProject } from "../../support/temp-project.ts";

const NO_IDENTITY = ["-c", "user.name=n", "-c", "user.email=a@b.c"];

eachOrDeep(
  "a work tree in %s (%s) is edited like any other, and the rest of .git stays protected",
  1,
  [
    [".git/wts/x", "in a folder of .git"],
    [".claude/worktrees/x", "where another agent puts them"],
  ],
  async (folder) => {
    await using here = await oneProcess();
    await using project = await tempProject({ "repo/a.txt": "one\n" });
    const git = async (...args: string[]) => {
      const ran = await runCommand(["git", ...NO_IDENTITY, ...args], { cwd: project.path("repo") });
      expect(ran.code).toBe(0);
    };
    await git("init", "-q");
    await git("add", "-A");
    await git("commit", "-qm", "first");
    await git("worktree", "add", "-q", folder, "-b", "x");
    const root = project.path(`repo/${folder}`);
    const { session } = await sessionIn(here.app, root, { answerer: "nobody", permissionMode: "acceptEdits" });
    const { engine } = session.main;
    await engine.submit({ prompt: call("Read", { file_path: "a.txt" }) });
    await engine.submit({ prompt: call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }) });
    expect(readFileSync(`${root}/a.txt`, "utf8")).toBe("two\n");
    for (const path of [project.path("repo/.git/hooks/post-merge"), `${root}/.claude/settings.json`, `${root}/.git`]) {
      const before = existsSync(path) && readFileSync(path, "utf8");
      if (before !== false) await engine.submit({ prompt: call("Read", { file_path: path }) });
      const { text } = await engine.submit({ prompt: call("Write", { file_path: path, content: "x" }) });
      expect(text).toContain("consent");
      expect(existsSync(path) && readFileSync(path, "utf8")).toBe(before);
    }
    await session.close();
  },
);

test("a folder below .git that is no registered work tree stays protected", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/worktrees/x/commondir": "../..\n",
    ".git/worktrees/x/gitdir": "/elsewhere/.git\n",
    ".git/hooks/.git": "",
  });
  await project.write(".git/hooks/.git", `gitdir: ${project.path(".git/worktrees/x")}\n`);
  const cwd = project.path(".git/hooks");
  const { session } = await sessionIn(here.app, cwd, { answerer: "nobody", permissionMode: "acceptEdits" });
  await session.main.engine.submit({ prompt: call("Write", { file_path: "pre-commit", content: "x" }) });
  expect(existsSync(`${cwd}/pre-commit`)).toBe(false);
  await session.close();
});
