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

/** A conversation in which a pasted image is sent and then read, on a terminal with these variables. */
async function converse(variables: Readonly<Record<string, string>>, settings = {}) {
  const scenario = [reply([toolUse("Read", { file_path: "dot.png" })]), reply("A dot.")];
  await using here = await quollPlace({ files: { "a.txt": "" }, scenario, settings });
  const file = here.project.path("dot.png");
  await writeFile(file, Buffer.from(PNG, "base64"));
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    ...{ columns: 80, rows: 24, cwd: here.project.dir, env: here.environmentOf({ env: { ...NONE, ...variables } }) },
  });
  await terminal.shows(IDLE);
  terminal.type(`\u001b[200~${file}\u001b[201~`);
  await terminal.shows("› [Image 1]");
  terminal.type("what is it?\r");
  await terminal.shows("A dot.");
  await terminal.shows(IDLE);
  return { output: terminal.output, screen: terminal.screen };
}

/** The place of lines on the screen, counted from the first of them. */
function places(screen: string, ...wanted: readonly string[]): readonly number[] {
  const rows = screen.split("\n");
  const at = wanted.map((one) => rows.findIndex((row) => row.includes(one)));
  return at.map((row) => row - (at[0] ?? 0));
}

test("kitty shows the images of a message and of a call, below their rows", async () => {
  const { output, screen } = await converse({ TERM: "xterm-kitty" });
  const drawn = Array.from(output.matchAll(KITTY), ([, keys, data]) => ({ keys, data }));
  expect(drawn).toEqual([
    { keys: "a=T,f=100,q=2,C=1,c=2,r=1,m=0", data: PNG },
    { keys: "a=T,f=100,q=2,C=1,c=2,r=1,m=0", data: PNG },
  ]);
  // One row of the picture and one that draws it stand below each.
  expect(places(screen, "› [Image 1]", "read   dot.png", "dot.png 1×1 PNG, 1 KB", "A dot.")).toEqual([0, 4, 5, 8]);
});

deepTest("iTerm2 shows images by its own sequence", async () => {
  const { output } = await converse({ TERM_PROGRAM: "iTerm.app" });
  const drawn = Array.from(output.matchAll(ITERM), ([, , data]) => data);
  expect(drawn).toEqual([PNG, PNG]);
  expect(output).not.toContain("\u001b_G");
});

deepTest("inside of tmux, and with terminal.images never, images are named only", async () => {
  const inTmux = await converse({ TERM: "xterm-kitty", TMUX: "/tmp/none,1,0" });
  const never = await converse({ TERM: "xterm-kitty" }, { terminal: { images: "never" } });
  for (const { output, screen } of [inTmux, never]) {
    expect(output).not.toContain("\u001b_G");
    expect(output).not.toContain("\u001b[16t");
    expect(screen).toContain("dot.png 1×1 PNG, 1 KB");
  }
});
