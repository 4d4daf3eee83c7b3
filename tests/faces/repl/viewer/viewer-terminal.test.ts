import { describe, expect, test } from "bun:test";
import { builtDemo } from "../../../support/built.ts";
import { deepTest } from "../../../support/deep.ts";
import { terminalProcess } from "../../../support/terminal-process.ts";
import { tmuxProcess } from "../../../support/tmux-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
/** The turn has ended, and the prompt follows its summary. */
const SETTLED = /\$0\.04\n\n─+\n›/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: links begin with one.
const LINK = /\u001b\]8;id=\w+;https:\/\/example\.com\/cart(?:\u0007|\u001b\\)/;
const OPEN = "\u000f";
const PRINT = `\u0018${OPEN}`;

describe("the transcript viewer in a real terminal", () => {
  test("opens on the alternate screen, and closing it shows the same rows as before", async () => {
    await using terminal = terminalProcess(DEMO, { env: { DEMO_LINKS: "1" } });
    await terminal.shows(IDLE);
    terminal.type("fix the test\r");
    await terminal.shows(SETTLED);
    terminal.type("a draft");
    await terminal.shows("› a draft");
    expect(terminal.screen).toContain("See the docs (https://example.com/cart) for more.");
    expect(terminal.output).toMatch(LINK);
    const before = { all: terminal.all, cursor: terminal.cursor };
    terminal.type(OPEN);
    await terminal.shows("Transcript");
    expect(terminal.xterm.buffer.active.type).toBe("alternate");
    terminal.type("/");
    await terminal.shows(/^ {2}\/$/m);
    terminal.type("settled");
    await terminal.shows("/settled");
    terminal.type("\r");
    await terminal.shows("c copy");
    terminal.type("q");
    await terminal.shows(IDLE);
    expect({ all: terminal.all, cursor: terminal.cursor }).toEqual(before);
    terminal.type("!");
    await terminal.shows("› a draft!");
  });

  deepTest("follows a running turn, whose rows are printed once when it is closed", async () => {
    await using terminal = terminalProcess(DEMO, { rows: 12 });
    await terminal.shows(IDLE);
    terminal.type(`list it\r${OPEN}`);
    await terminal.shows("item 39 with");
    await terminal.shows("Transcript");
    terminal.resize(90, 20);
    await terminal.shows("21k tok");
    terminal.type("q");
    await terminal.shows(SETTLED);
    expect(terminal.xterm.buffer.active.type).toBe("normal");
    for (let item = 0; item < 40; item += 1) expect(terminal.all.split(`item ${item} with`).length - 1).toBe(1);
    expect(terminal.all).not.toContain("Transcript ·");
  });

  test("leaves the first screen to the shell, also when Quoll ends while it is open", async () => {
    await using terminal = terminalProcess(DEMO, {});
    await terminal.shows(IDLE);
    terminal.type(OPEN);
    await terminal.shows("Transcript");
    terminal.child.kill("SIGTERM");
    await terminal.shows("left {");
    expect(terminal.xterm.buffer.active.type).toBe("normal");
  });

  deepTest("ctrl+x ctrl+o says in the status line that nothing is folded, and adds no row", async () => {
    await using terminal = terminalProcess(DEMO, {});
    await terminal.shows(IDLE);
    const before = terminal.all;
    terminal.type(PRINT);
    await terminal.shows("Nothing is folded");
    await terminal.shows(IDLE);
    expect(terminal.all).toBe(before);
  });

  deepTest("ctrl+x ctrl+o prints the last folded output in full below; ctrl+o twice prints nothing", async () => {
    await using terminal = terminalProcess(DEMO, {});
    await terminal.shows(IDLE);
    terminal.type("fix the test\r");
    await terminal.shows("1 file +1 −1");
    const before = terminal.all;
    terminal.type(OPEN);
    await terminal.shows("Transcript");
    terminal.type(OPEN);
    await terminal.shows(IDLE);
    expect(terminal.all).toBe(before);
    terminal.type(PRINT);
    await terminal.shows(/tests\/checkout\.test\.ts.*\n +90 lines[\s\S]*3 files/);
    expect(terminal.xterm.buffer.active.type).toBe("normal");
  });

  deepTest("adds nothing to the history of tmux", async () => {
    await using terminal = await tmuxProcess(DEMO, {});
    await terminal.shows(IDLE);
    await terminal.type("fix the test\r");
    await terminal.shows(SETTLED);
    const before = { all: await terminal.all(), history: await terminal.historySize() };
    await terminal.pressUntil("C-o", "Transcript");
    await terminal.pressUntil("q", IDLE);
    expect({ all: await terminal.all(), history: await terminal.historySize() }).toEqual(before);
  });
});
