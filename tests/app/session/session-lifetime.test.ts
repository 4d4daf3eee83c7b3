import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { SessionPorts } from "../../../src/app/session/session.ts";
import type { Hooks } from "../../../src/contracts/hook.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { eventually, isRunning } from "../../support/eventually.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const ID = "11111111-2222-4333-8444-555555555555";
const SERVER = join(ROOT, "tests/services/mcp/servers/raw-server.ts");

/** A server over stdio that writes its process id into a file. */
function serverOf(file: string) {
  const shop = { command: "sh", args: ["-c", 'echo $$ > "$2"; exec "$0" "$1"', process.execPath, SERVER, file] };
  return { configs: [JSON.stringify({ mcpServers: { shop } })], inProcess: [] };
}

test("a session closes its servers, then its commands, then its conversation, and unlocks its file last", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({
    trace: "",
    // A server that has ended may still be a zombie.
    "note.sh": `server="no server"; grep -qs '^State:.[^ZX]' /proc/$(cat server)/status && server="a server"
[ -e "$(cat lock)" ] && echo "$1: locked, $server" >> trace || echo "$1: unlocked, $server" >> trace`,
    "wait.sh": "trap 'sh note.sh command; exit' INT TERM; echo ready >> trace; while :; do sleep 0.05; done",
  });
  const trace = () =>
    readFileSync(place.path("trace"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  const note = (about: string) => runCommand(["sh", "note.sh", about], { cwd: place.dir });
  const hooks: Hooks = {
    wants: (event) => event === "SessionEnd",
    run: async () => {
      await note("conversation");
      return {};
    },
  };
  const { session } = await sessionIn(
    here.app,
    place.dir,
    {
      conversation: { kind: "new", id: ID },
      mcp: serverOf(place.path("server")),
      allow: ["Bash(sh wait.sh)"],
      settings: JSON.stringify({ sandbox: { enabled: false } }),
    },
    { hooks },
  );
  const lock = `${session.conversation.transcriptPath.slice(0, -".jsonl".length)}.lock`;
  await place.write("lock", lock);
  const command = { command: "sh wait.sh", description: "Wait", run_in_background: true };
  await session.main.engine.submit({ prompt: call("Bash", command) });
  await eventually("the command waits", () => trace().includes("ready"));
  await note("before");
  expect(await session.close()).toHaveLength(1);
  expect(trace()).toEqual([
    "ready",
    "before: locked, a server",
    "command: locked, no server",
    "conversation: locked, no server",
  ]);
  expect(existsSync(lock)).toBe(false);
});

/** The child processes of this process that run. */
function children(): readonly string[] {
  const all = readdirSync("/proc/self/task").map((id) => readFileSync(`/proc/self/task/${id}/children`, "utf8"));
  return all.flatMap((line) => line.split(" ").filter((pid) => pid !== "" && isRunning(Number(pid))));
}

/** What this process holds besides: open files below these folders, watches of files, and listeners. */
function held(folders: readonly string[]) {
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return {
    files: open.filter((path) => folders.some((folder) => path.startsWith(folder))),
    watches: open.filter((path) => path.includes("inotify")).length,
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  };
}

const failing = (message: string) => () => {
  throw new Error(message);
};

test.each<[string, Partial<SessionConfig>, Partial<SessionPorts>, RegExp, boolean]>([
  ["its fallback model", { fallbackModels: ["mistral/small"] }, {}, /mistral/, false],
  ["its tools", { tools: ["Fly"] }, {}, /Fly/, false],
  [
    "its commands, which come last",
    {},
    {
      commands: {
        get builtin() {
          return failing("No commands.")();
        },
      },
    },
    /No commands/,
    true,
  ],
])(
  "a session that fails to open because of %s frees what it had opened",
  async (_, config, ports, message, isServed) => {
    await using here = await oneProcess();
    await using place = await tempProject();
    await using temporary = await tempProject();
    const folders = [here.home.dir, place.dir, temporary.dir];
    const given = process.env["TMPDIR"];
    process.env["TMPDIR"] = temporary.dir;
    try {
      const before = held(folders);
      const earlier = new Set(children());
      const hooks = JSON.stringify({
        hooks: { SessionStart: [{ hooks: [{ type: "command", command: "true" }] }] },
      });
      const whole: Partial<SessionConfig> = {
        conversation: { kind: "new", id: ID },
        mcp: serverOf(place.path("server")),
        settings: hooks,
        debug: ["tools"],
        ...config,
      };
      for (const isSaved of [true, false])
        await expect(sessionIn(here.app, place.dir, { ...whole, isSaved }, ports)).rejects.toThrow(message);
      await eventually("no child process is left", () => children().every((pid) => earlier.has(pid)));
      expect(held(folders)).toEqual(before);
      expect(existsSync(place.path("server"))).toBe(isServed);
      expect(readdirSync(temporary.dir)).toEqual([]);
      // The file of the session that failed is not locked.
      const { session } = await sessionIn(here.app, place.dir, { conversation: { kind: "new", id: ID } });
      await session.close();
    } finally {
      if (given === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = given;
    }
  },
);
