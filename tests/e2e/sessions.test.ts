import { expect, setDefaultTimeout, test } from "bun:test";
import { basename } from "node:path";
import { reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace, type SentBody } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const FIRST_ID = "11111111-1111-4111-8111-111111111111";
const SECOND_ID = "22222222-2222-4222-8222-222222222222";

/** The bytes of a request without the cache marks, which move with every request. */
function bytes(body: SentBody | undefined): readonly string[] {
  const mark = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
  return (body?.messages ?? []).map((message) => JSON.stringify(message, mark));
}

/** The ids that `/clear` named, in order. The terminal breaks the sentence anywhere. */
function idsOfCleared(shown: string): readonly string[] {
  return [...shown.matchAll(/\/resume\s+([\da-f]{8})\s+opens\s+it\s+again/g)].map(([, id = ""]) => id);
}

type Place = Awaited<ReturnType<typeof quollPlace>>;
type Terminal = ReturnType<typeof terminalProcess>;

function started(place: Place, ...options: readonly string[]): Terminal {
  return terminalProcess([...QUOLL, "--trust", ...options], { cwd: place.project.dir, env: place.environmentOf({}) });
}

/** Sends a prompt and waits for the end of its turn. */
async function prompted(terminal: Terminal, prompt: string, answer: string): Promise<void> {
  terminal.type(`${prompt}\r`);
  await terminal.shows(answer);
  await terminal.shows("? for keys");
}

/** A terminal in which `/clear` has ended the conversation about the old matter. */
async function clearedTerminal(place: Place): Promise<Terminal> {
  const terminal = started(place);
  await terminal.shows("? for keys");
  await prompted(terminal, "the old matter", "Answer 0.");
  terminal.type("/clear\r");
  await terminal.shows(() => idsOfCleared(terminal.all).length === 1);
  return terminal;
}

test("--continue sends what was sent before byte for byte, thinking and results included", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "one\n", "AGENTS.md": "Be brief.\n" },
    scenario: [
      reply([thinking("Hm — ünïcode 漢字 👍."), text("I look."), toolUse("Read", { file_path: "a.txt" })]),
      reply("It says one."),
      reply("As I said."),
    ],
  });
  await place.run(["-p", "what does a.txt say?"]);
  await place.project.write("AGENTS.md", "Be long.\n");
  expect(await place.run(["-p", "again", "-c"])).toEqual({ code: 0, out: "As I said.\n", err: "" });
  const [, second, third] = place.sent();
  expect(bytes(third).slice(0, 3)).toEqual([...bytes(second)]);
  expect(third?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect({ system: third?.system, tools: third?.tools }).toEqual({
    system: second?.system,
    tools: second?.tools,
  } as never);
  expect(place.refused()).toEqual([]);
});

deepTest("a session is found by the beginning of its id, and --fork-session leaves it as it was", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  await place.run(["-p", "one", "--session-id", FIRST_ID]);
  await place.run(["-p", "other", "--session-id", "22222222-0000-4111-8111-111111111111"]);
  const before = await readSession(place, FIRST_ID);
  const forked = await place.run([
    "-p",
    "two",
    "--resume",
    "1111",
    "--fork-session",
    "--session-id",
    SECOND_ID,
    "--output-format",
    "json",
  ]);
  expect(JSON.parse(forked.out)).toMatchObject({ session_id: SECOND_ID, result: "Answer 2." });
  expect(await readSession(place, FIRST_ID)).toBe(before);
  expect(place.sent()[2]?.messages.map(({ content }) => content.at(-1)?.text)).toEqual(["one", "Answer 0.", "two"]);
  expect((await place.run(["-p", "three", "--resume", FIRST_ID])).code).toBe(0);
  expect(place.sent()[3]?.messages.map(({ content }) => content.at(-1)?.text)).toEqual(["one", "Answer 0.", "three"]);
  const taken = await place.run(["-p", "four", "--session-id", FIRST_ID]);
  expect(taken).toEqual({
    code: 2,
    out: "",
    err: `quoll: There already is a session ${FIRST_ID}. To continue that session, use --resume instead of --session-id.\n`,
  });
});

