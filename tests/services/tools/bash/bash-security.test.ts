import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { programIsTrusted } from "../../../../src/services/tools/bash/trusted-program.ts";
import { until } from "../../../support/eventually.ts";
import { bashSession, PATH } from "./bash-session.ts";

describe("the shell runs exactly the judged command", () => {
  test("BASH_ENV, ENV and exported functions of the user have no effect and are not passed on", async () => {
    await using session = await bashSession({
      files: { "evil.sh": "echo PWNED; ls() { echo PWNED; }" },
      environment: {
        BASH_ENV: "evil.sh",
        ENV: "evil.sh",
        "BASH_FUNC_echo%%": "() { builtin echo PWNED; }",
        PROMPT_COMMAND: "echo PWNED",
        PS4: "$(touch PWNED)",
        SHELLOPTS: "xtrace",
        BASHOPTS: "extglob",
        CDPATH: "/",
        GLOBIGNORE: "*",
      },
    });
    const { text } = await session.run(
      "set -x; echo fine; cd evil.sh 2>/dev/null; env | grep -c -E '^(BASH_|ENV=|PS4|SHELLOPTS|QUOLL_PRELUDE|QUOLL_FOLDER)'",
    );
    expect(text).not.toContain("PWNED");
    expect(text).toContain("\nfine\n");
    expect(text).toMatch(/\n0\n\[exit code 1\]$/);
    expect(existsSync(session.path("PWNED"))).toBe(false);
  });

  test("loader and runtime variables don't reach the child", async () => {
    await using session = await bashSession({
      environment: {
        LD_PRELOAD: "/x.so",
        LD_LIBRARY_PATH: "/x",
        DYLD_INSERT_LIBRARIES: "/x",
        NODE_OPTIONS: "-r x",
        BUN_OPTIONS: "x",
      },
    });
    expect((await session.run("env | grep -E '^(LD_|DYLD_|NODE_OPTIONS|BUN_OPTIONS)'")).text).toBe(
      "(no output)\n[exit code 1 (no match)]",
    );
  });

  test("our credentials don't reach the child, other variables do", async () => {
    await using session = await bashSession({
      environment: {
        ANTHROPIC_API_KEY: "sk-secret",
        ANTHROPIC_AUTH_TOKEN: "tok-secret",
        OPENAI_API_KEY: "sk-secret",
        GEMINI_API_KEY: "secret",
        MY_SETTING: "kept",
      },
    });
    const { text } = await session.run("env");
    expect(text).not.toContain("secret");
    expect(text).toContain("MY_SETTING=kept");
  });

  test("the command's bytes reach bash unchanged, whatever they are", async () => {
    await using session = await bashSession();
    const command = "cat <<'EOF'\n$HOME `id` \\ \"q\" ' # é\nEOF\necho $LINENO $0 $#";
    expect((await session.run(command)).text).toMatch(/^\$HOME `id` \\ "q" ' # é\n4 \S*bash 0\n\[exit code 0\]$/);
  });

  test("a bash of the workspace is never the one that runs", async () => {
    await using session = await bashSession({ files: { "bin/bash": "#!/bin/sh\necho PWNED\n" } });
    chmodSync(session.path("bin/bash"), 0o755);
    await using other = await bashSession({ path: `${session.path("bin")}:${PATH}` });
    expect((await other.run("echo fine")).text).toBe("fine\n[exit code 0]");
  });
});

describe("nothing waits for a person", () => {
  test.each([
    ["cat reads the end of its input at once", "cat", "(no output)\n[exit code 0]"],
    ["read fails at once", 'read -r x; echo "$?"', "1\n[exit code 0]"],
    ["stdin is no terminal", "test -t 0; echo $?", "1\n[exit code 0]"],
    ["there is no terminal to ask at all", "(: </dev/tty) 2>/dev/null; echo $?", "1\n[exit code 0]"],
  ])("%s", async (_name, command, text) => {
    await using session = await bashSession();
    expect((await session.run(command)).text).toBe(text);
  });

  test("git log does not page, and an editor fails instead of hanging", async () => {
    await using session = await bashSession();
    await session.run("git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first");
    const log = await session.run("git log --oneline", { timeout: 25_000 });
    expect(log.text).toMatch(/^[0-9a-f]+ first\n\[exit code 0\]$/);
    const commit = await session.run("git -c user.name=a -c user.email=a@b commit --allow-empty", { timeout: 25_000 });
    expect(commit.isError).toBe(true);
    expect(commit.text).not.toContain("timed out");
  });
});

describe("no process is left", () => {
  test("a server left behind does not hold the call, is listed with its log, and ends with the session", async () => {
    await using session = await bashSession();
    const { text, isError } = await session.run("(while :; do echo tick; sleep 0.02; done) & echo started");
    expect(text).toMatch(/^started$/m);
    expect(text).toMatch(
      /\[left running: \d+ \(a part of this command\)[^.]*(?:0\.02)?\. It is task b1; its output continues in \/\S+\.log; it ends with the session or TaskStop\]/,
    );
    expect(isError).toBe(false);
    await until(async () => (await session.taskOutput({ task_id: "b1", block: false })).text.includes("tick"));
    const ended = await session.shells.closeAll();
    expect(ended.map(({ id, status }) => ({ id, status }))).toEqual([{ id: "b1", status: "cancelled" }]);
    expect(session.alive()).toEqual([]);
  });

  test("a child that left the process group, twice forked and with closed output, is found by its tag", async () => {
    await using session = await bashSession();
    const { text } = await session.run(
      "(setsid bash -c 'setsid sleep 1000 >/dev/null 2>&1 &' >/dev/null 2>&1 &); echo done",
    );
    await until(() => session.alive().includes("sleep 1000"));
    expect(text).toContain("done\n");
    await session.run("true");
    await session.shells.closeAll();
    expect(session.alive()).toEqual([]);
  });

  test("a timeout ends children that ignore polite signals and those in other sessions", async () => {
    await using session = await bashSession();
    const command =
      "trap '' INT TERM; setsid sleep 1001 & for i in 1 2 3 4 5 6 7 8 9 10; do (trap '' INT TERM; sleep 1002; sleep 1003) & done; touch up; wait";
    const { text } = await session.run(command, { timeout: 400 });
    expect(text).toContain("timed out");
    expect(session.alive()).toEqual([]);
  });

  test("the last of a pipeline that is just ending is no task", async () => {
    await using session = await bashSession();
    // On a busy machine 20 ms can take longer than the grace of an end; without the grace, each try leaves a task.
    const tries = 5;
    for (let run = 0; run < tries; run += 1) await session.run("echo x > >(sleep 0.02; cat >/dev/null)");
    expect(session.tasks.list().length).toBeLessThan(tries);
  });
});

describe("a program of the workspace is not what its name says", () => {
  test("a git in the workspace's own bin folder is asked", async () => {
    await using session = await bashSession({ files: { "node_modules/.bin/git": "#!/bin/sh\ntouch PWNED\n" } });
    chmodSync(session.path("node_modules/.bin/git"), 0o755);
    expect((await session.prepare("git status")).level).toBe("read");
    const word = (value: string) => ({ source: value, value, isGlob: false });
    const command = {
      source: "git status",
      words: [word("git"), word("status")],
      assignments: [],
      redirects: [],
      conditional: false,
      within: [],
      unknown: [],
    };
    const env = { PATH: `${session.path("node_modules/.bin")}:${PATH}` };
    const context = { workspace: session.workspace, env, cwd: session.dir, isTrusted: true };
    expect(await programIsTrusted(command, undefined, context)).toBe(false);
    expect(await programIsTrusted(command, undefined, { ...context, env: { PATH } })).toBe(true);
  });
});
