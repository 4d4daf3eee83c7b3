import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { sha256 } from "../../src/platform/digest.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const IDLE = "? for keys";

/** Quoll on a terminal. */
function screen(place: Place, options: readonly string[], size: object = {}) {
  const where = { columns: 80, rows: 24, cwd: place.project.dir, env: place.environmentOf({}), ...size };
  return terminalProcess([...QUOLL, "--trust", ...options], where);
}

async function onScreen(place: Place, ...options: readonly string[]) {
  const terminal = screen(place, options);
  await terminal.shows(IDLE);
  return terminal;
}

const answers = (_: unknown, at: number) => reply(`Answer ${at + 1}.`);
const textIn = (place: Place, file: string) => readFileSync(place.project.path(file), "utf8");
const lastSent = (place: Place) => JSON.stringify(place.sent().at(-1)?.messages);

const MINUTE = 60_000;

/** Makes the saved session so much older. */
function age(place: Place, ms: number): void {
  const [[path] = [""]] = place.ownFiles().filter(([name]) => /sessions\/.*\.jsonl$/.test(name));
  const lines = place.sessionEntries().map((entry) => {
    const time = new Date(Date.parse(String(entry["time"])) - ms).toISOString();
    return JSON.stringify({ ...entry, time });
  });
  writeFileSync(join(place.home.dir, "own", path), `${lines.join("\n")}\n`);
}

async function resumed({ tokens, idleMs, args = [] }: { tokens: number; idleMs: number; args?: readonly string[] }) {
  const scenario = [reply("One.", { usage: { inputTokens: tokens, outputTokens: 10 } }), reply("Two.")];
  await using place = await quollPlace({ scenario });
  await place.run(["-p", "one", ...args]);
  age(place, idleMs);
  const { code, out, err } = await place.run(["-p", "two", "--continue", ...args]);
  expect([code, out, place.refused()]).toEqual([0, "Two.\n", []]);
  return err;
}

test("a session that is resumed after its prompt cache has expired tells the price and /compact", async () => {
  const err = await resumed({ tokens: 80_000, idleMs: 20 * MINUTE, args: ["--model", "claude-sonnet-4-5"] });
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(err).toMatch(/20 min ago.*80k tokens.*\$0\.\d\d.*\/compact/);
});

