import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { ToolFailedError } from "../../../../src/contracts/errors.ts";
import type { ConfinedStart, Sandbox } from "../../../../src/contracts/ports.ts";
import { deepTest, eachOrDeep } from "../../../support/deep.ts";
import { makeRepository } from "../../../support/git-repository.ts";
import { bashSession, PATH } from "./bash-session.ts";
import { confinedSession } from "./confined-session.ts";

setDefaultTimeout(60_000);

describe("a command in the sandbox", () => {
  test("writes in the workspace and not outside of it, and its exit code and output are its own", async () => {
    await using session = await confinedSession();
    const { text, isError } = await session.run(
      `echo in > inside; echo out > ${session.outside}; echo "tmp $TMPDIR"; exit 3`,
    );
    expect(isError).toBe(true);
    expect(text).toContain("Read-only file system");
    // Of a command that took a second the time is told too.
    expect(text).toMatch(/\[exit code 3[\] ]/);
    expect(existsSync(session.path("inside"))).toBe(true);
    expect(existsSync(session.outside)).toBe(false);
  });

  test("that makes a repository which git would obey gets a line about it, in the foreground and in a task's log", async () => {
    await using session = await confinedSession({ "a.txt": "a" });
    const { text } = await session.run("mkdir -p new && cd new && git init -q . && git config core.fsmonitor ./evil");
    // Of a command that took a second the time is told too.
    expect(text).toMatch(/\[exit code 0[\] ]/);
    expect(text).toMatch(/\[[^\]]*new[^\]]*\]/);
  });

  test("that ends in a pipe names the parts that failed, also if it may leave processes running", async () => {
    await using session = await confinedSession();
    for (const command of ["(exit 3) | cat", "sleep 30 & (exit 3) | cat"])
      expect((await session.run(command)).text).toContain("[exit code 0 (PIPESTATUS 3 0)");
  });

  test("from which files are hidden says which, where it looks there", async () => {
    await using session = await confinedSession({ ".env": "API_KEY=1\n", "a.txt": "API_KEY\n" });
    const said = async (command: string) =>
      /\[hidden from this command: (.*)\]/.exec((await session.run(command)).text)?.[1];
    expect(await said("grep -rn API_KEY .")).toBe(".env");
    expect(await said("echo .env | xargs cat")).toBe(".env");
    expect(await said("cd . && find . -type f -exec grep KEY {} +")).toBe(".env");
    expect(await said("cat a.txt")).toBeUndefined();
  });

  deepTest("carries its folder over to the next call", async () => {
    await using session = await confinedSession({ "sub/a": "x" });
    await session.run("cd sub");
    expect(session.workspace.cwd).toBe(session.path("sub"));
    expect((await session.run("pwd")).text).toStartWith(session.path("sub"));
  });

  test("that fails for want of the network or of a place to write says that the sandbox may be why", async () => {
    await using session = await confinedSession();
    expect((await session.run(`touch ${session.outside}`)).text).toContain("dangerouslyDisableSandbox");
    expect((await session.run("false")).text).not.toContain("sandbox");
    expect((await session.run("curl -s https://example.invalid")).text).toMatch(/sandbox.*no network/);
    expect((await session.run("curl -s http://localhost:9")).text).toMatch(
      /No program listens there inside the sandbox/,
    );
    const loaded = "python3 -c \"import urllib.request as u; u.urlopen('http://localhost:9')\"";
    expect((await session.run(loaded)).text).toMatch(/No program listens there inside the sandbox/);
    expect((await session.run("docker-composed up; echo > x.sh; ./x.sh")).text).not.toContain("The sandbox");
  });

  test.each([
    "(sleep 60; echo late > marker) > /dev/null 2>&1 & echo started",
    "setsid sleep 60 > /dev/null 2>&1 & echo started",
    "(nohup sleep 60 > /dev/null 2>&1 &); echo started",
    'cd "$HOME_OF_TEST/sub" && { sleep 60 & echo started; }',
  ])("that leaves a process running says that it ends with the sandbox: %s", async (command) => {
    await using session = await confinedSession({ "sub/a": "" });
    const here = command.replace("$HOME_OF_TEST", session.dir);
    // The second command may run in a shell that waited for it.
    for (const line of [here, `true; ${here}`]) {
      const { text } = await session.run(line);
      expect(text).toMatch(
        /started\n\[exit code 0[^\]]*\]\n\[ended with the sandbox, [^\]]*run_in_background without &\]/,
      );
    }
    expect(session.workspace.cwd).toBe(command.startsWith("cd") ? session.path("sub") : session.dir);
  });

  test("that leaves a process running names its program", async () => {
    await using session = await confinedSession();
    const { text } = await session.run("sleep 60 & until grep -q sleep /proc/$!/comm; do :; done; echo started");
    expect(text).toMatch(/\[ended with the sandbox, [^\]]*: sleep\./);
  });

  test("that leaves a process running in the background says so in its log", async () => {
    await using session = await confinedSession();
    await session.run("sleep 60 & until grep -q sleep /proc/$!/comm; do :; done; echo started", {
      run_in_background: true,
    });
    const { text } = await session.taskOutput({ task_id: "b1" });
    expect(text).toMatch(/started\n\[ended with the sandbox, .*: sleep\]\n\[b1 completed/);
  });

  test.each([
    "sleep 0.01 & wait; echo done",
    "sleep 60 & kill %1; wait; echo done",
    "echo a 2>&1 && echo b | cat; echo done",
    "set -euf; true & wait; echo done",
  ])("that leaves no process running names none: %s", async (command) => {
    await using session = await confinedSession();
    const { text, isError } = await session.run(command);
    expect(text).toContain("done");
    expect(text).not.toContain("ended with the sandbox");
    expect(isError).toBe(false);
  });

  test("leaves nothing running when it is ended, and nothing that was made for it", async () => {
    await using session = await confinedSession();
    const { text } = await session.run("sleep 60 & sleep 60", { timeout: 200 });
    expect(text).toContain("timed out");
    expect(session.alive()).toEqual([]);
    await session.shells.closeAll();
    expect(existsSync(session.path(".mcp.json"))).toBe(false);
  });

  deepTest("runs in the background too", async () => {
    await using session = await confinedSession();
    const { text } = await session.run(`echo hi; touch ${session.outside}`, { run_in_background: true });
    const id = /task (b\d+)/.exec(text)?.[1];
    const { text: output } = await session.taskOutput({ task_id: id });
    expect(output).toContain("hi\n");
    expect(output).toContain("Read-only file system");
  });
});

