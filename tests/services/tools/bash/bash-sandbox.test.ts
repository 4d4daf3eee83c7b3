import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ToolFailedError } from "../../../../src/contracts/errors.ts";
import type { ConfinedStart, Sandbox } from "../../../../src/contracts/ports.ts";
import { createSandbox } from "../../../../src/services/sandbox/create-sandbox.ts";
import { bashSession, PATH } from "./bash-session.ts";

setDefaultTimeout(20_000);

/** The real sandbox around a session's workspace; the session's folder is not known before it is made. */
async function confinedSession(files: Readonly<Record<string, string>> = {}) {
  const cleanup = new AsyncDisposableStack();
  const state = await realpath(await mkdtemp(join(tmpdir(), "quoll-state-")));
  cleanup.defer(() => rm(state, { recursive: true, force: true }));
  let real: ReturnType<typeof createSandbox> | undefined;
  const known = () => {
    if (!real) throw new Error("The session is not there yet.");
    return real;
  };
  const sandbox: Sandbox = {
    state: () => known().state(),
    confine: (start, signal) => known().confine(start, signal),
    beginOutside: (signal, makes) => known().beginOutside(signal, makes),
    explainFailure: (output, ranMs) => known().explainFailure(output, ranMs),
    close: async () => real?.close(),
  };
  cleanup.defer(() => sandbox.close());
  const session = cleanup.use(await bashSession({ files, sandbox }));
  real = createSandbox({
    roots: [session.dir],
    projectRoot: session.dir,
    home: state,
    ownFolders: [],
    stateFolder: state,
    cacheFolder: join(state, "cache/this"),
    artifacts: session.directory,
    gitFolders: [],
    settings: {},
    environment: { PATH, HOME: state },
    selfCommand: [process.execPath, resolve(import.meta.dir, "../../../../src/main.ts")],
  });
  const run = (command: string, more: object = {}) => session.run(command, more, { confinement: "sandbox" });
  return { ...session, outside: join(state, "outside"), run, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

describe("a command in the sandbox", () => {
  test("writes in the workspace and not outside of it, and its exit code and output are its own", async () => {
    await using session = await confinedSession();
    const { text, isError } = await session.run(
      `echo in > inside; echo out > ${session.outside}; echo "tmp $TMPDIR"; exit 3`,
    );
    expect(isError).toBe(true);
    expect(text).toContain("Read-only file system");
    expect(text).toContain("[exit code 3]");
    expect(existsSync(session.path("inside"))).toBe(true);
    expect(existsSync(session.outside)).toBe(false);
  });

  test("that makes a repository which git would obey is told so, in the foreground and in a task's log", async () => {
    await using session = await confinedSession({ "a.txt": "a" });
    const { text } = await session.run("mkdir -p new && cd new && git init -q . && git config core.fsmonitor ./evil");
    expect(text).toContain("[exit code 0]");
    expect(text).toMatch(/\[[^\]]*new[^\]]*\]/);
  });

  test("carries its folder over to the next call", async () => {
    await using session = await confinedSession({ "sub/a": "x" });
    await session.run("cd sub");
    expect(session.workspace.cwd).toBe(session.path("sub"));
    expect((await session.run("pwd")).text).toStartWith(session.path("sub"));
  });

  test("that fails for want of the network or of a place to write says that the sandbox may be why", async () => {
    await using session = await confinedSession();
    expect((await session.run(`touch ${session.outside}`)).text).toContain("dangerouslyDisableSandbox");
    expect((await session.run("false")).text).not.toContain("sandbox");
  });

  test("leaves nothing running when it is ended, and nothing that was made for it", async () => {
    await using session = await confinedSession();
    const { text } = await session.run("sleep 60 & sleep 60", { timeout: 200 });
    expect(text).toContain("timed out");
    expect(session.alive()).toEqual([]);
    await session.tasks.closeAll();
    expect(existsSync(session.path(".mcp.json"))).toBe(false);
  });

  test("runs in the background too", async () => {
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
    beginOutside: async () => ({ lines: [], end: () => undefined }),
    explainFailure: () => undefined,
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
