import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { systemClock } from "../../../src/platform/clock.ts";
import { childEnvironment } from "../../../src/platform/processes/child-environment.ts";
import { executable, findBash, findProgram } from "../../../src/platform/processes/find-program.ts";
import { nestTag } from "../../../src/platform/processes/process-row.ts";
import { isAlive, startTimeOf } from "../../../src/platform/processes/process-table.ts";
import { createUserPath } from "../../../src/platform/processes/user-path.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

describe("the environment of a child", () => {
  const clean = (base: Record<string, string>) => childEnvironment(base, { path: "/usr/bin", tag: "t1" });

  test.each([
    "BASH_ENV",
    "BASHOPTS",
    "BASH_FUNC_ls%%",
    "BASH_XTRACEFD",
    "ENV",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "IFS",
    "CDPATH",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "BUN_OPTIONS",
    "PWD",
    "OLDPWD",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GIT_CONFIG_PARAMETERS",
    "FORCE_COLOR",
  ])("has no %s", (name) => {
    expect(clean({ [name]: "evil", KEPT: "1" })[name]).toBeUndefined();
  });

  test("keeps what is the user's, and switches off what would wait or page", () => {
    const env = clean({
      HOME: "/h",
      AWS_PROFILE: "p",
      ANTHROPIC_BASE_URL: "http://x",
      EDITOR: "vim",
      PAGER: "less",
      TERM: "xterm",
    });
    expect(env).toMatchObject({
      HOME: "/h",
      AWS_PROFILE: "p",
      ANTHROPIC_BASE_URL: "http://x",
      EDITOR: "false",
      PAGER: "cat",
      TERM: "dumb",
      CI: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_PAGER: "cat",
      QUOLL_SPAWN: "t1",
      PATH: "/usr/bin",
    });
  });

  test("adds git's overrides to those that the user has", () => {
    const env = clean({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "me" });
    expect(env).toMatchObject({
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_KEY_1: "core.fsmonitor",
      GIT_CONFIG_VALUE_1: "false",
    });
    expect(clean({ GIT_CONFIG_COUNT: "rubbish" })["GIT_CONFIG_COUNT"]).toBe("2");
  });

  test("has no relative entry in its PATH", () => {
    const env = childEnvironment({}, { path: ".:/usr/bin::node_modules/.bin:/bin", tag: "t" });
    expect(env["PATH"]).toBe("/usr/bin:/bin");
  });

  test("carries the tags of the Quolls around it, at most eight and nothing odd", () => {
    expect(nestTag("a:b", "c")).toBe("a:b:c");
    expect(nestTag("1:2:3:4:5:6:7:8:9", "x")).toBe("3:4:5:6:7:8:9:x");
    expect(nestTag("a b:$(id):c", "x")).toBe("c:x");
  });
});

describe("finding programs", () => {
  test("takes the first executable file, not a folder nor a plain file", async () => {
    await using project = await tempProject({ "a/tool/x": "", "b/tool": "", "c/tool": "#!/bin/sh\n" });
    chmodSync(project.path("c/tool"), 0o755);
    const path = ["a", "b", "c"].map(project.path).join(":");
    expect(findProgram("tool", path)).toBe(project.path("c/tool"));
    expect(findProgram("nothing", path)).toBeUndefined();
    expect(executable(project.path("b/tool"))).toBeUndefined();
  });

  test("bash is the system's; one that isn't trusted is passed over", () => {
    expect(findBash("/nowhere", () => true)).toMatch(/^\/.*\/bash$/);
    expect(findBash("/usr/bin:/bin", () => false)).toBeUndefined();
  });
});

describe("the PATH of commands", () => {
  // A folder of its own: other processes of the machine ask their shells too.
  const before = process.env["TMPDIR"];
  beforeAll(async () => {
    process.env["TMPDIR"] = (await tempProject()).dir;
  });
  afterAll(async () => {
    await rm(tmpdir(), { recursive: true, force: true });
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });

  async function home(profile: string) {
    const project = await tempProject({ ".bash_profile": profile });
    const ask = (more: object = {}, path: string | undefined = "/usr/bin:/bin") =>
      createUserPath({
        environment: { SHELL: "/bin/bash", HOME: project.dir, PATH: path },
        clock: systemClock,
        ...more,
      });
    return { ...project, ask };
  }
  const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("quoll-path-"));

  test("has the entries that only the login shell has at its end, and asks that shell once", async () => {
    await using user = await home(
      'echo "Welcome <PATH>"; echo x >> "$HOME/starts"; export PATH="/opt/mine:/bin"; alias ls=rm\n',
    );
    const path = user.ask();
    const expected = "/usr/bin:/bin:/opt/mine";
    expect(await Promise.all([path(), path()])).toEqual([expected, expected]);
    await path();
    expect(await user.read("starts")).toBe("x\n");
    expect(await leftovers()).toEqual([]);
  });

  test("keeps the inherited entries first and in their order, when the login shell sorts or drops them", async () => {
    await using user = await home('export PATH="/usr/bin:/opt/mine:/nvm/bin:/opt/mine"\n');
    const inherited = "/project/.venv/bin:/nvm/bin:/usr/bin";
    expect(await user.ask({}, inherited)()).toBe(`${inherited}:/opt/mine`);
  });

  test("is the login shell's where none was inherited", async () => {
    await using user = await home('export PATH="/opt/mine:/bin"\n');
    expect(await user.ask({}, "")()).toBe("/opt/mine:/bin");
  });

  test("is the inherited one when the shell hangs, and nothing of it is left", async () => {
    await using user = await home('sleep 1000 & export PATH="/opt/mine:$PATH"; sleep 1000\n');
    expect(await user.ask({ timeoutMs: 200 })()).toBe("/usr/bin:/bin");
    expect(await leftovers()).toEqual([]);
  });

  test("is the inherited one when the session ends before the shell answers, and nothing of it is left", async () => {
    await using user = await home('echo $$ > "$HOME/pid"; exec sleep 1000\n');
    const session = new AbortController();
    const path = user.ask({ signal: session.signal })();
    const pidOf = () => Number(existsSync(user.path("pid")) ? readFileSync(user.path("pid"), "utf8") : "");
    await eventually("the shell has started", () => pidOf() > 0);
    const shell = { pid: pidOf(), startTime: startTimeOf(pidOf()) };
    session.abort(new Error("The session ends."));
    expect(await path).toBe("/usr/bin:/bin");
    expect(isAlive(shell)).toBe(false);
    expect(await leftovers()).toEqual([]);
  });

  test.each([
    ["exits early", "exit 3\n"],
    ["empties it", "PATH=\n"],
  ])("is the inherited one when a start-up file %s", async (_name, profile) => {
    await using user = await home(profile);
    expect(await user.ask()()).toBe("/usr/bin:/bin");
  });

  test.each([undefined, "", "bash", "/bin/false", "/nowhere/zsh"])(
    "is the inherited one with SHELL=%s",
    async (shell) => {
      const environment = { SHELL: shell, PATH: "/usr/bin" };
      expect(await createUserPath({ environment, clock: systemClock })()).toBe("/usr/bin");
    },
  );
});