describe("a resumed session", () => {
  const edit = (from: string, to: string) => toolUse("Edit", { file_path: "a.txt", old_string: from, new_string: to });
  const allowed = ["--permission-mode", "acceptEdits"];

  test("changes a file that the model had read or written without another Read", async () => {
    const scenario = [
      reply([toolUse("Read", { file_path: "a.txt" }), toolUse("Write", { file_path: "new.txt", content: "n\n" })]),
      reply("Read."),
      reply([edit("one", "two"), toolUse("Write", { file_path: "new.txt", content: "m\n" })]),
      reply("Changed."),
    ];
    await using place = await quollPlace({ files: { "a.txt": "one\n" }, scenario });
    await place.run(["-p", "look", ...allowed]);
    await place.run(["-p", "change", "--continue", ...allowed]);
    expect([textIn(place, "a.txt"), textIn(place, "new.txt")]).toEqual(["two\n", "m\n"]);
  });

  test("changes a file that a hook had formatted after the model's change", async () => {
    const scenario = [
      reply([toolUse("Read", { file_path: "a.txt" })]),
      reply([edit("one", "two")]),
      reply("Changed."),
      reply([edit("two", "three")]),
      reply("Changed again."),
    ];
    const formatter = { matcher: "Edit", hooks: [{ type: "command", command: "echo end >> a.txt" }] };
    const settings = JSON.stringify({ hooks: { PostToolUse: [formatter] } });
    await using place = await quollPlace({ files: { "a.txt": "one\n", ".quoll/settings.json": settings }, scenario });
    await place.run(["-p", "look", "--trust", ...allowed]);
    await place.run(["-p", "change", "--trust", "--continue", ...allowed]);
    expect(textIn(place, "a.txt")).toBe("three\nend\nend\n");
  });

  test("changes a file that the person had attached without a Read, unless only a part was attached or it changed", async () => {
    const files = ["whole.txt", "part.txt", "changed.txt"];
    const changes = files.map((file) => toolUse("Edit", { file_path: file, old_string: "one", new_string: "two" }));
    const scenario = [reply("Seen."), reply(changes), reply("Done.")];
    const contents = Object.fromEntries(files.map((file) => [file, "one\nmore\n"]));
    await using place = await quollPlace({ files: contents, scenario });
    await place.run(["-p", "look at @whole.txt @part.txt#L1 @changed.txt", ...allowed]);
    await place.project.write("changed.txt", "one\nmine\n");
    await place.run(["-p", "change", "--continue", ...allowed]);
    expect(files.map((file) => textIn(place, file))).toEqual(["two\nmore\n", "one\nmore\n", "one\nmine\n"]);
    const sent = place.sent().map(({ messages }) => JSON.stringify(messages));
    expect(sent.filter((messages) => messages.includes('"knows"'))).toEqual([]);
  });

  test("knows no file that a rule denies by now", async () => {
    const scenario = [
      reply([toolUse("Read", { file_path: "a.txt" })]),
      reply("Read."),
      reply([edit("onf", "two")]),
      reply("No."),
    ];
    await using place = await quollPlace({ files: { "a.txt": "one\n" }, scenario });
    await place.run(["-p", "look", "--trust", ...allowed]);
    await place.project.write(".quoll/settings.json", '{ "permissions": { "deny": ["Read(a.txt)"] } }');
    await place.run(["-p", "change", "--trust", "--continue", ...allowed]);
    expect(lastSent(place)).toContain("was not read in this conversation");
  });

  test("names the content of a file in its log so that nobody can check a guess at a secret in it", async () => {
    const content = "DB_PASSWORD=Winter2024!x\n";
    const scenario = [reply([toolUse("Read", { file_path: "a.txt" })]), reply("Read.")];
    await using place = await quollPlace({ files: { "a.txt": content }, scenario });
    await place.run(["-p", "look", ...allowed]);
    const log = JSON.stringify(place.sessionEntries());
    expect(log).toContain('"knows"');
    expect(log).not.toContain(sha256(content));
    expect(log).not.toContain("Winter2024");
  });

  test("changes no file that somebody changed while it was closed", async () => {
    const scenario = [
      reply([toolUse("Read", { file_path: "a.txt" })]),
      reply("Read."),
      reply([edit("one", "two")]),
      reply("Not changed."),
    ];
    await using place = await quollPlace({ files: { "a.txt": "one\n" }, scenario });
    await place.run(["-p", "look", ...allowed]);
    await place.project.write("a.txt", "one\nmine\n");
    await place.run(["-p", "change", "--continue", ...allowed]);
    expect(lastSent(place)).toContain("was changed since Quoll last saw it");
    expect(textIn(place, "a.txt")).toBe("one\nmine\n");
  });
});

deepTest("a resumed session tells the model that commands run in the starting folder again", async () => {
  const scenario = [
    reply([toolUse("Bash", { command: "cd sub && pwd", description: "Go there" })]),
    ...["There.", "Back.", "Still here."].map((text) => reply(text)),
  ];
  await using place = await quollPlace({ scenario, files: { "sub/a.txt": "a\n" } });
  const rules = ["--allowed-tools", "Bash"];
  await place.run(["-p", "one", ...rules]);
  await place.run(["-p", "two", "--continue", ...rules]);
  const told = JSON.stringify(place.sent().at(-1)?.messages.at(-1));
  expect(told).toContain("was resumed");
  expect(told).toContain(`${place.project.dir}/sub`);
  await place.run(["-p", "three", "--continue", ...rules]);
  const third = JSON.stringify(place.sent().at(-1)?.messages.at(-1));
  expect([third.includes("three"), third.includes("was resumed")]).toEqual([true, false]);
});

deepTest("a small session, and one that is resumed at once, tell nothing", async () => {
  expect(await resumed({ tokens: 40_000, idleMs: 20 * MINUTE })).toBe("");
  expect(await resumed({ tokens: 80_000, idleMs: 2 * MINUTE })).toBe("");
});

