import { describe, expect, test } from "bun:test";
import { AUTO_PALETTES } from "../../../src/contracts/auto-palettes.ts";
import { filledRow, themeFor } from "../../../src/faces/repl/view/theme.ts";
import { builtDemo } from "../../support/built.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { EMPTY_PROMPT } from "../../support/terminal-process.ts";
import { tmuxProcess } from "../../support/tmux-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
/** A drag of twenty steps, with the last frame, takes 1.1 s on an idle machine. */
const DRAG_MS = 1_300;
/** A window that keeps its size for so long rests. */
const REST_MS = 300;

const count = (text: string, part: string) => text.split(part).length - 1;

async function demo(options: Parameters<typeof tmuxProcess>[1] = {}) {
  const terminal = await tmuxProcess(DEMO, options);
  await terminal.shows(IDLE);
  return terminal;
}

describe("the REPL in tmux", () => {
  test("the first paint is erased without a copy in the history", async () => {
    await using terminal = await tmuxProcess(DEMO, { env: { DEMO_TRUST: "1" } });
    await terminal.shows("Do you trust this folder?");
    await terminal.pressUntil("3", IDLE);
    expect({ history: await terminal.historySize(), welcomes: count(await terminal.all(), "quoll 0.1.0") }).toEqual({
      history: 0,
      welcomes: 1,
    });
  });

  test("prompts on a band are there once after the window got narrower, and a copy has no blanks for the band", async () => {
    const { band } = themeFor(3, true, false, AUTO_PALETTES.dark);
    const rows = ["› a prompt", "", "  of three rows"].map((row) => filledRow(row, band));
    await using terminal = await tmuxProcess(["bash", "-c", `printf '%s\\n' "$@"; sleep 60`, "rows", ...rows, "end"]);
    await terminal.shows("end");
    const before = await terminal.all();
    await terminal.resize(30, 24);
    expect(await terminal.all()).toBe(before);
    expect(await terminal.copied(3)).toBe("› a prompt\n\n  of three rows\n");
  });

  test("where tmux does not report the background, prompts stand on a band with a colour for their text", async () => {
    await using terminal = await demo({ env: { COLORTERM: "truecolor", COLORFGBG: "" } });
    await terminal.type("words\r");
    await terminal.shows("● You said");
    const row = (await terminal.styled()).split("\n").find((line) => line.includes("words")) ?? "";
    const [before = ""] = row.split("words");
    expect(before).toContain("48;2;54;54;54m");
    expect(before.match(/38;2;[\d;]*m/g)?.at(-1)).toBe("38;2;228;228;228m");
  });

  test("shift+enter is a new line where tmux passes keys on, and other keys keep their meaning", async () => {
    await using terminal = await demo({ extendedKeys: true });
    await terminal.type("one");
    await terminal.press("S-Enter");
    await terminal.type("two words");
    await terminal.shows(/^› one\n {2}two words$/m);
    await terminal.press("C-w");
    await terminal.shows(/^ {2}two$/m);
    await terminal.press("C-c");
    await terminal.shows(EMPTY_PROMPT);
  });

  test("a list that closes leaves the screen as it was, and loses no row in a window that was resized meanwhile", async () => {
    await using terminal = await demo();
    await terminal.type("list\r");
    await terminal.shows("Say what comes next");
    const before = await terminal.screen();
    await terminal.type("/help\r");
    await terminal.shows("Help: commands");
    await terminal.press("Escape");
    await terminal.shows(EMPTY_PROMPT);
    expect(await terminal.screen()).toBe(before);
    expect(count(await terminal.all(), "item 39")).toBe(1);
    await terminal.type("/help\r");
    await terminal.shows("Help: commands");
    for (const rows of [14, 24]) {
      await terminal.resize(80, rows);
      await terminal.shows(/Help: commands[\s\S]*type to filter/);
    }
    await terminal.press("Escape");
    await terminal.shows(EMPTY_PROMPT);
    const lines = (await terminal.all()).split("\n");
    const last = lines
      .slice(-24)
      .map((row) => /item (\d+)/.exec(row)?.[1] ?? "")
      .filter(Boolean);
    expect(last.map(Number)).toEqual(Array.from({ length: last.length }, (_, at) => 40 - last.length + at));
    const shown = new Set(lines);
    for (const row of before.split("\n").filter((line) => line.includes("item"))) expect(shown).toContain(row);
  });

  test.each([
    ["narrower", 60, 24],
    ["lower", 80, 18],
  ] as const)(
    "printed rows are there once and in order when the window gets %s under an open list",
    async (_, columns, rows) => {
      await using terminal = await demo();
      await terminal.type("list\r");
      await terminal.shows("Say what comes next");
      await terminal.type("/help\r");
      await terminal.shows("Help: commands");
      await terminal.resize(columns, rows);
      await terminal.shows(new RegExp(`^─{${columns}}\\nHelp: commands[\\s\\S]*type to filter`, "m"));
      await terminal.press("Escape");
      await terminal.shows(EMPTY_PROMPT);
      const numbers = Array.from((await terminal.all()).matchAll(/item (\d+)/g), ([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: 40 }, (_item, at) => at));
    },
  );

  test("what a command said stays in sight above the next list", async () => {
    await using terminal = await demo();
    await terminal.type("list\r");
    await terminal.shows("Say what comes next");
    await terminal.type("/nothing\r");
    await terminal.shows("There is no command /nothing");
    await terminal.type("/help\r");
    await terminal.shows("Help: commands");
    expect(await terminal.screen()).toContain("There is no command /nothing");
  });

  test("a program after Quoll gets plain keys again", async () => {
    const after = "printf 'left\\n'; read -r line; printf '%s' \"$line\" | od -c; sleep 60";
    const shell = ["bash", "-c", `${DEMO.join(" ")}; ${after}`];
    await using terminal = await tmuxProcess(shell, { extendedKeys: true });
    await terminal.shows(IDLE);
    await terminal.pressUntil("C-d", "again to leave");
    await terminal.press("C-d");
    await terminal.shows(/^left$/m);
    // tmux types the name of a key that it may not pass on.
    await terminal.press("S-Enter");
    await terminal.press("Enter");
    await terminal.shows(/^0000000 /m);
    expect(await terminal.screen()).not.toContain("033");
  });

  deepTest("a question as tall as the window leaves no copy of any frame in the history", async () => {
    await using terminal = await demo();
    for (let round = 1; round <= 3; round += 1) {
      await terminal.type("hunks\r");
      await terminal.shows("Change this file?");
      await terminal.pressUntil("Escape", IDLE);
    }
    const all = await terminal.all();
    expect(count(all, "› hunks")).toBe(3);
    expect(count(all, '● You said {"decision":"reject"}.')).toBe(3);
    // The rule above the prompt stands in live frames only.
    expect(count(all, "─".repeat(80))).toBe(1);
    expect(count(all, "esc to interrupt")).toBe(0);
  });

  eachOrDeep(
    "a question leaves no copy in the history when the window gets %s",
    1,
    [
      ["wider", [101, 105, 110, 120], [30, 30, 30, 30]],
      ["higher", [100, 100, 100, 100], [31, 35, 40, 50]],
    ] as const,
    async (_, columns, rows) => {
      expect(await boxesAfter(columns, rows)).toMatchObject({ boxes: 0, prompts: 1 });
    },
  );

  // tmux itself moves what a smaller window has no room for into its history, before a program hears of it.
  eachOrDeep(
    "a question leaves one copy in the history when the window is dragged %s",
    1,
    [
      ["narrower", Array.from({ length: 20 }, (_, step) => 99 - step), [30]],
      ["lower", [100], Array.from({ length: 15 }, (_, step) => 29 - step)],
    ] as const,
    async (_, columns, rows) => {
      const { boxes, prompts, pauses } = await boxesAfter(columns, rows);
      expect(boxes).toBeLessThanOrEqual(1 + pauses);
      expect(prompts).toBe(1);
    },
  );

  // The steps of a drag come as fast as the machine lets them: on a busy one the window rests in between.
  deepTest("a question is whole, and the only one, when the window is dragged lower and higher", async () => {
    const rows = there(24, 10);
    await using terminal = await demo({ columns: 80, rows: 24 });
    // The rows above the question fill the window.
    await terminal.type("fix it\r");
    await terminal.shows("1 file +1 −1");
    await terminal.type("ask me\r");
    await terminal.shows("Run this command?");
    await terminal.drag(rows.map((count) => ({ columns: 80, rows: count })));
    await terminal.shows(/^╰─{78}╯$/m);
    const screen = await terminal.screen();
    expect({ tops: count(screen, "╭"), bottoms: count(screen, "╰") }).toEqual({ tops: 1, bottoms: 1 });
  });

  deepTest(
    "a stream of 10,000 lines leaves each line once in the history, and no frame",
    async () => {
      await using terminal = await demo();
      await terminal.type("lines\r");
      await terminal.shows("line 9999 of it", 40_000);
      await terminal.shows(IDLE);
      const all = await terminal.all();
      const numbers = Array.from(all.matchAll(/line (\d+) of it$/gm), ([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => 10_000 - numbers.length + at));
      expect(numbers.length).toBeGreaterThan(1_900);
      expect({ frames: count(all, "esc to interrupt"), rules: count(all, "─".repeat(80)) }).toEqual({
        frames: 0,
        rules: 1,
      });
    },
    60_000,
  );

  test("a window that is resized again and again holds one copy of everything", async () => {
    await using terminal = await demo({ columns: 100, rows: 30 });
    await terminal.type("fix it\r");
    await terminal.shows("1 file +1 −1");
    await terminal.type("a draft");
    await terminal.shows("› a draft");
    for (const [columns, rows] of [
      [60, 30],
      [41, 12],
      [90, 24],
      [50, 8],
      [100, 30],
    ] as const) {
      await terminal.resize(columns, rows);
      await terminal.shows(new RegExp(`^─{${columns}}\\n› a draft$`, "m"));
    }
    const all = await terminal.all();
    for (const once of ["› a draft", "● The test now waits", "main*", "quoll 0.1.0"]) {
      expect({ once, count: count(all, once) }).toEqual({ once, count: 1 });
    }
  });
});

/** Fifteen steps to a size, and fifteen back. */
function there(from: number, to: number): readonly number[] {
  const steps = (a: number, b: number) =>
    Array.from({ length: 15 }, (_, at) => Math.round(a + ((b - a) * (at + 1)) / 15));
  return [...steps(from, to), ...steps(to, from)];
}

/** Resizes a window with a question as tall as it, answers, and counts what is left of the question. */
async function boxesAfter(columns: readonly number[], rows: readonly number[]) {
  await using terminal = await demo({ columns: 100, rows: 30 });
  await terminal.type("hunks\r");
  await terminal.shows("Change this file?");
  const sizes = Array.from({ length: Math.max(columns.length, rows.length) }, (_, step) => ({
    columns: columns[Math.min(step, columns.length - 1)] ?? 100,
    rows: rows[Math.min(step, rows.length - 1)] ?? 30,
  }));
  const startedAt = performance.now();
  await terminal.drag(sizes);
  await terminal.shows(new RegExp(`^╰─{${(columns.at(-1) ?? 100) - 2}}╯$`, "m"));
  // On a busy machine the window rests between two steps, and each rest draws a frame, of which a copy may remain.
  const pauses = Math.floor(Math.max(0, performance.now() - startedAt - DRAG_MS) / REST_MS);
  await terminal.pressUntil("Escape", IDLE);
  const all = await terminal.all();
  return { pauses, boxes: count(all, "╭"), prompts: count(all, "› hunks") };
}
