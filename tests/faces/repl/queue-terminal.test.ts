import { describe, expect, test } from "bun:test";
import { builtDemo } from "../../support/built.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { EMPTY_PROMPT, terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
const ESC = "\u001b";
const UP = `${ESC}[A`;
const BACKSPACE = "\u007f";

async function demo(options: Parameters<typeof terminalProcess>[1] = {}) {
  const terminal = terminalProcess(DEMO, options);
  await terminal.shows(IDLE);
  return terminal;
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe("input typed while a turn runs", () => {
  test("steers at the next call, or is the next turn, each once and in order", async () => {
    await using terminal = await demo();
    terminal.type("calls\r");
    await terminal.shows("running first");
    terminal.type("next thing\t");
    await terminal.shows("↳ next: next thing");
    terminal.type("use bun\r");
    await terminal.shows("↳ after this step: use bun");
    await terminal.shows("You said 10 characters");
    await terminal.shows(IDLE);
    const rows = terminal.all.split("\n").filter((line) => line.startsWith("› ") && !EMPTY_PROMPT.test(line));
    expect(rows).toEqual(["› calls", "› use bun", "› next thing"]);
    expect(terminal.screen).not.toContain("↳");
  });

  eachOrDeep(
    "is kept when the turn is interrupted, and goes on with enter (%i×%i)",
    1,
    [
      [80, 24],
      [40, 10],
    ] as const,
    async (columns, rows) => {
      await using terminal = await demo({ columns, rows });
      terminal.type("hang\r");
      await terminal.shows("· esc");
      terminal.type("one\r");
      await terminal.shows("↳ after this step: one");
      terminal.type("two\t");
      await terminal.shows("next: two");
      terminal.type(ESC);
      await terminal.shows("Interrupted.");
      await terminal.shows("↳ waits: one");
      await terminal.shows("enter sends");
      expect(terminal.all).not.toContain("You said");
      terminal.type("\r");
      await terminal.shows(() => count(terminal.all, "You said 3 characters") === 2);
      await terminal.shows(IDLE);
      expect([count(terminal.all, "› one"), count(terminal.all, "› two")]).toEqual([1, 1]);
      expect(terminal.screen).not.toContain("↳");
    },
  );

  test("is taken back with up, edited, and dropped with backspace", async () => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type("one\r");
    terminal.type("two\r");
    await terminal.shows("↳ after this step: two");
    terminal.type(UP);
    await terminal.shows("› two");
    expect(terminal.screen).not.toContain("↳ after this step: two");
    terminal.type(" more\r");
    await terminal.shows("↳ after this step: two more");
    terminal.type(UP);
    await terminal.shows("backspace drops it");
    terminal.type(BACKSPACE);
    await terminal.shows(() => !terminal.screen.includes("two more"));
    expect(terminal.screen).toContain("↳ after this step: one");
  });

  deepTest("a shell command runs behind everything else that waits", async () => {
    await using terminal = await demo();
    terminal.type("calls\r");
    await terminal.shows("running first");
    terminal.type("!ls\r");
    await terminal.shows("↳ then: !ls");
    terminal.type("next thing\t");
    await terminal.shows("↳ next: next thing");
    await terminal.shows("› !ls");
    await terminal.shows(IDLE);
    const rows = terminal.all.split("\n").filter((line) => line.startsWith("› ") && !EMPTY_PROMPT.test(line));
    expect(rows).toEqual(["› calls", "› next thing", "› !ls"]);
  });

  test.each([
    ["a turn of its own", "one\t", "next: one"],
    ["the interrupted turn", "one\r", "after this step: one"],
  ])("new words go after an input for %s that waits, as they were typed", async (_, typed, shown) => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type(typed);
    await terminal.shows(`↳ ${shown}`);
    terminal.type(ESC);
    await terminal.shows("↳ waits: one");
    terminal.type("and this\r");
    await terminal.shows(() => terminal.all.includes("› and this") && !terminal.screen.includes("↳"));
    await terminal.shows(IDLE);
    const rows = terminal.all.split("\n").filter((line) => line.startsWith("› ") && !EMPTY_PROMPT.test(line));
    expect(rows).toEqual(["› hang", "› one", "› and this"]);
  });

  test("leaving says what was not sent", async () => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type("one\r");
    await terminal.shows("↳ after this step: one");
    terminal.type("\u0003");
    await terminal.shows("· Interrupted.");
    terminal.type("\u0003\u0003");
    await terminal.shows("Not sent: 1 waiting input");
    expect(await terminal.child.exited).toBe(0);
  });
});
