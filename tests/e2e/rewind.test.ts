import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const ESC = "\u001b";
const ALLOWED = ["--trust", "--allowed-tools", "Bash", "Write", "Edit"];

const changing = (dir: string) => [
  reply([
    toolUse("Write", { file_path: join(dir, "new.txt"), content: "new\n" }),
    toolUse("Bash", { command: "echo more >> kept.txt; mkdir empty; rm gone.txt" }),
  ]),
  reply("Changed."),
];
const FILES = { "kept.txt": "one\n", "gone.txt": "here\n", "mine.txt": "mine\n" };

/** A session in a terminal, in which the model has answered the prompt with "Changed.". */
async function changedSession(
  files: Readonly<Record<string, string>>,
  prompt: string,
  answers: (dir: string) => readonly Reply[],
) {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await quollPlace({ files }));
  const { dir } = place.project;
  const twin = await place.nextTwin([...answers(dir)]);
  const terminal = stack.use(
    terminalProcess([...QUOLL, ...ALLOWED], { columns: 80, rows: 24, cwd: dir, env: place.environmentOf({}) }),
  );
  await terminal.shows("? for keys");
  terminal.type(`${prompt}\r`);
  await terminal.shows("● Changed.");
  const owned = stack.move();
  return {
    ...{ dir, twin, terminal },
    /** The content of a file; undefined if there is none. */
    read: (name: string) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8") : undefined),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("esc esc goes back to before a prompt: files of tools and commands, conversation and draft; /redo returns", async () => {
  await using session = await changedSession(FILES, "change it", (dir) => [...changing(dir), reply("Again.")]);
  const { dir, twin, terminal, read } = session;
  expect([read("new.txt"), read("gone.txt")]).toEqual(["new\n", undefined]);
  terminal.type("/rewind\r");
  // The list waits until the state after the turn is stored: what changes from now on is the person's.
  await terminal.shows("3 files");
  terminal.type(ESC);
  await terminal.shows(() => !terminal.screen.includes("Go back"));
  writeFileSync(join(dir, "mine.txt"), "mine, changed\n");
  terminal.type(ESC);
  await terminal.shows("esc again");
  terminal.type(ESC);
  await terminal.shows("Go back to the moment before");
  await terminal.shows("3 files");
  terminal.type("\r");
  await terminal.shows("Files and conversation");
  terminal.type("\r");
  await terminal.shows("/redo");
  await terminal.shows("› change it");
  expect([read("kept.txt"), read("gone.txt"), read("new.txt")]).toEqual(["one\n", "here\n", undefined]);
  expect([existsSync(join(dir, "empty")), read("mine.txt")]).toEqual([false, "mine, changed\n"]);
  terminal.type("\u0015/redo\r");
  await terminal.shows("Rewind taken back");
  expect([read("kept.txt"), read("gone.txt"), read("new.txt")]).toEqual(["one\nmore\n", undefined, "new\n"]);
  terminal.type("go on\r");
  await terminal.shows("● Again.");
  const texts = JSON.stringify(twin.requests.at(-1)?.body);
  expect([texts.includes("change it"), texts.includes("go on")]).toEqual([true, true]);
  expect(existsSync(join(dir, "empty"))).toBe(true);
});

deepTest("conflicts are decided one by one, also after a resize; the differences lead back to the list", async () => {
  await using session = await changedSession({ "one.txt": "one\n", "two.txt": "two\n" }, "change both", () => [
    reply([toolUse("Bash", { command: "echo agent > one.txt; echo agent > two.txt" })]),
    reply("Changed."),
  ]);
  const { dir, terminal, read } = session;
  // The list waits until the state after the turn is stored.
  terminal.type("/rewind\r");
  await terminal.shows("2 files +2 −2");
  for (const name of ["one.txt", "two.txt"]) writeFileSync(join(dir, name), `mine ${name}\n`);
  terminal.resize(120, 30);
  await terminal.shows("$ echo agent > one.txt; echo agent > two.txt");
  terminal.resize(60, 20);
  await terminal.shows("❯ 1  change both");
  terminal.resize(80, 24);
  terminal.type("\r");
  await terminal.shows("Decide about each conflict");
  expect(terminal.screen).toContain("~ one.txt +1 −1: it changed since");
  terminal.type(`${ESC}[A`);
  await terminal.shows("❯ Show the differences");
  terminal.type("\r");
  await terminal.shows("In conflict");
  terminal.type("q");
  await terminal.shows("Decide about each conflict");
  terminal.type(`${ESC}[A`);
  await terminal.shows(/❯ Decide about each conflict +2 files; then files only/);
  terminal.type(`${ESC}[A`);
  await terminal.shows(/❯ Decide about each conflict +2 files; then files and conversation/);
  terminal.type("\r");
  await terminal.shows("k keeps your file");
  terminal.type("k");
  terminal.type(`${ESC}[B`);
  await terminal.shows("1 mark");
  terminal.type("r");
  await terminal.shows("enter goes back");
  terminal.type("\r");
  await terminal.shows("› /rewind 1 both keep 1 restore 2");
  await terminal.shows("› change both");
  expect([read("one.txt"), read("two.txt")]).toEqual(["mine one.txt\n", "two\n"]);
  terminal.type("\u0015/redo\r");
  await terminal.shows("Rewind taken back: 1 file restored.");
  expect([read("one.txt"), read("two.txt")]).toEqual(["mine one.txt\n", "mine two.txt\n"]);
});

