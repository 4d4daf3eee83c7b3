import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { sandboxPlace } from "../services/sandbox/sandbox-fixture.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";
import { withoutDuration } from "../support/without-duration.ts";

setDefaultTimeout(60_000);

const machine = await sandboxPlace();
const { kind: available } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();

describe.if(available === "bubblewrap")("a confined command in a worktree of Quoll", () => {
  test("commits, and changes neither hooks and settings nor other checkouts", async () => {
    const commit =
      "echo B > b.txt && git add b.txt && git -c user.name=a -c user.email=a@b.c commit -q -m 'add b' && git status --short && git log --oneline | wc -l";
    const names = [
      "hooks/pre-commit",
      "config",
      "HEAD",
      "index",
      "worktrees/own-tree/HEAD",
      "worktrees/own-tree/index",
    ];
    const reach = `cd $(git rev-parse --git-common-dir)
ls refs >/dev/null && for name in ${names.join(" ")}; do
  (echo x >> $name) 2>/dev/null && echo WROTE $name
done
echo done
`;
    const bash = (command: string) => reply([toolUse("Bash", { command })]);
    await using place = await quollPlace({
      files: { "a.txt": "A\n", "reach.sh": reach },
      settings: { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } },
      scenario: [bash(commit), bash("sh reach.sh"), reply("Done.")],
    });
    const git = (...args: readonly string[]) =>
      Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) })
        .stdout.toString()
        .trim();
    git("add", "-A");
    git("commit", "-q", "-m", "one");
    git("worktree", "add", "-q", place.home.path("own-tree"), "-b", "own");
    git("worktree", "move", place.home.path("own-tree"), place.home.path("tree"));
    const files = ["config", "HEAD", "index"].map((name) => place.project.path(`.git/${name}`));
    const before = files.map((file) => readFileSync(file, "base64"));
    const ended = await place.run(["-p", "go", "-w", "fix"]);
    const [committed, reached] = [1, 2].map((at) => withoutDuration(resultsIn(place.sent()[at]).at(-1) ?? ""));
    expect({ code: ended.code, committed, reached }).toEqual({
      ...{ code: 0, committed: "2\n[exit code 0]", reached: "done\n[exit code 0]" },
    });
    expect(git("show", "quoll/fix:b.txt")).toBe("B");
    expect(files.map((file) => readFileSync(file, "base64"))).toEqual(before);
    expect(git("status", "--porcelain")).toBe("");
    expect(ended.err).toContain("1 commit");
  });

  deepTest(
    "commits in a worktree that the conversation entered, and leaves the checkout of the start as it is",
    async () => {
      const reach = "echo second >> $(dirname $(git rev-parse --git-common-dir))/a.txt\necho tried\n";
      const bash = (command: string) => toolUse("Bash", { command });
      await using place = await quollPlace({
        files: { "a.txt": "A\n", "reach.sh": reach },
        settings: {
          sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
          permissions: { allow: ["EnterWorktree"] },
        },
        scenario: (_, index) => {
          const steps = [
            [bash("echo first >> a.txt")],
            [toolUse("EnterWorktree", { name: "fix" })],
            [
              bash(
                "echo B > b.txt && git add b.txt && git -c user.name=a -c user.email=a@b.c commit -q -m 'add b' && pwd",
              ),
              bash("sh reach.sh"),
            ],
            [toolUse("ExitWorktree", { action: "keep" })],
            [bash("echo third >> a.txt")],
          ];
          return reply(steps[index] ?? "Done.");
        },
      });
      const git = (...args: readonly string[]) =>
        Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) })
          .stdout.toString()
          .trim();
      git("add", "-A");
      git("commit", "-q", "-m", "one");
      const ended = await place.run(["-p", "go on in a worktree"]);
      const [pwd, tried] = resultsIn(place.sent()[3]).slice(-2);
      expect(ended.code).toBe(0);
      expect(pwd).toContain("worktrees");
      expect(tried).toContain("tried");
      expect(git("show", "quoll/fix:b.txt")).toBe("B");
      expect(readFileSync(place.project.path("a.txt"), "utf8")).toBe("A\nfirst\nthird\n");
    },
  );

  deepTest("names the command in the checkout that has to end before one in the worktree can be confined", async () => {
    const bash = (command: string, more = {}) => toolUse("Bash", { command, ...more });
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      settings: {
        sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false },
        permissions: { allow: ["EnterWorktree"] },
      },
      scenario: (_, index) => {
        const steps = [
          [bash("touch began; sleep 300", { run_in_background: true })],
          [toolUse("EnterWorktree", { name: "fix" })],
          [bash("pwd > where; cat where")],
          [toolUse("TaskStop", { task_id: "b1" })],
          [bash("pwd > where; cat where")],
        ];
        return reply(steps[index] ?? "Done.");
      },
    });
    const git = (...args: readonly string[]) =>
      Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
    git("add", "-A");
    git("commit", "-q", "-m", "one");
    await place.run(["-p", "go on in a worktree"]);
    const [, , refused, , allowed] = resultsIn(place.sent().at(-1));
    expect(refused).toContain("the command `touch began; sleep 300` still runs in the sandbox");
    expect(allowed).toContain("worktrees");
  });
});