deepTest("a session that is resumed with another system prompt tells so with the price, once", async () => {
  const usage = { inputTokens: 30_000, outputTokens: 10 };
  await using place = await quollPlace({ scenario: () => reply("Hi.", { usage }) });
  const model = ["--model", "claude-sonnet-4-5"];
  const resume = async (settings: object) =>
    (await place.run(["-p", "again", "--continue", "--settings", JSON.stringify(settings), ...model])).err;
  await place.run(["-p", "one", ...model]);
  expect(await resume({})).toBe("");
  const err = await resume({ language: "Japanese" });
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(err).toMatch(/system prompt.* 3\dk tokens.*\$0\.\d/);
  expect(await resume({ language: "Japanese" })).toBe("");
  expect(await resume({})).toContain("system prompt");
});

deepTest("a session file without a hash of the system prompt, as older versions wrote it, tells nothing", async () => {
  await using place = await quollPlace({ scenario: () => reply("Hi.") });
  await place.run(["-p", "one"]);
  const [[path] = [""]] = place.ownFiles().filter(([name]) => /sessions\/.*\.jsonl$/.test(name));
  const lines = place.sessionEntries().map(({ systemHash: _, ...entry }) => JSON.stringify(entry));
  writeFileSync(join(place.home.dir, "own", path), `${lines.join("\n")}\n`);
  const settings = ["--settings", JSON.stringify({ language: "Japanese" })];
  expect((await place.run(["-p", "two", "--continue", ...settings])).err).toBe("");
});

const ESC = "\u001b";
const SETTINGS = {
  sandbox: { enabled: false },
  permissions: { allow: ["Bash(seq *)", "Bash(exit *)", "Edit(a.txt)"] },
};

async function wideScreen(place: Place, ...options: readonly string[]) {
  const terminal = screen(place, options, { columns: 90, rows: 40 });
  await terminal.shows(IDLE);
  return terminal;
}

/** Rows of a conversation: from its first prompt on, up to the prompt line. */
function rows(all: string): readonly string[] {
  const lines = all.split("\n").map((line) => line.trimEnd());
  const from = lines.findIndex((line) => line.startsWith("› work"));
  const to = lines.findLastIndex((line) => line === "› " || line === "›" || line.startsWith("─"));
  return lines.slice(from, to).filter((line) => line !== "" && !/^─+$/.test(line));
}

test("a resumed session shows the same rows as the running one did", async () => {
  const edited = (place: Place) => `${place.project.dir}/a.txt`;
  const scenario: Scenario = (_, index) => {
    const calls = [
      () => reply([text("I look.\n\nThen I edit."), toolUse("Read", { file_path: edited(place) })]),
      () => reply([toolUse("Edit", { file_path: edited(place), old_string: "two", new_string: "2" })]),
      () => reply([toolUse("Bash", { command: "seq 60", description: "Count" })]),
      () => reply([toolUse("Bash", { command: "exit 3", description: "Fail" })]),
      () => reply([toolUse("Write", { file_path: `${place.project.dir}/b.txt`, content: "new\n" })]),
      () => reply([toolUse("Read", { file_path: `${place.project.dir}/none.txt` })]),
      () => reply([text("Done with **it**.\n\n- one\n- two")]),
      () => reply([text("A long answer\n\nthat breaks off here and goes on")], { fault: fault.stall(12) }),
    ];
    return (calls[index] ?? (() => reply([text("More.")])))();
  };
  await using place = await quollPlace({ files: { "a.txt": "one\ntwo\nthree\n" }, scenario, settings: SETTINGS });
  await using live = await wideScreen(place);
  live.type("work\r");
  await live.shows("Change this file?");
  await live.asks();
  // A question that has just come takes no key.
  let next = 0;
  await live.shows(() => {
    if (live.screen.includes("No: ")) return true;
    if (Date.now() >= next) {
      live.type("5");
      next = Date.now() + 700;
    }
    return false;
  });
  live.type("not there");
  live.type("\r");
  await live.shows("Done with it.");
  await live.shows(IDLE);
  live.type("!ls\r");
  await live.shows(/a\.txt\s/);
  await live.shows(IDLE);
  live.type("go on\r");
  await live.shows("breaks off");
  live.type(ESC);
  await live.shows(/interrupted/i);
  await live.shows(IDLE);
  await live.rests();
  const before = rows(live.all);
  await live.leaves();
  // The last bytes of a terminal can come after the end of the process.
  const told = () => /quoll --resume ([\da-f-]{36})/.exec(live.all)?.[1];
  await eventually("the session's id is shown", () => told() !== undefined);
  const id = told() ?? "";

  await using resumed = await wideScreen(place, "--resume", id);
  await eventually("all rows are printed", () => rows(resumed.all).length >= before.length).catch(() => undefined);
  expect(rows(resumed.all)).toEqual(before);
  for (const shown of ["✗ exit 3", "you said no: not there", "57 lines above", "not there"])
    expect(before.join("\n")).toContain(shown);
  expect(place.refused()).toEqual([]);
}, 60_000);