deepTest("/diff takes a change of a command back with a key, and /redo brings it back", async () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
  await using session = await changedSession({ "a.txt": lines }, "change it", () => [
    reply([toolUse("Bash", { command: "sed -i -e 's/line 3$/three/' -e 's/line 20$/twenty/' a.txt" })]),
    reply("Changed."),
  ]);
  const { terminal, read } = session;
  terminal.type("/diff 1\r");
  await terminal.shows("x take back");
  expect(terminal.screen).toContain("? keys · ");
  expect(terminal.screen).toContain('› Changed since "change it": 1 file +2 −2');
  terminal.type("x");
  await terminal.shows("tab marks a change to take back");
  terminal.type("\t\t");
  await terminal.shows(/▎.*line 20/);
  terminal.type("x");
  await terminal.shows("Taken back: one change of a.txt.");
  await terminal.shows('› Changed since "change it": 1 file +1 −1');
  expect(read("a.txt")).toBe(lines.replace("line 3\n", "three\n"));
  terminal.type("\tx");
  await terminal.shows("No other change is left.");
  expect(terminal.screen).toMatch(/Taken back: one change of a\.txt\. .* · esc$/);
  expect(read("a.txt")).toBe(lines);
  terminal.type("q");
  await terminal.shows(/● Changed\.[\s\S]*Taken back: one change[\s\S]*Taken back: one change/);
  expect(terminal.screen).not.toContain("/diff 1 back");
  terminal.type("/redo\r");
  await terminal.shows("The change is back: 1 file restored.");
  expect(read("a.txt")).toBe(lines.replace("line 3\n", "three\n"));
  terminal.type("/redo\r");
  await terminal.shows(/The change is back[\s\S]*The change is back/);
  expect(read("a.txt")).toBe(lines.replace("line 3\n", "three\n").replace("line 20\n", "twenty\n"));
});

deepTest("a file that the conversation has read is known after a rewind and after /redo", async () => {
  const edit = (from: string, to: string) =>
    toolUse("Edit", { file_path: "cart.js", old_string: from, new_string: to });
  await using session = await changedSession({ "cart.js": "one\n" }, "change it", () => [
    reply([toolUse("Read", { file_path: "cart.js" })]),
    reply([edit("one", "two")]),
    reply("Changed."),
    reply([edit("two", "three")]),
    reply("Second."),
    reply([edit("two", "four")]),
    reply("Third."),
    reply([edit("four", "five")]),
    reply("Fourth."),
  ]);
  const { terminal, read, twin } = session;
  const results = () => JSON.stringify(twin.requests.at(-1)?.body);
  const runs = async (line: string, shown: string) => {
    terminal.type(`\u0015${line}\r`);
    await terminal.shows(shown);
  };
  await runs("/rewind 1 both", 'Back before "change it"');
  await runs("/redo", "Rewind taken back");
  await runs("again", "● Second.");
  expect([read("cart.js"), results().includes("was not read")]).toEqual(["three\n", false]);
  await runs("/rewind 1 both", 'Back before "again"');
  await runs("and again", "● Third.");
  expect([read("cart.js"), results().includes("was not read")]).toEqual(["four\n", false]);
  await runs("/rewind 1 conversation", 'Back before "and again"');
  await runs("once more", "● Fourth.");
  expect([read("cart.js"), results().includes("was changed since")]).toEqual(["four\n", true]);
});