test("a session is named at its start or by /rename, and resumed by its name or the beginning of it", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  await place.run(["-p", "one", "--session-id", FIRST_ID, "--name", "fix the cart"]);
  expect((await place.run(["-p", "two", "--resume", "Fix"])).out).toBe("Answer 1.\n");
  await place.run(["-p", "/rename prices of the cart", "--resume", "1111"]);
  expect((await place.run(["-p", "three", "--resume", "fix the cart"])).code).toBe(2);
  expect((await place.run(["-p", "three", "--resume", "prices"])).out).toBe("Answer 2.\n");
  expect(place.sent()[2]?.messages.map(({ content }) => content.at(-1)?.text)).toEqual([
    ...["one", "Answer 0.", "two", "Answer 1.", "three"],
  ]);
  await using again = terminalProcess([...QUOLL, "--trust", "--resume", "prices"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await again.shows("Answer 2.");
  again.type("/status\r");
  await again.shows(/session +prices of the cart/);
  const unsaved = await place.run(["-p", "x", "--name", "y", "--no-session-persistence"]);
  expect(unsaved).toMatchObject({ code: 2, err: expect.stringContaining("--name") });
});

deepTest("--resume with a name that several sessions have opens the list of these, and -p names them", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  await place.run(["-p", "first matter", "--session-id", FIRST_ID, "--name", "cart"]);
  await place.run(["-p", "second matter", "--session-id", SECOND_ID, "--name", "cart"]);
  await place.run(["-p", "third matter", "--name", "docs"]);
  const { code, err } = await place.run(["-p", "x", "--resume", "cart"]);
  expect({ code, named: [FIRST_ID, SECOND_ID].every((id) => err.includes(id)) }).toEqual({ code: 2, named: true });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--resume", "cart", "--name", "chosen"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("Resume a session");
  await terminal.shows(() => !terminal.screen.includes("docs"));
  terminal.type("\r");
  await terminal.shows(() => !terminal.screen.includes("Resume a session") && terminal.screen.includes("Answer 1."));
  terminal.type("/rename\r");
  await terminal.shows("Name of this session");
  expect(terminal.screen).toContain("chosen");
  terminal.type(" one\r");
  await terminal.shows('named "chosen one"');
  terminal.type("/status\r");
  await terminal.shows(/session +chosen one/);
});

deepTest("the list of /resume pins and deletes a session, and brings it back", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  for (const id of [FIRST_ID, SECOND_ID]) await place.run(["-p", `matter ${id.slice(0, 4)}`, "--session-id", id]);
  const isSaved = () =>
    place
      .ownFiles()
      .some(([path]) => /^data\/(?:deleted-)?sessions\//.test(path) && path.endsWith(`${SECOND_ID}.jsonl`));
  await using terminal = terminalProcess([...QUOLL, "--trust", "--resume"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("❯ matter 2222");
  const inPlace = () =>
    place.ownFiles().some(([path]) => path.startsWith("data/sessions/") && path.includes(SECOND_ID));
  expect([inPlace(), isSaved()]).toEqual([true, true]);
  terminal.type("\u001b[3~");
  await terminal.shows('Deleted "matter 2222"');
  await terminal.shows("❯ matter 1111");
  expect([inPlace(), isSaved()]).toEqual([false, true]);
  terminal.type("\u0010");
  await terminal.shows('Pinned "matter 1111"');
  await terminal.shows(/ {2}pinned · /);
  terminal.type("\u001b[3~");
  await terminal.shows("it is pinned");
  terminal.type("/sessions undo\r");
  await terminal.shows('Brought back "matter 2222"');
  expect(inPlace()).toBe(true);
});

deepTest("saved files are private to this user, and no lock is left", async () => {
  await using place = await quollPlace({ scenario: [reply("Yes.")] });
  await place.run(["-p", "hi"]);
  const files = place.ownFiles();
  expect(files.flatMap(([path]) => (path.endsWith(".jsonl") ? [path.split("/")[1]] : [])).sort()).toEqual([
    "sessions",
    "spend",
  ]);
  for (const [path, mode] of files) expect([path, mode]).toEqual([path, /\.[a-z]+$/.test(path) ? "600" : "700"]);
  expect(files.filter(([path]) => path.endsWith(".lock"))).toEqual([]);
});

deepTest("--no-session-persistence leaves nothing behind but what it cost", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "x\n".repeat(10) },
    scenario: [reply([toolUse("Bash", { command: "ls -la; seq 1 40000", description: "Much" })]), reply("Done.")],
  });
  const run = await place.run(["-p", "hi", "--no-session-persistence", "--allowed-tools", "Bash(seq *)", "Bash(ls *)"]);
  expect(run).toEqual({ code: 0, out: "Done.\n", err: "" });
  const files = place.ownFiles().flatMap(([path]) => (/\.\w+$/.test(path) ? [path] : []));
  expect(files).toEqual([expect.stringMatching(/^data\/spend\/[\d-]+\.jsonl$/)]);
});

