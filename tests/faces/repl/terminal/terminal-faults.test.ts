import { expect, test } from "bun:test";
import { builtDemo } from "../../../support/built.ts";
import { deepTest } from "../../../support/deep.ts";
import { terminalProcess } from "../../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
/** The second screen, reports of the mouse, and a region that scrolls for itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with one.
const TAKES_SCROLLING = /\u001b\[\?(?:47|1047|1049|1000|1002|1003|1006|1015)h|\u001b\[\d+;\d*r/;

const count = (text: string, part: string) => text.split(part).length - 1;

async function demo(rows = 24) {
  const terminal = terminalProcess(DEMO, { rows });
  await terminal.shows(IDLE);
  return terminal;
}

deepTest(
  "a person who has scrolled back keeps the place while an answer streams",
  async () => {
    await using terminal = await demo(12);
    terminal.type("list it\r");
    await terminal.shows(() => count(terminal.all, "item 39 with") === 1);
    terminal.xterm.scrollToTop();
    const buffer = terminal.xterm.buffer.active;
    const seen = () =>
      Array.from({ length: 12 }, (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true));
    const before = seen();
    terminal.type("list it\r");
    await terminal.shows(() => count(terminal.all, "item 39 with") === 2);
    expect(buffer.baseY).toBeGreaterThan(40);
    expect(buffer.viewportY).toBe(0);
    expect(seen()).toEqual(before);
  },
  60_000,
);

test("the screen leaves scrolling, selecting and the history to the terminal", async () => {
  await using terminal = await demo();
  terminal.type("fix it\r");
  await terminal.shows("1 file +1 −1");
  terminal.type("ask me\r");
  await terminal.asks();
  expect(terminal.output).not.toMatch(TAKES_SCROLLING);
});

test("calls that run at once write no row above them again", async () => {
  await using terminal = await demo();
  terminal.type("many\r");
  await terminal.shows(/src\/part-0\.ts +\d+\.\ds/);
  const from = terminal.output.length;
  await terminal.shows("All parts are read.");
  const written = terminal.output.slice(from);
  expect(written).not.toContain("I'll read every part.");
  expect(written).not.toContain("quoll 0.1.0");
  expect(written).not.toMatch(/\[[23]J/);
});

deepTest(
  "a key writes as little behind a long transcript as in an empty one",
  async () => {
    await using terminal = await demo();
    const echo = async () => {
      await terminal.rests();
      const from = terminal.output.length;
      terminal.type("x");
      await terminal.shows("› x");
      await terminal.rests();
      const written = terminal.output.length - from;
      terminal.type("\u007f");
      await terminal.shows(() => !terminal.screen.includes("› x"));
      return written;
    };
    const empty = await echo();
    for (let round = 1; round <= 3; round += 1) {
      terminal.type("list it\r");
      await terminal.shows(() => count(terminal.all, "item 39 with") === round);
      await terminal.shows(IDLE);
    }
    const long = await echo();
    expect(empty).toBeLessThan(200);
    expect(long).toBeLessThan(empty + 50);
  },
  60_000,
);
