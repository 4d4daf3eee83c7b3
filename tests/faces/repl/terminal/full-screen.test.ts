import { expect, setDefaultTimeout, test } from "bun:test";
import { builtDemo } from "../../../support/built.ts";
import { deepTest, eachOrDeep } from "../../../support/deep.ts";
import { terminalProcess } from "../../../support/terminal-process.ts";

setDefaultTimeout(60_000);

const DEMO = await builtDemo();
const SHELL = ["sh", "-c", `echo before; ${DEMO}; echo after`];
const PAGE_UP = "\u001b[5~";
const CTRL_END = "\u001b[1;5F";
const WHEEL_UP = "\u001b[<64;10;5M";
const CLICK = "\u001b[<0;10;5M";

function full() {
  return terminalProcess(SHELL, { env: { DEMO_FULL: "1" } });
}

deepTest("a full screen keeps the first screen as it was, and leaves the last lines on it", async () => {
  await using terminal = full();
  await terminal.shows("? for keys");
  expect(terminal.xterm.buffer.active.type).toBe("alternate");
  terminal.type("fix it\r");
  await terminal.shows("1 file +1 −1");
  const { cursor } = terminal;
  expect(terminal.screen.split("\n").length).toBe(24);
  expect(terminal.screen.split("\n")[cursor.y]).toStartWith("›");
  terminal.type("\u0004\u0004");
  await terminal.shows("after");
  expect(terminal.xterm.buffer.active.type).toBe("normal");
  const lines = terminal.all.split("\n").filter((line) => line !== "");
  expect(lines[0]).toBe("before");
  expect(lines.at(-1)).toBe("after");
  expect(terminal.all).toContain("1 file +1 −1");
});

test("the full screen leaves nothing on the first screen if nothing was entered, and at most a screenful", async () => {
  await using empty = full();
  await empty.shows("? for keys");
  empty.type("\u0004\u0004");
  await empty.shows("after");
  expect(empty.all.trim().split("\n")).toEqual(["before", expect.stringMatching(/^left /), "after"]);
  await using long = full();
  await long.shows("? for keys");
  for (let turn = 0; turn < 3; turn += 1) {
    long.type("fix it\r");
    await long.shows(() => long.screen.includes("? for keys") && long.screen.includes("1 file +1 −1"));
  }
  long.type("\u0004\u0004");
  await long.shows("after");
  const lines = long.all.trim().split("\n");
  const left = lines.slice(1, -2).length;
  expect(left).toBeGreaterThan(20);
  // The prompt of the shell has the last row of the window.
  expect(left).toBeLessThan(24);
});

test("the full screen scrolls by keys and by the wheel, says what is new below, and goes back to the end", async () => {
  await using terminal = full();
  await terminal.shows("? for keys");
  terminal.type("list\r");
  await terminal.shows(/tok ·/);
  terminal.type("fix it\r");
  await terminal.shows("1 file +1 −1");
  terminal.type(PAGE_UP);
  await terminal.shows("scrolled back");
  const back = terminal.screen;
  terminal.type(WHEEL_UP);
  await terminal.shows(() => terminal.screen !== back);
  terminal.type(`fix it\r${PAGE_UP}`);
  await terminal.shows(/↓ \d+ new lines below/);
  await terminal.shows("? for keys");
  terminal.type(CTRL_END);
  await terminal.shows(() => !terminal.screen.includes("↓ "));
  expect(terminal.screen).toContain("1 file +1 −1");
  terminal.type(CLICK);
  await terminal.shows("shift and drag selects text");
});

test("the prompt of an answer that is longer than the window stays in the first row, while it streams and afterwards", async () => {
  await using terminal = full();
  const firstRow = () => terminal.screen.split("\n")[0];
  await terminal.shows("? for keys");
  terminal.type("code it\\\rand more\r");
  await terminal.shows("text 50");
  expect(firstRow()).toBe("› code it …");
  await terminal.shows("That is all.");
  await terminal.shows("? for keys");
  expect(firstRow()).toBe("› code it …");
  terminal.type("list\r");
  await terminal.shows("item 39");
  await terminal.shows(() => firstRow() === "› list");
  terminal.type("\u001b[1;5H");
  await terminal.shows("quoll 0.1.0");
  expect(firstRow()).not.toContain("›");
});

eachOrDeep("it goes to the end when %s is entered", 1, ["fix it", "/every text", "!ls"], async (input) => {
  await using terminal = full();
  await terminal.shows("? for keys");
  terminal.type("list\r");
  await terminal.shows(/tok ·/);
  await terminal.shows("? for keys");
  terminal.type(PAGE_UP);
  await terminal.shows("scrolled back");
  terminal.type(`${input}\r`);
  await terminal.shows(() => !terminal.screen.includes("↓ ") && terminal.screen.includes(`› ${input}`));
});

test("the full screen shows the transcript, questions and other sizes on the same screen", async () => {
  await using terminal = full();
  await terminal.shows("? for keys");
  terminal.type("fix it\r");
  await terminal.shows("1 file +1 −1");
  terminal.type("\u000f");
  await terminal.shows("Transcript · end");
  terminal.type(WHEEL_UP);
  await terminal.shows(/Transcript · \d+%/);
  terminal.type("q");
  await terminal.shows(() => !terminal.screen.includes("Transcript ·") && terminal.screen.includes("? for keys"));
  terminal.resize(60, 16);
  await terminal.shows(() => /^─{60}$/m.test(terminal.screen));
  expect(terminal.screen).toContain("1 file +1 −1");
  expect(terminal.screen.match(/^─+$/gm)).toEqual(["─".repeat(60)]);
  terminal.resize(100, 30);
  await terminal.shows(() => /^─{100}$/m.test(terminal.screen));
  expect(terminal.screen.match(/^─+$/gm)).toEqual(["─".repeat(100)]);
  terminal.type("ask me\r");
  await terminal.asks();
  expect(terminal.screen).toContain("Run this command?");
  await terminal.answers("0");
  await terminal.shows("You said reject");
});