test("a second writer of a session is refused with the holder's name and continues in a fork", async () => {
  await using place = await quollPlace({
    scenario: [reply("One."), reply("slow ".repeat(2_000), { paceMs: 500 }), reply("Beside.")],
  });
  await place.run(["-p", "one", "--session-id", FIRST_ID]);
  const { child, ended } = place.start(["-p", "slowly", "--continue"]);
  await place.twin.request(1);
  const second = await place.run(["-p", "two", "--resume", FIRST_ID]);
  expect({ code: second.code, out: second.out, lines: linesOf(second.err).length }).toEqual({
    code: 1,
    out: "",
    lines: 1,
  });
  expect(second.err).toContain(`The session "one" `);
  expect(second.err).toContain(String(child.pid));
  expect(second.err).toContain("--fork-session");
  const beside = await place.run(["-p", "two", "--resume", FIRST_ID, "--fork-session"]);
  expect({ code: beside.code, out: beside.out }).toEqual({ code: 0, out: "Beside.\n" });
  child.kill("SIGTERM");
  expect((await ended).code).toBe(143);
  expect(place.refused()).toEqual([]);
});

deepTest("sessions belong to their project: another project has no session to continue", async () => {
  await using place = await quollPlace({ scenario: () => reply("Yes.") });
  await using elsewhere = await quollPlace();
  await place.run(["-p", "hi"]);
  expect((await place.run(["-p", "hi", "--continue"], { cwd: elsewhere.project.dir })).code).toBe(2);
  await place.project.write("deep/er/x.txt", "");
  expect((await place.run(["-p", "hi", "--continue", "-C", "deep/er"])).code).toBe(0);
});

deepTest("/resume opens the conversation before /clear again, in a copy", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  await using terminal = await clearedTerminal(place);
  await prompted(terminal, "the new matter", "Answer 1.");
  terminal.type("/clear\r");
  await terminal.shows(() => idsOfCleared(terminal.all).length === 2);
  expect(new Set(idsOfCleared(terminal.all)).size).toBe(2);
  terminal.type("/resume\r");
  await terminal.shows(/❯ the new matter.*\n +before \/clear/);
  terminal.type("\u001b[B");
  await terminal.shows(/❯ the old matter.*\n +before \/clear/);
  const from = terminal.output.length;
  terminal.type("\r");
  await terminal.shows(() => terminal.output.slice(from).includes("Answer 0."));
  await terminal.shows("? for keys");
  terminal.type("go on\r");
  await terminal.shows("Answer 2.");
  const words = place.sent().map(({ messages }) => messages.map(({ content }) => content.at(-1)?.text));
  expect(words).toEqual([["the old matter"], ["the new matter"], ["the old matter", "Answer 0.", "go on"]]);
});

deepTest(
  "another process lists the conversation before a /clear with its title, and finds it by its words",
  async () => {
    await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
    await using first = await clearedTerminal(place);
    await prompted(first, "the new matter", "Answer 1.");
    expect(await first.leaves()).toBe(0);
    await using second = started(place, "--resume");
    await second.shows(/❯ the new matter.*\n.*\n +the old matter.*\n +before \/clear/);
    await using third = started(place, "--resume", "old");
    await third.shows(/❯ the old matter.*\n +before \/clear/);
    third.type("\r");
    await third.shows("Answer 0.");
    await third.shows("? for keys");
    // A word that only the path of the project has means no session.
    const { code, err } = await place.run(["-p", "x", "--resume", basename(place.project.dir)]);
    expect(err).toContain("No session of this project");
    expect(code).toBe(2);
  },
);

deepTest(
  "--resume of a session that is empty since /clear opens a copy of its conversation before, and says so",
  async () => {
    await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
    await using first = await clearedTerminal(place);
    expect(await first.leaves()).toBe(0);
    const [id = ""] = place.ownFiles().flatMap(([name]) => /([\w-]+)\.jsonl$/.exec(name)?.[1] ?? []);
    await using second = started(place, "--resume", id);
    await second.shows("is empty since /clear");
    await second.shows("Answer 0.");
    await second.shows("? for keys");
    second.type("go on\r");
    await second.shows("Answer 1.");
    expect(
      place
        .sent()
        .at(-1)
        ?.messages.map(({ content }) => content.at(-1)?.text),
    ).toEqual(["the old matter", "Answer 0.", "go on"]);
  },
);

deepTest("/clear starts a new conversation, and --continue resumes after the /clear", async () => {
  await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
  await using terminal = await clearedTerminal(place);
  await prompted(terminal, "the new matter", "Answer 1.");
  expect(await terminal.leaves()).toBe(0);
  await place.run(["-p", "go on", "--continue"]);
  const words = place.sent().map(({ messages }) => messages.map(({ content }) => content.at(-1)?.text));
  expect(words).toEqual([["the old matter"], ["the new matter"], ["the new matter", "Answer 1.", "go on"]]);
  expect(place.refused()).toEqual([]);
});

async function readSession({ home, ownFiles }: Place, id: string): Promise<string> {
  const [path] = ownFiles()
    .map(([name]) => name)
    .filter((name) => name.endsWith(`${id}.jsonl`));
  return home.read(`own/${path}`);
}