deepTest("the last command that the person ran reaches the model after the session is resumed, once", async () => {
  await using place = await quollPlace({ scenario: answers });
  {
    await using terminal = await onScreen(place);
    terminal.type("hello\r");
    await terminal.shows("● Answer 1.");
    await terminal.rests();
    terminal.type("!echo NUM-$((40+2))\r");
    await terminal.shows("NUM-42");
    await terminal.rests();
    await terminal.leaves();
  }
  await using terminal = await onScreen(place, "-c");
  await terminal.shows("NUM-42");
  terminal.type("what was it\r");
  await terminal.shows("● Answer 2.");
  await terminal.rests();
  expect(lastSent(place)).toContain("NUM-42");
  terminal.type("and now\r");
  await terminal.shows("● Answer 3.");
  expect(lastSent(place).split("NUM-42")).toHaveLength(2);
});

deepTest("/clear names an id that opens the old conversation, in the session and in a shell", async () => {
  await using place = await quollPlace({ scenario: answers });
  let id = "";
  {
    await using terminal = await onScreen(place);
    terminal.type("old question\r");
    await terminal.shows("● Answer 1.");
    await terminal.rests();
    terminal.type("/clear\r");
    await terminal.shows("was cleared");
    id = /\/resume (\w{8})/.exec(terminal.screen)?.[1] ?? "";
    terminal.type("new question\r");
    await terminal.shows("● Answer 2.");
    await terminal.rests();
    expect(lastSent(place)).not.toContain("old question");
    terminal.type(`/resume ${id}\r`);
    await terminal.shows("› Go on where you left off");
    terminal.type("third\r");
    await terminal.shows("● Answer 3.");
    expect(lastSent(place)).toContain("old question");
    expect(lastSent(place)).not.toContain("new question");
    await terminal.leaves();
  }
  const { code } = await place.run(["-p", "--resume", id, "fourth"]);
  expect(code).toBe(0);
  expect(lastSent(place)).toContain("old question");
  expect(lastSent(place)).not.toContain("third");
});

/** A place with a session of a project whose folder was renamed afterwards. */
async function movedPlace() {
  const place = await quollPlace({ scenario: answers });
  const [before, now] = [join(place.home.dir, "before"), join(place.home.dir, "now")];
  mkdirSync(join(before, ".git"), { recursive: true });
  Bun.spawnSync(["git", "init", "-q"], { cwd: before });
  const { out } = await place.run(["-p", "first question", "--output-format", "json"], { cwd: before });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  renameSync(before, now);
  const run = (...args: readonly string[]) => place.run(args, { cwd: now });
  return { place, before, now, id, run };
}

