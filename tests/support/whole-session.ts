import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { type ReplyBlock, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { eventually, isRunning } from "./eventually.ts";
import { QUOLL, quollPlace } from "./quoll-process.ts";

/** A terminal with a shell in it: xterm's emulator or tmux. */
export type ShellScreen = {
  readonly type: (keys: string) => Promise<unknown>;
  /** The text as the terminal pastes it: between marks, with its line ends as the enter key. */
  readonly paste: (text: string) => Promise<unknown>;
  readonly shows: (wanted: string | RegExp) => Promise<void>;
  readonly screen: () => Promise<string>;
  /** The screen and what was scrolled away. */
  readonly all: () => Promise<string>;
  /** Everything that was written to the terminal, as it was written. */
  readonly output: () => Promise<string>;
  readonly shellPid: () => Promise<number>;
  /** Closes the window, as a person does: whatever runs in it is hung up. */
  readonly close: () => Promise<unknown>;
};

export type Place = Awaited<ReturnType<typeof quollPlace>>;
type Stage = { readonly screen: ShellScreen; readonly place: Place; readonly columns: number };

const IDLE = "? for keys";
const ESC = "\u001b";
const CTRL_Z = "\u001a";
const WIDE = "漢字かな交じり文 👩‍👩‍👧 e\u0301 שלום עולם مرحبا";
const PASTED = Array.from({ length: 10_000 }, (_, line) => `pasted ${line} 漢\t👩‍👩‍👧 \\${line % 7}"`).join("\n");
/** Commands that go on, told apart from others of this machine by their odd times. */
const LONG_RUNS = [`sleep ${86_000 + process.pid}.25`, `sleep ${86_000 + process.pid}.75`] as const;
const OSC_TITLE = `${ESC}]0;owned\u0007`;
const EVIL = `${OSC_TITLE}${ESC}]2;owned${ESC}\\${ESC}[2J${ESC}[H${ESC}[?1049h${ESC}c\u009b2J\u0007${ESC}]52;c;Zm9v\u0007${ESC}[?1000h\u202eabc end of evil\n`;

/** Titles, clears, a reset, another screen, the mouse, the clipboard, the order of writing. */
const OF_THE_FILE = [OSC_TITLE, "]2;owned", `${ESC}[2J`, `${ESC}[3J`, `${ESC}c`, "\u009b", "?1049h", "?1000h", "]52;"];
const REORDERS = "\u202e";
const BELL = "\u0007";

const bash = (command: string) => reply([toolUse("Bash", { command, description: "A step" })]);

/** A git repository, and a twin with the answers of the whole session in their order. */
export async function sessionPlace(): Promise<Place> {
  const made: { place?: Place } = {};
  const file = () => made.place?.project.path("note.txt") ?? "";
  const edit = (): ReplyBlock => toolUse("Edit", { file_path: file(), old_string: "two", new_string: "zwei" });
  const answers = [
    () => bash("touch made.txt"),
    () => reply("Made it."),
    () => reply([toolUse("Read", { file_path: file() })]),
    () => reply([edit()]),
    () => reply("Changed it."),
    () => reply([text("word ".repeat(60))], { deltaChars: 5, paceMs: 8 }),
    () => reply("Heard the waiting words."),
    () => reply([text("endless ".repeat(20_000))], { deltaChars: 8, paceMs: 20 }),
    () => reply(`| sign | ${WIDE} |\n|---|---|\n| a | b |\n\nRead the paste: ${WIDE}.`),
    () => bash("cat line.txt"),
    () => reply("Read the line."),
    () => bash("cat evil.txt"),
    () => reply(`Read the ${OSC_TITLE}evil${ESC}[2J file.`),
    () => bash(LONG_RUNS[0]),
    () => reply("Here again."),
    () => bash(LONG_RUNS[1]),
  ];
  made.place = await quollPlace({
    files: { "note.txt": "one\ntwo\nthree\n", "line.txt": `${"x".repeat(1_000_000)}\n`, "evil.txt": EVIL },
    scenario: (_, index) => answers[index]?.() ?? reply("More than the script has."),
  });
  return made.place;
}

/** One session from its start to the end of its terminal. @throws what a step finds wrong. */
export async function playWholeSession(stage: Stage): Promise<void> {
  const { screen } = stage;
  await screen.shows("sh>");
  await screen.type(`clear; ${QUOLL.join(" ")} --trust\r`);
  await screen.shows(IDLE);
  await answersQuestions(stage);
  await waitsAndInterrupts(stage);
  await pastes(stage);
  await readsOddOutput(stage);
  await isSuspended(stage);
  await isHungUp(stage);
  await losesItsTerminal(stage);
}

async function answersQuestions(stage: Stage): Promise<void> {
  const { screen, place } = stage;
  await screen.type("make it\r");
  await screen.shows("Run this command?");
  expect(existsSync(place.project.path("made.txt"))).toBe(false);
  await allowUntil(stage, "it was made", (shown) => shown.includes("Made it."));
  expect(existsSync(place.project.path("made.txt"))).toBe(true);
  await screen.type("edit it\r");
  await screen.shows(/Change this file\?[\s\S]*2 − two/);
  expect(readFileSync(place.project.path("note.txt"), "utf8")).toContain("two");
  await allowUntil(stage, "it was changed", (shown) => shown.includes("Changed it."));
  expect(readFileSync(place.project.path("note.txt"), "utf8")).toBe("one\nzwei\nthree\n");
  await isIdle(stage);
}

async function waitsAndInterrupts(stage: Stage): Promise<void> {
  const { screen, place } = stage;
  await screen.type("tell slowly\r");
  await screen.shows("word word");
  await screen.type("and then this\r");
  await screen.shows(/(?:step|next): and then this/);
  await screen.shows("Heard the waiting words.");
  expect(lastWords(place)).toBe("and then this");
  await screen.type("never end\r");
  await screen.shows("endless endless");
  await screen.type("a draft");
  await screen.shows("› a draft");
  await screen.type(ESC);
  await screen.shows("Interrupted.");
  await screen.shows("› a draft");
  await screen.type("\u0015");
  await isIdle(stage);
}

async function pastes(stage: Stage): Promise<void> {
  const { screen, place, columns } = stage;
  await screen.paste(PASTED);
  await screen.shows("[pasted 10000 lines]");
  await screen.type("\r");
  await screen.shows("Read the paste:");
  expect(lastWords(place) === PASTED).toBe(true);
  await isIdle(stage);
  const all = await screen.all();
  for (const part of ["漢字かな交じり文", "👩‍👩‍👧", "שלום", "مرحبا"]) expect(all).toContain(part);
  expect(all).toContain("pasted 0 漢");
  // The rule above the prompt: one frame, and none left over.
  expect(all.split("─".repeat(columns)).length - 1).toBe(1);
}

async function readsOddOutput(stage: Stage): Promise<void> {
  const { screen } = stage;
  await screen.type("read the line\r");
  await screen.shows("Read the line.");
  await isIdle(stage);
  const before = (await screen.output()).length;
  await screen.type("read the evil\r");
  await screen.shows(/Read the .*evil.* file\./);
  await isIdle(stage);
  const all = await screen.all();
  expect(all).toContain("end of evil");
  // Nothing was cleared: what stood above is there.
  for (const once of ["Made it.", "Changed it.", "Heard the waiting words."]) {
    expect({ once, count: all.split(once).length - 1 }).toEqual({ once, count: 1 });
  }
  const written = (await screen.output()).slice(before);
  expect(written).toContain("end of evil");
  expect([...OF_THE_FILE, REORDERS].filter((part) => written.includes(part))).toEqual([]);
  // Quoll's own title ends with a bell too.
  const [first = "", ...titles] = written.split(`${ESC}]`);
  expect([first, ...titles.map((title) => title.slice(title.indexOf(BELL) + 1))].join("")).not.toContain(BELL);
}

async function isSuspended(stage: Stage): Promise<void> {
  const { screen } = stage;
  await screen.type("half a thought");
  await screen.shows("› half a thought");
  await screen.type(CTRL_Z);
  await screen.shows(/Stopped[\s\S]*sh> *$/);
  await isSane(stage, "stopped");
  await screen.type("fg\r");
  await screen.shows("› half a thought");
  await screen.type("\u0015");
  await isIdle(stage);
}

async function isHungUp(stage: Stage): Promise<void> {
  const { screen, place } = stage;
  await screen.type("run on\r");
  await allowUntilRuns(stage, LONG_RUNS[0]);
  const quoll = childOf(await screen.shellPid());
  process.kill(quoll, "SIGHUP");
  await screen.shows(/sh> *$/);
  await isSane(stage, "hung up");
  await isGone(LONG_RUNS[0]);
  expect(isRunning(quoll)).toBe(false);
  await screen.type(`clear; ${QUOLL.join(" ")} --trust --continue\r`);
  await screen.shows(IDLE);
  await screen.type("are you there\r");
  await screen.shows("Here again.");
  const sent = place.sent().at(-1)?.messages ?? [];
  expect(JSON.stringify(sent)).toContain("Heard the waiting words.");
  expect(JSON.stringify(sent)).toContain(LONG_RUNS[0]);
  await isIdle(stage);
}

async function losesItsTerminal(stage: Stage): Promise<void> {
  const { screen, place } = stage;
  await screen.type("run on again\r");
  await allowUntilRuns(stage, LONG_RUNS[1]);
  const quoll = childOf(await screen.shellPid());
  await screen.close();
  await isGone(LONG_RUNS[1]);
  await eventually("Quoll has ended", () => !isRunning(quoll));
  expect(JSON.stringify(place.sessionEntries())).toContain("run on again");
  expect(place.refused()).toEqual([]);
}

const isIdle = ({ screen }: Stage) => screen.shows(/^› (?:Say what|Go on)[^\n]*\n[^\n]*\? for keys/m);

/** The text of the newest words of the person that the twin received. */
function lastWords(place: Place): string | undefined {
  return place.sent().at(-1)?.messages.at(-1)?.content.at(-1)?.text;
}

/** Says yes until it is taken: a question that has just come takes no key from somebody who types. */
async function allowUntil({ screen }: Stage, what: string, isSo: (shown: string) => boolean): Promise<void> {
  let pressAt = 0;
  await eventually(what, async () => {
    const shown = await screen.screen();
    if (isSo(shown)) return true;
    if (!shown.includes("waiting for you") || Date.now() < pressAt) return false;
    await screen.type("1");
    pressAt = Date.now() + 500;
    return false;
  });
}

const allowUntilRuns = (stage: Stage, command: string) =>
  allowUntil(stage, `${command} runs`, () => processes().some(({ args }) => args === command));

/** Kitty's keys, reports of the focus, a hidden cursor. */
const MODES = [
  ["\u001b[>1u", "\u001b[<u"],
  ["\u001b[?1004h", "\u001b[?1004l"],
  ["\u001b[?25l", "\u001b[?25h"],
] as const;

/** The shell reads lines and echoes keys, and the modes that Quoll had set are off. */
async function isSane({ screen }: Stage, mark: string): Promise<void> {
  await screen.type(`stty -a | grep -oE ' -?(icanon|echo) ' | tr -d '\\n'; echo "at ${mark}" | tr a-z A-Z\r`);
  await screen.shows(`AT ${mark.toUpperCase()}`);
  const shown = await screen.screen();
  expect(shown).toMatch(/ icanon +echo +AT/);
  const output = await screen.output();
  for (const [on, off] of MODES) expect(output.lastIndexOf(off)).toBeGreaterThan(output.lastIndexOf(on));
}

function processes(): readonly { readonly pid: number; readonly parent: number; readonly args: string }[] {
  const { stdout } = Bun.spawnSync(["ps", "-eo", "pid=,ppid=,args="]);
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, args] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
      return args === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
    });
}

/** Quoll among the children of a shell. */
function childOf(shell: number): number {
  const child = processes().find(({ parent, args }) => parent === shell && args.startsWith(QUOLL[0]));
  if (!child) throw new Error("Quoll does not run in the shell.");
  return child.pid;
}

const isGone = (command: string) =>
  eventually(`${command} has ended`, () => !processes().some(({ args }) => args.includes(command)));
