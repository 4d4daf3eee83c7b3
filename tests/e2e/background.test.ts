import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { connectLines } from "../../src/platform/line-socket.ts";
import { deepTest } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const TOUCH = toolUse("Bash", { command: "touch made", description: "Make a file" });

type Listed = {
  readonly id: string;
  readonly sessionId: string;
  readonly state: string;
  readonly problem?: string;
  readonly pid: number;
  readonly title: string;
  readonly cwd: string;
  readonly costUsd: number | null;
};

/** A place whose background sessions end with its scope. */
async function backgroundPlace(scenario: Scenario = [], settings: object = { sandbox: { enabled: false } }) {
  const place = await quollPlace({ files: { "a.txt": "A\n" }, settings, scenario });
  const folder = join(place.home.dir, "own/state/background");
  const ids = () => (existsSync(folder) ? readdirSync(folder) : []);
  const list = async (): Promise<readonly Listed[]> => JSON.parse((await place.run(["ps", "--json"])).out);
  const begin = async (...args: readonly string[]) => {
    const started = await place.run(["--bg", "--trust", ...args]);
    const id = started.out.split(" ")[0] ?? "";
    return { id, started };
  };
  const attach = (...args: readonly string[]) =>
    terminalProcess([...QUOLL, "attach", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
  return {
    ...place,
    folder,
    ids,
    list,
    begin,
    attach,
    /** Waits until the only session is in a state. */
    async reaches(state: string): Promise<Listed> {
      let listed: Listed | undefined;
      await eventually(`the session is ${state}`, async () => {
        [listed] = await list();
        return listed?.state === state;
      });
      return listed as Listed;
    },
    async [Symbol.asyncDispose]() {
      for (const id of ids()) {
        const file = join(folder, id, "record.json");
        if (!existsSync(file)) continue;
        const { host, state } = JSON.parse(readFileSync(file, "utf8"));
        if (state !== "stopped" && state !== "failed" && isRunning(host.pid)) process.kill(host.pid, "SIGKILL");
      }
      await place[Symbol.asyncDispose]();
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function hostsOf(id: string | undefined): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      // It has ended.
      return "";
    }
  };
  return pids.filter((pid) => commandOf(pid).endsWith(`\0__background\0${id}\0`)).map(Number);
}

describe("quoll --bg", () => {
  test("continues without its terminal, is listed and logged, and ends with quoll stop", async () => {
    await using place = await backgroundPlace([reply("The answer is 42.")]);
    const { id, started } = await place.begin("what is the answer?");
    expect(started).toMatchObject({ code: 0, err: "" });
    expect(started.out).toContain(`quoll attach ${id}`);
    const { pid, sessionId } = await place.reaches("idle");
    expect(await place.list()).toMatchObject([{ id, title: "what is the answer?" }]);
    expect((await place.run(["ps"])).out).toContain(`${id}  idle`);
    expect((await place.run(["ps", "--ids"])).out).toBe(`${id}\n`);
    const logs = await place.run(["logs", id.slice(0, 4)]);
    expect(logs.out).toContain("what is the answer?");
    expect(logs.out).toContain("The answer is 42.");
    expect(await place.run(["-p", "hi", "--resume", sessionId])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`quoll attach ${id}`),
    });
    const stopped = await place.run(["stop"]);
    expect(stopped).toMatchObject({ code: 0, err: "" });
    expect(stopped.out).toContain(`quoll --resume ${sessionId}`);
    await eventually("the host has ended", () => !isRunning(pid));
    expect(await place.list()).toMatchObject([{ id, state: "stopped" }]);
    expect(await place.run(["stop", id])).toMatchObject({ code: 1, err: expect.stringContaining("already ended") });
    expect((await place.run(["logs", id])).out).toContain("The answer is 42.");
  });

  test("keeps its files from other users, and does not keep the command line", async () => {
    await using place = await backgroundPlace([reply("Yes.")]);
    const { id } = await place.begin("my secret is 1234-5678");
    await place.reaches("idle");
    const folder = join(place.folder, id);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
    expect(existsSync(join(folder, "request.json"))).toBe(false);
    const lines: string[] = [];
    const over = Promise.withResolvers<void>();
    const connection = await connectLines(join(folder, "socket"), () => ({
      line: (line) => void lines.push(line),
      closed: () => over.resolve(),
    }));
    connection?.send(JSON.stringify({ type: "hello", token: "guessed", wants: "screen", isPlain: true }));
    await over.promise;
    expect(lines).toEqual([]);
  });

  deepTest("refuses on the starting terminal: an untrusted folder, no model, no prompt, options of -p", async () => {
    await using place = await backgroundPlace([reply("Yes.")]);
    const refused = async (words: string, code: number, args: readonly string[], model = true) => {
      const ended = await place.run(["--bg", ...args], { model });
      expect(ended).toMatchObject({ code, out: "", err: expect.stringContaining(words) });
    };
    await refused("--trust", 2, ["hi"]);
    await refused("No model", 1, ["--trust", "hi"], false);
    await refused("needs a prompt", 2, ["--trust"]);
    await refused("leave -p out", 2, ["--trust", "-p", "hi"]);
    await refused("/nosuch", 2, ["--trust", "/nosuch 1"]);
    await refused("needs a screen", 2, ["--trust", "/resume"]);
    await refused("no-session-persistence", 2, ["--trust", "--no-session-persistence", "hi"]);
    expect(place.ids()).toEqual([]);
  });

  deepTest("whose host dies while it starts is named, and its prompt is not kept", async () => {
    await using place = await backgroundPlace([reply("Yes.")]);
    const { ended } = place.start(["--bg", "--trust", "my secret is 1234-5678"]);
    await eventually("the host begins", () => hostsOf(place.ids()[0]).length > 0);
    for (const pid of hostsOf(place.ids()[0])) process.kill(pid, "SIGKILL");
    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining("could not be started") });
    expect(existsSync(join(place.folder, place.ids()[0] ?? "", "request.json"))).toBe(false);
  });

  deepTest("whose host was killed has failed as interrupted, and can be resumed", async () => {
    await using place = await backgroundPlace([reply("One."), reply("Two.")]);
    const { id } = await place.begin("first");
    const { pid, sessionId } = await place.reaches("idle");
    process.kill(pid, "SIGKILL");
    await eventually("the host has ended", () => !isRunning(pid));
    expect(await place.list()).toMatchObject([{ id, state: "failed", problem: "interrupted" }]);
    const { out } = await place.run(["ps"]);
    expect(out).toContain("failed: interrupted");
    expect(out).toContain("loginctl enable-linger");
    expect(await place.run(["-p", "second", "--resume", sessionId])).toMatchObject({ code: 0, out: "Two.\n" });
  });

  deepTest("ends when it was idle for the time of the setting", async () => {
    await using place = await backgroundPlace([reply("Yes.")], {
      sandbox: { enabled: false },
      background: { idleHours: 0.0001 },
    });
    await place.begin("hi");
    const { problem } = await place.reaches("stopped");
    expect(problem).toContain("idle");
  });
});

