import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters as stripAnsi } from "node:util";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { redoCommand, rewindCommand } from "../../src/commands/rewind.ts";
import type { Command } from "../../src/contracts/command.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { DEFAULT_KEYMAP } from "../../src/faces/repl/keymap/keymap.ts";
import { firstMarkable, markLines } from "../../src/faces/repl/layers/mark-layer.ts";
import { emptyUi, type UiContext } from "../../src/faces/repl/layers/ui-state.ts";
import { themeFor } from "../../src/faces/repl/view/theme.ts";
import { bash, call, oneProcess, sessionIn } from "../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { pressKeys } from "../support/press-keys.ts";
import { tempProject } from "../support/temp-project.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;

/** A real session whose model makes the call that each prompt names. */
async function rewinding(files: Readonly<Record<string, string>> = {}) {
  const here = await oneProcess();
  const project = await tempProject(files);
  const allow = ["Bash", "Write", "Edit"];
  const { session } = await sessionIn(here.app, project.dir, { allow, settings: '{"sandbox":{"enabled":false}}' });
  const run = (command: Command, argument: string) => command.run(argument, session.commands.context, NEVER);
  return {
    session,
    path: (name: string) => join(project.dir, name),
    read: (name: string) =>
      existsSync(join(project.dir, name)) ? readFileSync(join(project.dir, name), "utf8") : undefined,
    edit: (name: string, text: string) => writeFileSync(join(project.dir, name), text),
    /** A turn, and its changes on record: what a test writes next is the person's. */
    async say(prompt: string) {
      await session.main.engine.submit({ prompt });
      await session.commands.context.rewinds?.points(NEVER);
    },
    rewind: (argument: string) => run(rewindCommand, argument),
    redo: () => run(redoCommand, ""),
    async [Symbol.asyncDispose]() {
      await session.close();
      await project[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

function kindOf<Kind extends CommandResult["kind"]>(result: CommandResult, kind: Kind) {
  if (result.kind !== kind) throw new Error(`It answered with ${result.kind}: ${JSON.stringify(result)}`);
  return result as Extract<CommandResult, { readonly kind: Kind }>;
}

const lines = (result: CommandResult) => kindOf(result, "text").lines;
const write = (path: string, content: string) => call("Write", { file_path: path, content });

describe("/rewind", () => {
  test("names an empty folder that comes back or goes, though no file changes", async () => {
    await using here = await rewinding();
    mkdirSync(here.path("old"));
    await here.say(bash("rmdir old; mkdir -p new/deep"));
    const { choices, before } = kindOf(await here.rewind("1"), "choose");
    expect(before).toEqual(["Restores:", "  + old/ (empty)", "Deletes:", "  − new/deep/ (empty)"]);
    expect(choices.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
      "Files and conversation: 2 empty folders",
      "Conversation only: the files stay as they are",
      "Files only: 2 empty folders",
    ]);
    expect(lines(await here.rewind("1 files"))[0]).toMatch(
      /: 1 empty folder restored, 1 empty folder deleted\. \/redo takes it back\.$/,
    );
    expect([existsSync(here.path("old")), existsSync(here.path("new"))]).toEqual([true, false]);
    expect(lines(await here.redo())).toEqual(["Rewind taken back: 1 empty folder restored, 1 empty folder deleted."]);
  });

  test("does not call a folder empty in which somebody changed or added a file", async () => {
    await using here = await rewinding();
    await here.say(bash("mkdir -p new other/deep; echo 1 > new/a.txt"));
    here.edit("new/a.txt", "mine\n");
    here.edit("other/deep/mine.txt", "mine\n");
    const { before } = kindOf(await here.rewind("1"), "choose");
    expect(before).toEqual([
      "Conflicts (your file stays unless you decide otherwise):",
      "  − new/a.txt −1: it changed since",
    ]);
    expect(lines(await here.rewind("1 files")).join("\n")).toContain("no file had to change");
    expect([here.read("new/a.txt"), here.read("other/deep/mine.txt")]).toEqual(["mine\n", "mine\n"]);
  });

  test("lists the prompts by number, with the commands that wrote and each file with its lines", async () => {
    await using here = await rewinding({ "a.txt": "a\n", "gone.txt": "1\n2\n" });
    await here.say(write(here.path("new.txt"), "x\ny\n"));
    await here.say(bash("rm gone.txt; echo b >> a.txt"));
    await here.say("only words");
    const { choices } = kindOf(await here.rewind(""), "choose");
    expect(choices.map(({ label, input, about }) => ({ label: label.slice(0, 12), input, about }))).toEqual([
      { label: "1  only word", input: "/rewind 1", about: [] },
      {
        label: '2  Bash {"co',
        input: "/rewind 2",
        about: ["$ rm gone.txt; echo b >> a.txt", "~ a.txt +1", "− gone.txt −2"],
      },
      { label: '3  Write {"f', input: "/rewind 3", about: ["+ new.txt +2"] },
    ]);
    expect(choices.map(({ detail }) => detail.replace(/just now$/, "now"))).toEqual([
      "now",
      "2 files +1 −2 · now",
      "1 file +2 · now",
    ]);
  });

  test("lists ten prompts with their texts in one column, as the screen shows them", async () => {
    await using here = await rewinding();
    for (let count = 1; count <= 10; count += 1) await here.say(`words ${count}`);
    const { choices } = kindOf(await here.rewind(""), "choose");
    const columns = choices.map(({ label }) => joinedLines(label).indexOf("words"));
    expect([columns.length, new Set(columns).size]).toEqual([10, 1]);
  });

  deepTest("leaves a conflict by default, and says so; each conflict can be decided", async () => {
    await using here = await rewinding({ "one.txt": "1\n", "two.txt": "2\n", "calm.txt": "c\n" });
    await here.say(bash("echo agent > one.txt; echo agent > two.txt; echo agent > calm.txt"));
    here.edit("one.txt", "mine 1\n");
    here.edit("two.txt", "mine 2\n");
    const choice = kindOf(await here.rewind("1"), "choose");
    expect(choice.choices.map(({ label, detail, input }) => [label, detail, input])).toEqual([
      ["Files and conversation", "restores 1, leaves 2 conflicts", "/rewind 1 both"],
      ["Conversation only", "the files stay as they are", "/rewind 1 conversation"],
      ["Files only", "restores 1, leaves 2 conflicts", "/rewind 1 files"],
      ["Decide about each conflict", "2 files; then files and conversation", "/rewind 1 conflicts both"],
      ["Decide about each conflict", "2 files; then files only", "/rewind 1 conflicts files"],
      ["Show the differences", "", "/rewind 1 diff"],
    ]);
    expect(choice.before).toEqual(choice.lines.slice(0, -1));
    const { kind: _, ...list } = kindOf(await here.rewind("1 conflicts"), "mark");
    expect(list.rows.map(({ line }) => line.trim())).toEqual([
      "~ one.txt +1 −1: it changed since",
      "~ two.txt +1 −1: it changed since",
    ]);
    const marking = { ...list, index: firstMarkable(list.rows), isMoved: false, marks: {}, isSent: false };
    const context = { keymap: DEFAULT_KEYMAP, nowMs: 0 } as UiContext;
    const { ui, effects } = pressKeys({ ...emptyUi, marking }, context, "k", "\u001b[B", "r", "\r");
    expect(effects).toEqual([expect.objectContaining({ type: "submit", text: "/rewind 1 both keep 1 restore 2" })]);
    expect(ui.marking?.isSent).toBe(true);
    const done = kindOf(await here.rewind("1 both keep 1 restore 2"), "text");
    expect([here.read("one.txt"), here.read("two.txt"), here.read("calm.txt")]).toEqual(["mine 1\n", "2\n", "c\n"]);
    expect(done.draft).toStartWith("Bash {");
    expect(done.lines.slice(1)).toEqual(["Left as they are:", "  one.txt: it changed since"]);
    expect(done.lines[0]).toMatch(
      /^Back before "Bash .*": the conversation, 2 files restored\. \/redo takes it back\.$/,
    );
    expect(lines(await here.redo())).toEqual(["Rewind taken back: 2 files restored."]);
    expect([here.read("one.txt"), here.read("two.txt")]).toEqual(["mine 1\n", "mine 2\n"]);
  });

  deepTest("enter without a mark goes back and leaves all conflicts; esc returns to the choices", async () => {
    await using here = await rewinding({ "one.txt": "1\n" });
    await here.say(bash("echo agent > one.txt"));
    here.edit("one.txt", "mine\n");
    const { kind: _, ...list } = kindOf(await here.rewind("1 conflicts"), "mark");
    const marking = { ...list, index: 0, isMoved: false, marks: {}, isSent: false };
    const context = { keymap: DEFAULT_KEYMAP, nowMs: 0 } as UiContext;
    const pressed = (key: string) =>
      pressKeys({ ...emptyUi, marking }, context, key).effects.map((effect) => effect.type === "submit" && effect.text);
    expect([pressed("\r"), pressed("\u001b")]).toEqual([["/rewind 1 both"], ["/rewind 1 again"]]);
    const room = { theme: themeFor(0), columns: 80, maxRows: 20, rows: 24 } as Parameters<typeof markLines>[1];
    expect(stripAnsi(markLines(marking, room).lines.at(-1) ?? "")).toContain("enter goes back");
    const again = kindOf(await here.rewind("1 again"), "choose");
    expect([again.before, again.choices.length]).toEqual([[], 6]);
  });

  deepTest("goes back in the files alone where that was chosen before the conflicts were decided", async () => {
    await using here = await rewinding({ "one.txt": "1\n" });
    await here.say(bash("echo agent > one.txt"));
    here.edit("one.txt", "mine\n");
    const { input, lines: about } = kindOf(await here.rewind("1 conflicts files"), "mark");
    expect([input, about[0]?.includes("conversation")]).toEqual(["/rewind 1 files", false]);
    const done = kindOf(await here.rewind("1 files restore 1"), "text");
    expect([done.draft, here.read("one.txt")]).toEqual([undefined, "1\n"]);
    await expect(here.rewind("1 conflicts conversation")).rejects.toThrow("both, files");
  });

  deepTest("shows the differences with paths as a person reads them, and returns to the choices", async () => {
    await using here = await rewinding({ "a.txt": "a\n", "gone.txt": "g\n" });
    await here.say(bash("echo b > a.txt; echo n > new.txt; rm gone.txt; printf 'x\\0y' > bin.dat"));
    const { groups, notes, back } = kindOf(await here.rewind("1 diff"), "changes");
    expect(
      groups.flatMap(({ files }) => files.map(({ path, isNew, isDeleted }) => ({ path, isNew, isDeleted }))),
    ).toEqual([
      { path: "a.txt", isNew: false, isDeleted: undefined },
      { path: "gone.txt", isNew: true, isDeleted: undefined },
      { path: "new.txt", isNew: false, isDeleted: true },
    ]);
    expect(notes).toEqual(["bin.dat can't be shown as text."]);
    expect(back).toBe("/rewind 1 again");
  });

  deepTest("files only keeps the conversation and returns no prompt; conversation only keeps the files", async () => {
    await using here = await rewinding({ "a.txt": "a\n" });
    await here.say(bash("echo b > a.txt"));
    const files = kindOf(await here.rewind("1 files"), "text");
    expect([files.draft, here.read("a.txt")]).toEqual([undefined, "a\n"]);
    expect(lines(await here.redo())).toEqual(["Rewind taken back: 1 file restored."]);
    const talk = kindOf(await here.rewind("1 conversation"), "text");
    expect([talk.draft?.startsWith("Bash"), here.read("a.txt")]).toEqual([true, "b\n"]);
    expect(lines(await here.redo())).toEqual(["Rewind taken back."]);
  });

  test("a rewind of files that changed nothing leaves the one before it to /redo", async () => {
    await using here = await rewinding();
    await here.say(write(here.path("new.txt"), "x"));
    await here.say("hello");
    await here.rewind("2 files");
    expect(lines(await here.rewind("2 files"))[0]).toContain("no file had to change");
    expect(lines(await here.redo())).toEqual(["Rewind taken back: 1 file restored."]);
    await here.rewind("1 both");
    await here.rewind("1 files");
    await here.rewind("1 files");
    expect(here.read("new.txt")).toBeUndefined();
    expect(lines(await here.redo())).toEqual(["Rewind taken back: 1 file restored."]);
    const talk = here.session.main.engine.conversation.messages.length;
    expect(lines(await here.redo())).toEqual(["Rewind taken back."]);
    expect(here.session.main.engine.conversation.messages.length).toBeGreaterThan(talk);
    await expect(here.redo()).rejects.toThrow("nothing to redo");
  });

  eachOrDeep(
    "a backup is restored right after a rewind of %s, and each redo takes the newest of both back",
    1,
    ["conversation", "both"],
    async (scope) => {
      await using here = await rewinding({ "a.txt": "a\n", "src/s.txt": "s\n" });
      await here.say(bash("rm -rf src; echo b >> a.txt"));
      const talk = here.session.main.engine.conversation.messages.length;
      await here.rewind(`1 ${scope}`);
      const files = () => [here.read("a.txt"), here.read("src/s.txt")];
      rmSync(here.path("src"), { recursive: true, force: true });
      const before = here.read("a.txt");
      const [backup] = kindOf(await here.rewind("backups"), "choose").choices;
      await here.rewind(`${backup?.input?.replace("/rewind ", "")} restore`);
      expect(files()).toEqual([before, "s\n"]);
      expect(lines(await here.redo())).toEqual([expect.stringContaining("Restore taken back: ")]);
      expect([...files(), here.session.main.engine.conversation.messages.length]).toEqual([before, undefined, 0]);
      await here.redo();
      expect([...files(), here.session.main.engine.conversation.messages.length]).toEqual(["a\nb\n", undefined, talk]);
      await expect(here.redo()).rejects.toThrow("nothing to redo");
    },
  );

  test.each([
    ["9", "give a number from 1 (the newest) to 1"],
    ["1 sideways", "both, files, conversation"],
    ["1 both restore 3", "no conflict 3"],
  ])("/rewind %s is refused with what can be typed", async (argument, wanted) => {
    await using here = await rewinding();
    await here.say(write(here.path("new.txt"), "x"));
    await expect(here.rewind(argument)).rejects.toThrow(wanted);
  });

  test("without a prompt there is nothing to go back to, and without a rewind nothing to redo", async () => {
    await using here = await rewinding();
    expect(lines(await here.rewind(""))).toEqual(["There is no prompt to go back to yet."]);
    await expect(here.redo()).rejects.toThrow("nothing to redo");
  });
});
