import { describe, expect, test } from "bun:test";
import { GUARD_MS } from "../../../src/faces/repl/layers/question.ts";
import { ASK_BACKGROUND } from "../../../src/faces/repl/terminal/screen-theme.ts";
import { builtDemo } from "../../support/built.ts";
import { deepTest, longerInDeep } from "../../support/deep.ts";
import { terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";

async function demo(options: Parameters<typeof terminalProcess>[1] = {}) {
  const terminal = terminalProcess(DEMO, options);
  await terminal.shows(IDLE);
  return terminal;
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe("the REPL in a real terminal", () => {
  test("a turn leaves one copy of everything, and the cursor stands in the prompt", async () => {
    await using terminal = await demo();
    terminal.type("fix the test\r");
    await terminal.shows("● The test now waits");
    await terminal.shows("1 file +1 −1");
    await terminal.shows(IDLE);
    for (const once of ["› fix the test", "searched", "41 +   await", "✓ 14 passed", "one by one", "21k tok", IDLE]) {
      expect({ once, count: count(terminal.all, once) }).toEqual({ once, count: 1 });
    }
    const row = terminal.screen.split("\n").findLastIndex((line) => line.startsWith("›"));
    expect(terminal.cursor).toEqual({ x: 2, y: row });
    terminal.type("漢👨‍👩‍👧‍👦e\u0301");
    await terminal.shows("漢");
    await terminal.shows(() => terminal.cursor.x === 2 + 2 + 2 + 1);
  });

  deepTest("a transcript that is opened right after a resize is whole, and so is the screen after it", async () => {
    await using terminal = await demo({ columns: 100 });
    terminal.type("fix the test\r");
    await terminal.shows("1 file +1 −1");
    await terminal.shows(IDLE);
    await terminal.drag([{ columns: 50, rows: 24 }], 60);
    terminal.type("\u000f");
    await terminal.shows("Transcript · end");
    await terminal.rests();
    expect(terminal.screen).not.toContain("›");
    terminal.type("\u001b");
    await terminal.shows(IDLE);
    await terminal.rests();
    expect(terminal.screen).toMatch(/^─{50}\n› Say what comes next\n {2}default ·[^\n]*$/m);
    expect(terminal.screen.endsWith(IDLE)).toBe(true);
  });

  deepTest("streamed text that is longer than the window enters the history once", async () => {
    await using terminal = await demo({ rows: 12 });
    terminal.type("list it\r");
    await terminal.shows("item 39");
    await terminal.shows("21k tok");
    for (let item = 0; item < 40; item += 1) expect(count(terminal.all, `item ${item} with`)).toBe(1);
    expect(count(terminal.all, "esc to interrupt")).toBe(0);
    expect(terminal.output).not.toContain("\u001b[2J");
    expect(terminal.output).not.toContain("\u001b[3J");
  });

  deepTest("ctrl+t folds the list of steps, which leaves when all is done", async () => {
    await using terminal = await demo();
    terminal.type("steps\r");
    await terminal.shows("☐ Run the test 50 times");
    terminal.type("\u0014");
    await terminal.shows("◐ Wait for the cart, now · 1 of 3 · ctrl+t");
    expect(terminal.screen).not.toContain("Run the test 50 times");
    terminal.type("\u0014");
    await terminal.shows("☐ Run the test 50 times");
    terminal.type("\u001b");
    await terminal.shows(IDLE);
    await terminal.shows(() => !terminal.screen.includes("Run the test 50 times"));
    expect(terminal.all).not.toContain("Run the test 50 times");
  });

  deepTest("a paste of 10,000 lines is one placeholder and arrives whole", async () => {
    await using terminal = await demo();
    const text = Array.from({ length: 10_000 }, (_, line) => `pasted line ${line}`).join("\r");
    terminal.type(`\u001b[200~${text}\u001b[201~`);
    await terminal.shows("[pasted 10000 lines]");
    terminal.type("\r");
    await terminal.shows(`You said ${text.length} characters in 10000 lines.`);
    expect(terminal.all).toContain("… 9,980 more lines");
  });

  longerInDeep("a line of 1 MB, wide text and evil text leave the frame whole", async (isWhole) => {
    await using terminal = await demo();
    for (const [scene, mark] of [
      ...(isWhole ? [["line", "xxxxxxxx"] as const] : []),
      ["wide", "漢字かな交じり文"],
      ["evil", "safe text ⟨U+202E⟩abc"],
    ] as const) {
      terminal.type(`${scene}\r`);
      await terminal.shows(mark);
      await terminal.shows(() => /tok · \$0\.04\n\n─+\n› Say what comes next\n {2}default/.test(terminal.screen));
    }
    expect(terminal.output).not.toContain("\u001b[2J");
    // Quoll's own question about the background is the only one.
    expect(terminal.output.replace(ASK_BACKGROUND, "")).not.toContain("\u001b]");
    expect(terminal.output).not.toContain("\u202e");
  });

  deepTest("making the window narrower and wider leaves no stale copy", async () => {
    await using terminal = await demo({ columns: 100, rows: 30 });
    terminal.type("fix it\r");
    await terminal.shows("1 file +1 −1");
    terminal.type("a draft");
    await terminal.shows("› a draft");
    for (const [columns, rows] of [
      [60, 30],
      [41, 20],
      [90, 24],
      [50, 12],
      [100, 30],
    ] as const) {
      terminal.resize(columns, rows);
      // Right below the transcript stands one rule, one prompt, one status line, and nothing else.
      const whole = new RegExp(`\\$0\\.04\\n\\n─{${columns}}\\n› a draft\\n {2}default[^\\n]*$`);
      await terminal.shows(whole);
      expect(count(terminal.all, "› a draft")).toBe(1);
    }
    expect(count(terminal.all, "● The test now waits")).toBe(1);
    expect(terminal.output).not.toContain("\u001b[3J");
  });

  deepTest("a window that gets half as high in the middle of a stream prints nothing twice", async () => {
    await using terminal = await demo({ rows: 30 });
    terminal.type("code it\r");
    await terminal.shows(/text \d\d"/);
    terminal.resize(80, 15);
    await terminal.shows("That is all.");
    await terminal.shows(IDLE);
    const twice = Array.from({ length: 60 }, (_, line) => `text ${line}"`).filter(
      (line) => count(terminal.all, line) !== 1,
    );
    expect(twice).toEqual([]);
  });

  deepTest("narrowing in the middle of a question redraws its box", async () => {
    await using terminal = await demo({ columns: 100 });
    terminal.type("ask me\r");
    await terminal.shows("1 of 2");
    terminal.resize(50, 24);
    await terminal.shows(() => terminal.screen.split("\n").some((line) => line.startsWith("╭") && line.length === 50));
    expect(count(terminal.screen, "╭")).toBe(1);
    expect(count(terminal.screen, "╰")).toBe(1);
  });

  test("questions are answered by number, by arrow and by words", async () => {
    await using terminal = await demo();
    terminal.type("ask me\r");
    await terminal.shows("1 of 2");
    await terminal.asks();
    terminal.type("3");
    await terminal.shows("Make this change?");
    // A question right behind another takes no key for a moment: nothing can be waited for but time.
    await Bun.sleep(GUARD_MS + 50);
    terminal.type("\u001b[A\r");
    await terminal.shows("No:");
    terminal.type("not now\r");
    await terminal.shows("You said always, reject.");
  });

  deepTest("words typed at a question are its no, and answer nothing else", async () => {
    await using terminal = await demo();
    terminal.type("ask later\r");
    await terminal.shows("› ask later");
    terminal.type("use 2 ");
    await terminal.shows("1 of 2");
    terminal.type("s");
    await terminal.shows("› use 2 s");
    expect(terminal.screen).toContain("You are typing");
    await terminal.asks();
    expect(terminal.screen).toContain("› draft kept: use 2 s");
    terminal.type("\u001b[Buse bun\r");
    await terminal.shows("Make this change?");
    await terminal.answers("0");
    await terminal.shows("You said reject, reject.");
    await terminal.shows("› use 2 s");
  });

  test("ctrl+l draws the screen anew at the top, and loses nothing above", async () => {
    await using terminal = await demo();
    terminal.type("fix the test\r");
    await terminal.shows("1 file +1 −1");
    await terminal.shows(IDLE);
    terminal.type("draft\u000c");
    await terminal.shows(() => !terminal.screen.includes("fix the test") && terminal.screen.includes(IDLE));
    await terminal.shows(() => terminal.cursor.y === terminal.screen.split("\n").indexOf("› draft"));
    for (const once of ["› fix the test", "● The test now waits", IDLE]) {
      expect({ once, count: count(terminal.all, once) }).toEqual({ once, count: 1 });
    }
  });

  test("Ctrl+C stops the turn and keeps the draft", async () => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type("a draft");
    await terminal.shows("› a draft");
    terminal.type("\u0003");
    await terminal.shows("· Interrupted.");
    await terminal.shows(IDLE);
    expect(terminal.screen).toContain("› a draft");
    terminal.type("\u0003");
    await terminal.shows(() => !terminal.screen.includes("› a draft"));
    expect(terminal.child.exitCode).toBeNull();
  });

  deepTest("escape says no to a question and interrupts a turn", async () => {
    await using terminal = await demo();
    terminal.type("long one\r");
    await terminal.shows("Run this command?");
    await terminal.asks();
    terminal.type("\u001b");
    await terminal.shows("21k tok");
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type("\u001b");
    await terminal.shows("· Interrupted.");
  });

  test("Ctrl+C twice leaves with the terminal as it was, and the transcript stays", async () => {
    await using terminal = await demo();
    terminal.type("hello\r");
    await terminal.shows("You said 5 characters");
    terminal.type("\u0003");
    await terminal.shows("ctrl+c again to leave");
    terminal.type("\u0003");
    await terminal.shows('left {"exitCode":0}');
    expect(await terminal.child.exited).toBe(0);
    expect(terminal.all).toContain("You said 5 characters");
    expect(terminal.screen).not.toContain(IDLE);
    expect(modes(terminal.output)).toEqual({ cursor: true, paste: false, focus: false, kitty: 0, sync: false });
  });

  test("the word exit asks once while a turn runs, and Enter leaves", async () => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.type("exit\r");
    await terminal.shows("enter again ends the turn, and leaves");
    expect(terminal.child.exitCode).toBeNull();
    terminal.type("\r");
    await terminal.shows('left {"exitCode":0}');
    expect(terminal.all).toContain("Left in the middle of a turn.");
  });

  deepTest("the hint to leave goes by itself, and one Ctrl+C does not leave", async () => {
    await using terminal = await demo();
    terminal.type("some text");
    await terminal.shows("some text");
    terminal.type("\u0003");
    await terminal.shows(() => !terminal.screen.includes("some text"));
    expect(terminal.screen).toContain(IDLE);
    terminal.type("\u0003");
    await terminal.shows("ctrl+c again");
    await terminal.shows(IDLE);
    expect(terminal.child.exitCode).toBeNull();
  });

  test("SIGTERM puts the terminal back", async () => {
    await using terminal = await demo();
    terminal.type("hang\r");
    await terminal.shows("esc to interrupt");
    terminal.child.kill("SIGTERM");
    expect(await terminal.child.exited).toBe(143);
    await terminal.shows('left {"exitCode":143}');
    expect(modes(terminal.output)).toEqual({ cursor: true, paste: false, focus: false, kitty: 0, sync: false });
  });

  test("a fault in drawing ends in one line, exit code 1 and a sane terminal", async () => {
    await using terminal = await demo({ columns: 160 });
    terminal.type("break it\r");
    await terminal.shows(/quoll: the screen could not be drawn: .*\. The session is saved\./);
    await terminal.shows('left {"exitCode":1}');
    expect(await terminal.child.exited).toBe(1);
    expect(terminal.all).not.toContain("    at ");
    expect(terminal.all).not.toContain(IDLE);
    expect(modes(terminal.output)).toEqual({ cursor: true, paste: false, focus: false, kitty: 0, sync: false });
  });

  deepTest("a list that is left by escape leaves no line", async () => {
    await using terminal = await demo();
    terminal.type("/resume\r");
    await terminal.shows("Resume a session");
    terminal.type("\u001b");
    await terminal.shows(() => !terminal.screen.includes("Resume a session"));
    expect(terminal.all).not.toContain("/resume");
    terminal.type("/permissions\r");
    await terminal.shows("Read(.env)");
    expect(terminal.all).toContain("› /permissions");
  });

  deepTest("/resume offers the sessions and continues the chosen session", async () => {
    await using terminal = await demo();
    terminal.type("/resume\r");
    await terminal.shows("Resume a session");
    terminal.type("\u001b[B\r");
    await terminal.shows('"next":{"sessionId":"9a2b0000-2"}');
  });

  deepTest("the offline notice stands in the first frame", async () => {
    await using terminal = await demo({ env: { DEMO_OFFLINE: "1" } });
    expect(terminal.screen).toContain("▲ Offline: no model is configured.");
  });

  test("keeps input typed while the program starts", async () => {
    await using terminal = terminalProcess(DEMO);
    terminal.type("early\rdraft");
    await terminal.shows("You said 5 characters in 1 lines.");
    await terminal.shows("› draft");
  });

  test("leaving before the screen's code is loaded keeps the rows and restores the terminal", async () => {
    await using terminal = terminalProcess(DEMO, { env: { DEMO_LEAVE: "1" } });
    await terminal.shows('left {"exitCode":3}');
    expect({ welcomes: count(terminal.all, "quoll 0.1.0"), frames: count(terminal.all, IDLE) }).toEqual({
      welcomes: 1,
      frames: 0,
    });
    expect(modes(terminal.output)).toEqual({ cursor: true, paste: false, focus: false, kitty: 0, sync: false });
  });

  deepTest("a CI variable in a person's shell changes nothing", async () => {
    await using terminal = await demo({ env: { CI: "1" } });
    terminal.type("hello\r");
    await terminal.shows("You said 5 characters");
  });

  deepTest("NO_COLOR: bold and dim are written, no colour is", async () => {
    await using terminal = await demo({ env: { NO_COLOR: "1" } });
    terminal.type("fix it\r");
    await terminal.shows("1 file +1 −1");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
    const styles = new Set(terminal.output.match(/(?<=\u001b\[)[\d;]+(?=m)/g));
    expect([...styles].filter((style) => !["0", "1", "2", "3", "4", "22", "23", "24"].includes(style))).toEqual([]);
    expect(styles.has("1") && styles.has("2")).toBe(true);
  });
});

describe("the cost of drawing", () => {
  deepTest("2,000 deltas in a burst: few bytes, little CPU", async () => {
    await using terminal = await demo();
    const before = terminal.output.length;
    terminal.type("burst\r");
    await terminal.shows("21k tok");
    expect(terminal.output.length - before).toBeLessThan(10 * 12_000);
    expect(count(terminal.all, "esc to interrupt")).toBe(0);
  });

  test("while only the clock of a turn moves, at most 2 kB a second and four frames a second are written", async () => {
    await using terminal = await demo();
    terminal.type("quiet\r");
    await terminal.shows(/find what sleeps in the tests · 1s/);
    const before = terminal.output.length;
    const from = performance.now();
    await terminal.shows(/find what sleeps in the tests · 3s/);
    const seconds = (performance.now() - from) / 1_000;
    const written = terminal.output.slice(before);
    expect(written).toContain("\u001b");
    expect(Buffer.byteLength(written) / seconds).toBeLessThan(2_000);
    // Each frame is one synchronised update.
    expect(count(written, "\u001b[?2026h") / seconds).toBeLessThan(5);
  });

  test("idle, nothing is written", async () => {
    await using terminal = await demo();
    terminal.type("hello\r");
    await terminal.shows(/21k tok[\s\S]*\? for keys/);
    await terminal.rests();
    const written = terminal.output.length;
    // Nothing can be waited for but time: a tick of any clock there might be.
    await Bun.sleep(1_100);
    expect(terminal.output.length).toBe(written);
  });
});

/** The terminal modes after all output. */
function modes(output: string) {
  const last = (on: string, off: string) => output.lastIndexOf(on) > output.lastIndexOf(off);
  return {
    cursor: last("\u001b[?25h", "\u001b[?25l"),
    paste: last("\u001b[?2004h", "\u001b[?2004l"),
    kitty: count(output, "\u001b[>1u") - count(output, "\u001b[<u"),
    focus: last("\u001b[?1004h", "\u001b[?1004l"),
    sync: last("\u001b[?2026h", "\u001b[?2026l"),
  };
}