describe("quoll --bg with options", () => {
  deepTest("works in a worktree and leaves it like any session; --continue resumes the conversation", async () => {
    await using place = await backgroundPlace([reply("One."), reply("Two."), reply("Three.")]);
    for (const args of [
      ["add", "-A"],
      ["commit", "-q", "-m", "one"],
    ])
      Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
    await place.begin("first", "-w", "fix");
    expect((await place.reaches("idle")).cwd).toEndWith("/fix");
    expect((await place.run(["worktree", "list"])).out).toContain("in use");
    expect((await place.run(["stop"])).out).toContain(`cd ${place.project.dir} && quoll --resume`);
    expect((await place.run(["worktree", "list"])).out).not.toContain("fix");
    await place.begin("second", "--continue");
    await place.reaches("idle");
    expect(place.sent()[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await using screen = place.attach();
    await screen.shows(() => screen.screen.includes("One.") && screen.screen.includes("Two."));
  });

  deepTest("is interrupted by SIGTERM: commands end, the record says failed", async () => {
    const wait = toolUse("Bash", { command: "touch started && sleep 60", description: "Wait" });
    await using place = await backgroundPlace([reply([wait]), reply("Done.")]);
    await place.begin("wait", "--allowed-tools", "Bash(*)");
    await eventually("the command runs", () => existsSync(place.project.path("started")));
    const { pid } = await place.reaches("working");
    const commands = childrenOf(pid);
    expect(commands).not.toEqual([]);
    process.kill(pid, "SIGTERM");
    expect((await place.reaches("failed")).problem).toBe("interrupted");
    await eventually("the command has ended", () => !commands.some(isRunning));
  });
});

describe("quoll attach", () => {
  deepTest("in the middle of a turn shows what runs; a closed terminal leaves it running", async () => {
    const command = "while [ ! -e go ]; do sleep 0.05; done; echo went";
    const wait = toolUse("Bash", { command, description: "Wait for a file" });
    await using place = await backgroundPlace([reply([text("I wait."), wait]), reply("It came.")]);
    const { id } = await place.begin("wait for go", "--allowed-tools", "Bash(*)");
    await place.reaches("working");
    {
      await using first = place.attach();
      await first.shows(() => first.screen.includes("I wait.") && first.screen.includes("while"));
      first.child.kill("SIGHUP");
      expect(await first.child.exited).toBe(129);
    }
    expect(await place.list()).toMatchObject([{ id, state: "working" }]);
    await using second = place.attach();
    await second.shows("while");
    await place.project.write("go", "");
    await second.shows("It came.");
    expect(second.screen).toContain("wait for go");
  });

  deepTest("shows the conversation so far, takes prompts, and Ctrl+Z leaves the session running", async () => {
    await using place = await backgroundPlace([reply("One."), reply("Two.")]);
    const { id } = await place.begin("first");
    await place.reaches("idle");
    {
      await using screen = place.attach();
      await screen.shows("One.");
      expect(screen.screen).toContain("first");
      screen.type("second\r");
      await screen.shows("Two.");
      screen.type("\u001a");
      expect(await screen.child.exited).toBe(0);
      await screen.shows(() => screen.all.includes(`quoll attach ${id}`));
    }
    // The answer is on the screen before the turn is over.
    expect((await place.reaches("idle")).id).toBe(id);
    await using again = place.attach(id);
    await again.shows(() => again.screen.includes("One.") && again.screen.includes("Two."));
    again.type("@a.");
    await again.shows("❯ @a.txt");
    again.type("\u0015/theme li");
    await again.shows(/❯ light {2}/);
    again.type("\u0015/keys\r");
    await again.shows("type to filter");
    again.type("new line");
    await again.shows(/❯ shift\+enter/);
    again.type("\r");
    await again.shows("press the keys");
    again.type("\u001b");
    await again.shows(/❯ shift\+enter/);
    again.type("\u001b");
    await again.shows(/1–\d+ of/);
    again.type("\u001b");
    await again.shows(() => !again.screen.includes("type to filter"));
    again.type("\u0015");
    expect(await again.leaves()).toBe(0);
    expect(await place.list()).toMatchObject([{ id, state: "idle" }]);
  });

  deepTest("--plain prints lines, and --fullscreen draws on the second screen", async () => {
    await using place = await backgroundPlace([reply("One.")]);
    await place.begin("first");
    await place.reaches("idle");
    await using full = place.attach("--fullscreen");
    await full.shows("One.");
    expect(full.xterm.buffer.active.type).toBe("alternate");
    await using plain = place.attach("--plain");
    await plain.shows(/^You: first\nQuoll: One\.$/m);
    expect(plain.output).not.toContain("\u001b");
    const env = place.environmentOf({ env: { ACCESSIBLE: "1" } });
    await using accessible = terminalProcess([...QUOLL, "attach"], { cwd: place.project.dir, env });
    await accessible.shows(/^You: first\nQuoll: One\.$/m);
    expect(accessible.output).not.toContain("\u001b");
    await using usual = place.attach();
    await usual.shows("One.");
    expect(usual.screen).toContain("────");
  });

  deepTest("an attached screen draws what a tool of an extension describes", async () => {
    await using place = await backgroundPlace([reply([toolUse("ext__Checklist", {})]), reply("One.")]);
    const example = join(import.meta.dir, "../../docs/examples/show-results.ts");
    await place.home.write("own/config/extensions/show-results.ts", readFileSync(example, "utf8"));
    await place.begin("what is missing?");
    await place.reaches("idle");
    await using screen = place.attach();
    await screen.shows("One.");
    expect(screen.screen).toContain("✗ README.md  is missing");
  });

  test("a question waits; of two screens the first answer counts, and the call runs once", async () => {
    const notify = { hooks: [{ type: "command", command: "cat > told.json" }] };
    const settings = { sandbox: { enabled: false }, hooks: { Notification: [notify] } };
    await using place = await backgroundPlace([reply([TOUCH]), reply("Made it.")], settings);
    await place.begin("make a file");
    await place.reaches("needs you");
    await eventually("the hook was told", () => existsSync(place.project.path("told.json")));
    await using one = place.attach();
    await using two = place.attach();
    await one.asks();
    await two.asks();
    await one.answers("1");
    await one.shows("Made it.");
    await two.shows("Made it.");
    expect(existsSync(place.project.path("made"))).toBe(true);
    expect(place.sent()).toHaveLength(2);
    expect(place.refused()).toEqual([]);
  });

  deepTest("a session of another version is named, and can be ended", async () => {
    await using place = await backgroundPlace([reply("One.")]);
    const { id } = await place.begin("first");
    await place.reaches("idle");
    const file = join(place.folder, id, "record.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"quoll":"[^"]+"/, '"quoll":"0.0.1"'));
    expect(await place.run(["logs", "-f"])).toMatchObject({ code: 1, err: expect.stringContaining("Quoll 0.0.1") });
    expect(await place.run(["stop"])).toMatchObject({ code: 0 });
  });

  deepTest("ends with the session, and follows with quoll logs -f", async () => {
    await using place = await backgroundPlace([reply("One.")]);
    await place.begin("first");
    await place.reaches("idle");
    await using screen = place.attach();
    await screen.shows("One.");
    await using following = terminalProcess([...QUOLL, "logs", "-f"], { env: place.environmentOf({}) });
    await following.shows("One.");
    await place.run(["stop"]);
    expect(await screen.child.exited).toBe(0);
    await eventually("the screen tells why", () => screen.all.includes("ended by quoll stop"));
    expect(await following.child.exited).toBe(0);
    await eventually("the log tells why", () => following.all.includes("ended by quoll stop"));
  });

  deepTest("an ended session and a missing session are each reported in one line", async () => {
    await using place = await backgroundPlace();
    expect(await place.run(["attach", "abc"])).toMatchObject({ code: 2, err: expect.stringContaining("quoll ps") });
    expect(await place.run(["logs"])).toMatchObject({ code: 2, err: expect.stringContaining("quoll --bg") });
    expect(await place.run(["ps"])).toMatchObject({ code: 0, out: expect.stringContaining("quoll --bg") });
  });
});