test("a command that can't be confined is not run, and says why", async () => {
  const sandbox: Sandbox = {
    state: async () => ({ kind: "bubblewrap", strength: "full", hasNetwork: false }),
    confine: async (): Promise<ConfinedStart> => {
      throw new ToolFailedError("It is broken.");
    },
    beginUnconfined: async () => ({ lines: [], end: () => undefined }),
    portOpener: async () => undefined,
    explainFailure: () => undefined,
    findings: async () => [],
    close: async () => undefined,
  };
  await using session = await bashSession({ sandbox });
  const running = session.run("touch made", {}, { confinement: "sandbox" });
  expect(await running.catch((error: unknown) => error)).toEqual(new ToolFailedError("It is broken."));
  await using without = await bashSession();
  const refused = without.run("touch made", {}, { confinement: "sandbox" });
  expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(ToolFailedError);
  expect([existsSync(session.path("made")), existsSync(without.path("made"))]).toEqual([false, false]);
});

describe("git's branches in the sandbox", () => {
  /** A repository with branches f1 to f9 on a remote. */
  async function clonedSession() {
    const session = await confinedSession({ "a.txt": "1\n" });
    const outside = (script: string) => {
      const identity = {
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      const env = { PATH, HOME: session.dir, ...identity };
      const done = Bun.spawnSync(["bash", "-c", `set -e\n${script}`], { cwd: session.dir, env });
      if (done.exitCode !== 0) throw new Error(`${script}: ${done.stderr}`);
      return String(done.stdout);
    };
    makeRepository(session.dir);
    // Packed references, as a clone has them: a git process for each branch would take longer than the command.
    outside(`git add a.txt; git commit -qm one; main=$(git rev-parse HEAD); mkdir -p .git/refs/remotes/origin
      cp -r .git .remote.git; printf '[core]\n\trepositoryformatversion = 0\n\tbare = true\n' > .remote.git/config
      printf '[remote "origin"]\n\turl = ./.remote.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' >> .git/config
      for b in f1 f2 f3 f4 f5 f6 f7 f8 f9 x/y; do
        echo "$main refs/heads/$b" >> .remote.git/packed-refs; echo "$main refs/remotes/origin/$b" >> .git/packed-refs
      done
      echo "$main refs/remotes/origin/main" >> .git/packed-refs`);
    const tracking = (branch: string) => outside(`git config --get-regexp '^branch\\.${branch}\\.' || true`);
    return { ...session, outside, tracking };
  }
  const tracks = (branch: string, merge: string) =>
    `branch.${branch}.remote origin\nbranch.${branch}.merge refs/heads/${merge}\n`;

  eachOrDeep(
    "%s makes a branch that tracks its upstream, without a word of an error",
    1,
    [
      ["git switch f1", "f1", "f1"],
      ["git checkout f2", "f2", "f2"],
      ["git checkout -q -b mine origin/f3", "mine", "f3"],
      ["git switch -qc mine4 origin/f4", "mine4", "f4"],
      ["git checkout --track origin/f5", "f5", "f5"],
      ["git switch -t origin/x/y", "x/y", "x/y"],
      ["git branch side origin/f6", "side", "f6"],
      [
        "git fetch -q; git switch f7 2>/dev/null && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m more",
        "f7",
        "f7",
      ],
      ["git -C . checkout -B main origin/f8", "main", "f8"],
      ["git switch f9 -q && git switch main && git branch -d f9 && git switch f9", "f9", "f9"],
    ],
    async (command, branch, merge) => {
      await using session = await clonedSession();
      const { text, isError } = await session.run(command, { env: {} });
      expect({ isError, text }).toEqual({ isError: false, text: expect.not.stringMatching(/error|warning/) });
      expect(session.tracking(branch)).toBe(tracks(branch, merge));
    },
  );

  eachOrDeep(
    "%s removes what tracked, keeps other settings, and complains of nothing",
    1,
    ["git branch -d old", "git branch -qD old", "git branch --delete --force old"],
    async (command) => {
      await using session = await clonedSession();
      session.outside(
        "git branch -q --track old origin/f1; git config branch.old.description kept; git branch -q plain",
      );
      const { text } = await session.run(`${command} plain`);
      expect(text).not.toMatch(/error|warning/);
      expect(session.tracking("old")).toBe("branch.old.description kept\n");
      expect(session.outside("git branch --format='%(refname:short)'")).toBe("main\n");
    },
  );

  deepTest("a branch that git would not track stays untracked", async () => {
    await using session = await clonedSession();
    const before = session.outside("cat .git/config");
    await session.run(
      "git switch -qc a; git checkout -qb b main; git switch -q --no-track -c c origin/f1; git switch -q main",
    );
    session.outside("git config branch.autoSetupMerge false");
    await session.run("git checkout -qb d origin/f2; git switch nowhere; git branch -d nothing");
    session.outside("git config --unset branch.autoSetupMerge; git config --remove-section branch || true");
    expect(session.outside("cat .git/config").trim()).toBe(before.trim());
  });

  deepTest("settings of the person count: rebase, and tracking of local branches", async () => {
    await using session = await clonedSession();
    session.outside("git config branch.autoSetupRebase always; git config branch.autoSetupMerge always");
    await session.run("git switch f1; git switch -c local main");
    expect(session.tracking("f1")).toBe(`${tracks("f1", "f1")}branch.f1.rebase true\n`);
    expect(session.tracking("local")).toContain("branch.local.remote .\nbranch.local.merge refs/heads/main\n");
  });

  test("nothing but these settings changes, in the very file that others have mounted", async () => {
    await using session = await clonedSession();
    const inode = session.outside("stat -c %i .git/config");
    session.outside('printf \'# mine\\n[odd "sub section"]\\n\\tkey = "a # b"\\n\' >> .git/config');
    const { text } = await session.run("git switch f1; git config core.hooksPath evil");
    expect(text.match(/could not write config file/g)).toHaveLength(1);
    expect(session.outside("stat -c %i .git/config; git config --get-all core.hooksPath || true")).toBe(inode);
    expect(session.outside("cat .git/config")).toContain('# mine\n[odd "sub section"]\n\tkey = "a # b"\n');
    expect(session.tracking("f1")).toBe(tracks("f1", "f1"));
  });

  test("protected files that a branch brings are known before git starts, where there is a sandbox", async () => {
    await using session = await clonedSession();
    session.outside(
      "git switch -qc more; echo x > AGENTS.md; git add AGENTS.md; git commit -qm more; git switch -q main",
    );
    const broughtBy = async (prepare: (command: string) => ReturnType<typeof session.prepare>) => {
      const { subjects } = await prepare("git switch more && git commit -qam work");
      return subjects.flatMap((subject) => (subject.action === "execute" ? (subject.brings ?? []) : []));
    };
    expect(await broughtBy(session.prepare)).toEqual([session.path("AGENTS.md")]);
    await using open = await bashSession();
    open.workspace.moveTo(open.dir);
    const { subjects } = await open.prepare(`git -C ${session.dir} switch more`);
    expect(subjects.some((subject) => subject.action === "execute" && subject.brings !== undefined)).toBe(false);
  });

  test("a repository that a command links from elsewhere is not written to", async () => {
    await using session = await clonedSession();
    await using other = await clonedSession();
    const before = other.outside("cat .git/config");
    await session.run(`mkdir -p trap; echo "gitdir: ${other.dir}/.git" > trap/.git; git -C trap switch f1`);
    expect(other.outside("cat .git/config")).toBe(before);
  });
});
