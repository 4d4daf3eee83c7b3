import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const IDLE = "? for keys";
/** A terminal that tells nothing about itself, whatever the tests run in. */
const NONE = { TERM: "xterm-256color", TERM_PROGRAM: "", LC_TERMINAL: "", TMUX: "", STY: "", ZELLIJ: "" };
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin and end with one.
const KITTY = /\u001b_G([^;]*);([^\u001b]*)\u001b\\/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin and end with one.
const ITERM = /\u001b\]1337;File=([^:]*):([^\u0007]*)\u0007/g;

/** A project with a picture, and a model that reads it. */
async function picturePlace(settings = {}) {
  const scenario = [reply([toolUse("Read", { file_path: "dot.png" })]), reply("A dot.")];
  const here = await quollPlace({ files: { "a.txt": "" }, scenario, settings });
  await writeFile(here.project.path("dot.png"), Buffer.from(PNG, "base64"));
  return here;
}

type Place = Awaited<ReturnType<typeof picturePlace>>;
type Variables = Readonly<Record<string, string>>;

function open(here: Place, variables: Variables, ...args: readonly string[]) {
  return terminalProcess([...QUOLL, ...args], {
    ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({ env: { ...NONE, ...variables } }) },
  });
}

/**
 * A conversation in which a pasted image is sent and then read, on a terminal with these variables.
 * @param drawn What is drawn twice.
 * @param isDone True if the screen is as it stays: the emulator shows later what the program has written.
 */
async function converse(here: Place, variables: Variables, drawn: RegExp, isDone = (_: string) => true) {
  await using terminal = open(here, variables, "--trust");
  await terminal.shows(IDLE);
  terminal.type(`\u001b[200~${here.project.path("dot.png")}\u001b[201~`);
  await terminal.shows("› [Image 1]");
  terminal.type("what is it?\r");
  await terminal.shows("A dot.");
  await terminal.shows(() => terminal.output.split(drawn).length > 2);
  await terminal.shows(IDLE);
  await terminal.shows(() => isDone(terminal.screen));
  return { output: terminal.output, screen: terminal.screen };
}

async function converseIn(variables: Variables, drawn: RegExp, settings = {}) {
  await using here = await picturePlace(settings);
  return await converse(here, variables, drawn);
}

/** The place of lines on the screen, counted from the first of them. */
function places(screen: string, ...wanted: readonly string[]): readonly number[] {
  const rows = screen.split("\n");
  const at = wanted.map((one) => rows.findIndex((row) => row.includes(one)));
  return at.map((row) => row - (at[0] ?? 0));
}

function drawnByKitty(output: string) {
  return Array.from(output.matchAll(KITTY), ([, keys, data]) => ({ keys, data }));
}

const DOT = { keys: "a=T,f=100,q=2,C=1,c=2,r=1,m=0", data: PNG };
/** The line about the pasted image and its picture stand below the message, a picture below the call. */
const ROWS = ["› [Image 1]", "read   dot.png", "dot.png 1×1 PNG, 70 bytes", "A dot."] as const;
const PLACES = [0, 5, 6, 9];
const isInPlace = (screen: string) => Bun.deepEquals(places(screen, ...ROWS), PLACES);

deepTest("kitty shows the images of a message and of a call, below their rows, also when resumed", async () => {
  await using here = await picturePlace();
  const { output } = await converse(here, { TERM: "xterm-kitty" }, KITTY, isInPlace);
  expect(drawnByKitty(output)).toEqual([DOT, DOT]);
  await using resumed = open(here, { TERM: "xterm-kitty" }, "--trust", "--continue");
  await resumed.shows(() => drawnByKitty(resumed.output).length === 2);
  await resumed.shows(() => isInPlace(resumed.screen));
  expect(drawnByKitty(resumed.output)).toEqual([DOT, DOT]);
});

deepTest("quoll attach shows the images of the session", async () => {
  await using here = await picturePlace();
  const started = await here.run(["--bg", "--trust", "look at the dot"]);
  await using terminal = open(here, { TERM: "xterm-kitty" }, "attach");
  await terminal.shows(() => drawnByKitty(terminal.output).length > 0);
  await terminal.shows("A dot.");
  expect({ code: started.code, drawn: drawnByKitty(terminal.output) }).toEqual({ code: 0, drawn: [DOT] });
  await here.run(["stop"]);
});

test("iTerm2 shows images by its own sequence", async () => {
  const { output } = await converseIn({ TERM_PROGRAM: "iTerm.app" }, ITERM);
  const drawn = Array.from(output.matchAll(ITERM), ([, , data]) => data);
  expect(drawn).toEqual([PNG, PNG]);
  expect(output).not.toContain("\u001b_G");
});

deepTest("inside of tmux, and with terminal.images never, images are named only", async () => {
  const inTmux = await converseIn({ TERM: "xterm-kitty", TMUX: "/tmp/none,1,0" }, /dot\.png/);
  const never = await converseIn({ TERM: "xterm-kitty" }, /dot\.png/, { terminal: { images: "never" } });
  for (const { output, screen } of [inTmux, never]) {
    expect(output).not.toContain("\u001b_G");
    expect(output).not.toContain("\u001b[16t");
    expect(screen).toContain("dot.png 1×1 PNG, 70 bytes");
  }
});