describe("a project whose folder was renamed", () => {
  test("continues its newest session, says so once, and tells the model the folder", async () => {
    const { place, before, now, id, run } = await movedPlace();
    await using _ = place;
    const { code, err, out } = await run("-p", "-c", "second", "--output-format", "json");
    expect([code, (JSON.parse(out) as { session_id: string }).session_id]).toEqual([0, id]);
    expect(err.split("\n").filter((line) => line.includes(before))).toHaveLength(1);
    expect(lastSent(place)).toContain("first question");
    expect(lastSent(place)).toContain(JSON.stringify(JSON.stringify(now)).slice(1, -1));
    const again = await run("-p", "-c", "third");
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(lastSent(place).match(/no longer/g)).toHaveLength(1);
  });

  deepTest("resumes a session by its id", async () => {
    const { place, id, run } = await movedPlace();
    await using _ = place;
    expect((await run("-p", "--resume", id.slice(0, 8), "second")).code).toBe(0);
    expect(lastSent(place)).toContain("first question");
  });

  deepTest("copies a session by its id, and the original stays", async () => {
    const { place, id, run } = await movedPlace();
    await using _ = place;
    const { code, out } = await run("-p", "--resume", id, "--fork-session", "second", "--output-format", "json");
    expect([code, (JSON.parse(out) as { session_id: string }).session_id === id]).toEqual([0, false]);
    expect(lastSent(place)).toContain("first question");
    expect((await run("-p", "--resume", id, "third")).code).toBe(0);
    expect(lastSent(place)).not.toContain("second");
  });

  deepTest("lists its sessions", async () => {
    const { place, now } = await movedPlace();
    await using _ = place;
    await using terminal = screen(place, ["--resume"], { cwd: now });
    await terminal.shows("first question");
  });
});

test("the sessions of a project that still exists stay with it", async () => {
  await using place = await quollPlace({ scenario: answers });
  const other = join(place.home.dir, "other");
  mkdirSync(other);
  Bun.spawnSync(["git", "init", "-q"], { cwd: other });
  const { out } = await place.run(["-p", "one", "--output-format", "json"], { cwd: other });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  expect((await place.run(["-p", "-c", "two"])).err).toContain("no session to continue");
  const { code, err } = await place.run(["-p", "--resume", id, "two"]);
  expect([code, err.includes(other)]).toEqual([2, true]);
});

deepTest("another project's session whose folder is gone is resumed by its id alone", async () => {
  await using place = await quollPlace({ scenario: answers });
  const gone = join(place.home.dir, "gone");
  mkdirSync(gone);
  const { out } = await place.run(["-p", "one", "--output-format", "json"], { cwd: gone });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  rmSync(gone, { recursive: true });
  expect((await place.run(["-p", "-c", "two"])).err).toContain("no session to continue");
  expect((await place.run(["-p", "--resume", id, "two"])).code).toBe(0);
});

describe("--resume --fork-session without an id", () => {
  eachOrDeep(
    "%p opens the list, and copies the chosen session",
    0,
    [[["--resume", "--fork-session"]], [["--fork-session", "-r"]]],
    async (options) => {
      await using place = await quollPlace({ scenario: answers });
      const { out } = await place.run(["-p", "original question", "--output-format", "json"]);
      const id = (JSON.parse(out) as { session_id: string }).session_id;
      await using terminal = screen(place, options);
      await terminal.shows("original question");
      terminal.type("\r");
      await terminal.shows("› original question");
      terminal.type("second\r");
      await terminal.shows("● Answer 2.");
      expect(lastSent(place)).toContain("original question");
      await terminal.leaves();
      await place.run(["-p", "--resume", id, "third"]);
      expect(lastSent(place)).not.toContain("second");
    },
  );

  test("copies a session that another Quoll has open", async () => {
    await using place = await quollPlace({ scenario: answers });
    await using open = await onScreen(place);
    open.type("original question\r");
    await open.shows("● Answer 1.");
    await using copy = screen(place, ["--resume", "--fork-session"]);
    await copy.shows("original question");
    copy.type("\r");
    await copy.shows("› original question");
    copy.type("second\r");
    await copy.shows("● Answer 2.");
    expect(lastSent(place)).toContain("original question");
    open.type("third\r");
    await open.shows("● Answer 3.");
    expect(lastSent(place)).toContain("original question");
    expect(lastSent(place)).not.toContain("second");
  });
});
