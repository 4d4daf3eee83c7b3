// biome-ignore-all lint/suspicious/noControlCharactersInRegex: escape sequences are what is tested.
import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { NO_PREVIEW } from "../../../../src/faces/repl/layers/ui-state.ts";
import type { Size } from "../../../../src/faces/repl/repl-screen-state.ts";
import { ERASE_BELOW } from "../../../../src/faces/repl/terminal/erase-below.ts";
import { eraseReflowed, movedWidths, ResizeGuard, reflowOf } from "../../../../src/faces/repl/terminal/resize-guard.ts";
import type { Frame } from "../../../../src/faces/repl/view/live-frame.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

const ESC = "\u001b";
const frame: Frame = {
  lines: ["─".repeat(100), "› a draft", "x".repeat(70)],
  cursor: { x: 9, y: 1 },
  preview: NO_PREVIEW,
};

test.each([
  ["0;276;0", "shifted"],
  ["41;390;0", "none"],
  ["83;40900;0", "none"],
  ["84;0;0", "exact"],
  ["1;4000;29", "exact"],
  ["65;7600;1", "exact"],
] as const)("a terminal that says %s reflows %s", (attributes, reflow) => {
  expect(reflowOf(attributes)).toBe(reflow);
});

describe("erasing a frame that was wrapped", () => {
  const up = (written: string) => Number(/^\r(?:\u001b\[(\d+)A)?/.exec(written)?.[1] ?? 0);

  test("counts the rows above the cursor as the terminal has them now", () => {
    expect(up(eraseReflowed(frame, { columns: 60, rows: 30, reflow: "exact" }))).toBe(2);
    expect(up(eraseReflowed(frame, { columns: 60, rows: 30, reflow: "shifted" }))).toBe(3);
    expect(up(eraseReflowed(frame, { columns: 60, rows: 30, reflow: "shifted", rowsBelow: 0 }))).toBe(2);
    expect(up(eraseReflowed(frame, { columns: 60, rows: 30, reflow: "none" }))).toBe(1);
  });

  test("leaves the cursor as far below the top as it was", () => {
    expect(eraseReflowed(frame, { columns: 60, rows: 30, reflow: "exact" })).toBe(
      `\r${ESC}[2A${ERASE_BELOW}\n\n\n${ESC}[2A`,
    );
    const withoutCursor = { ...frame, cursor: undefined };
    expect(eraseReflowed(withoutCursor, { columns: 60, rows: 30, reflow: "exact" })).toBe(
      `\r${ESC}[5A${ERASE_BELOW}\n\n\n`,
    );
  });
});

const ASKS = `${ESC}[>c${ESC}[18t${ESC}[6n`;

describe("a resize", () => {
  function guard() {
    const clock = fakeClock();
    const events: string[] = [];
    const stdout = Object.assign(new EventEmitter(), {
      columns: 100,
      rows: 30,
      write: (data: string) => events.push(data),
    });
    const lookUpSize = () => {
      const isOther = pending && (pending.columns !== stdout.columns || pending.rows !== stdout.rows);
      Object.assign(stdout, pending);
      if (isOther) guarded.resized();
    };
    let pending: Size | undefined;
    let drawnFor = { columns: 100, rows: 30 };
    let printed = 1;
    let isCovered = false;
    const guarded = new ResizeGuard({
      stdout: stdout as unknown as NodeJS.WriteStream,
      lookUpSize,
      clock,
      ended: new AbortController().signal,
      painted: () => frame,
      written: () => ({ before: frame, text: "" }),
      printAgain: () => events.push("again"),
      drawnFor: () => drawnFor,
      hold: () => events.push("hold"),
      erase: () => "erase",
      clear: () => events.push("clear"),
      adopt: (size) => {
        drawnFor = size;
        events.push(`${size.columns}x${size.rows}`);
      },
      moved: (widths) => widths,
      printed: () => printed,
      covered: () => isCovered,
    });
    const resize = (columns: number, rows: number) => {
      pending = undefined;
      Object.assign(stdout, { columns, rows });
      guarded.resized();
    };
    const print = () => {
      printed += 1;
    };
    /** The window changes once, and rests for the time after which a frame is drawn for it. */
    const change = async (columns: number, rows: number) => {
      resize(columns, rows);
      await clock.advance(150);
    };
    /** The window has another size, which the runtime does not tell by itself. */
    const pend = (columns: number, rows: number) => {
      pending = { columns, rows };
    };
    const cover = (is: boolean) => {
      isCovered = is;
    };
    return { clock, events, guarded, resize, change, pend, print, cover };
  }

  test("writes nothing while another screen is shown that was opened before the window came to rest", async () => {
    const { clock, events, guarded, resize, change, cover } = guard();
    resize(60, 30);
    cover(true);
    await clock.advance(5_000);
    expect(events).toEqual(["hold"]);
    cover(false);
    guarded.uncovered();
    expect(events.at(-1)).toBe(ASKS);
    cover(true);
    const before = [...events];
    guarded.report({ about: "cursor", row: 20, column: 10 });
    await clock.advance(5_000);
    expect(events).toEqual(before);
    cover(false);
    guarded.uncovered();
    guarded.report({ about: "cursor", row: 20, column: 10 });
    expect(events.at(-1)).toBe("60x30");
    events.length = 0;
    await change(100, 30);
    expect(events.at(-1)).toBe("100x30");
  });

  test("writes nothing to a program that got the terminal before the window came to rest", async () => {
    const { clock, events, guarded, resize, change } = guard();
    resize(60, 30);
    guarded.forget();
    await clock.advance(5_000);
    expect(events).toEqual(["hold"]);
    await change(50, 30);
    expect(events.at(-1)).toBe(ASKS);
    guarded.forget();
    const before = [...events];
    guarded.report({ about: "cursor", row: 20, column: 10 });
    await clock.advance(5_000);
    expect(events).toEqual(before);
    await change(45, 30);
    expect(events.at(-1)).toBe(ASKS);
  });

  test("that wraps nothing is let through when the window has rested for a moment", async () => {
    const { clock, events, resize } = guard();
    for (const [columns, rows] of [
      [120, 30],
      [120, 20],
      [101, 20],
    ] as const) {
      events.length = 0;
      resize(columns, rows);
      await clock.advance(149);
      expect(events).toEqual(["hold"]);
      await clock.advance(1);
      expect(events).toEqual(["hold", `${columns}x${rows}`]);
      await clock.advance(300);
    }
    expect(clock.sleeping).toBe(0);
  });

  test("that follows another soon is drawn when the window rests, and only the last of them", async () => {
    const { clock, events, resize } = guard();
    for (const columns of [110, 120, 130, 120]) {
      resize(columns, 30);
      await clock.advance(100);
    }
    expect(events).toEqual(["hold"]);
    await clock.advance(199);
    expect(events).toEqual(["hold"]);
    await clock.advance(1);
    expect(events).toEqual(["hold", "120x30"]);
    expect(clock.sleeping).toBe(0);
  });

  test("that wraps lines and is undone is erased in xterm.js, where the cursor does not return to its line", async () => {
    for (const [attributes, is] of [
      ["0;276;0", "asked"],
      ["84;0;0", "drawn"],
    ] as const) {
      const { clock, events, guarded, resize } = guard();
      guarded.report({ about: "device", attributes });
      resize(60, 30);
      resize(120, 30);
      await clock.advance(300);
      if (is === "drawn") expect(events).toEqual(["hold", "120x30"]);
      else {
        expect(events).toEqual(["hold", "hold", ASKS]);
        guarded.report({ about: "cursor", row: 28, column: 10 });
        expect(events.slice(3)).toEqual([expect.stringContaining(`${ERASE_BELOW}\n\n\n${ESC}[2Aerase`), "120x30"]);
      }
    }
  });

  test("that the runtime has not told yet is noticed before anything is drawn", async () => {
    const { clock, events, guarded, change, pend } = guard();
    await change(60, 30);
    pend(50, 30);
    guarded.report({ about: "cursor", row: 12, column: 10 });
    expect(events.slice(1)).toEqual(["hold", ASKS]);
    await clock.advance(299);
    pend(120, 30);
    await clock.advance(299);
    expect(events).toHaveLength(3);
  });

  test("that comes while the terminal is asked makes its answer worthless: it is asked again", async () => {
    const { clock, events, guarded, resize, change } = guard();
    await change(60, 30);
    resize(50, 30);
    guarded.report({ about: "cursor", row: 12, column: 10 });
    expect(events).toHaveLength(3);
    await clock.advance(300);
    expect(events.slice(3)).toEqual(["hold", ASKS]);
    guarded.report({ about: "cursor", row: 12, column: 10 });
    expect(events.at(-1)).toBe("50x30");
  });

  test("that wraps lines waits for the terminal's answer, then erases, then is let through", async () => {
    const { events, guarded, change } = guard();
    await change(60, 30);
    expect(events).toEqual(["hold", "hold", ASKS]);
    guarded.report({ about: "device", attributes: "84;0;0" });
    guarded.report({ about: "cursor", row: 12, column: 10 });
    expect(events.slice(3)).toEqual([
      `${eraseReflowed(frame, { columns: 60, rows: 30, reflow: "exact", rowsBelow: 18 })}erase`,
      "60x30",
    ]);
  });

  test("to a size that the terminal has left again waits until it rests, unless the terminal tells the same again", async () => {
    for (const [first, second] of [
      [
        [30, 90],
        [60, 30],
      ],
      [
        [30, 61],
        [30, 61],
      ],
    ] as const) {
      const { clock, events, guarded, change } = guard();
      await change(60, 30);
      guarded.report({ about: "size", sides: first });
      guarded.report({ about: "cursor", row: 12, column: 10 });
      expect(events).toHaveLength(3);
      await clock.advance(300);
      expect(events.slice(3)).toEqual(["hold", ASKS]);
      guarded.report({ about: "size", sides: second });
      guarded.report({ about: "cursor", row: 12, column: 10 });
      expect(events.at(-1)).toBe("60x30");
    }
  });

  test("without an answer continues after a short time", async () => {
    const { clock, events, change } = guard();
    await change(60, 30);
    await clock.advance(119);
    expect(events).toHaveLength(3);
    await clock.advance(1);
    expect(events.slice(3)).toEqual([
      `${eraseReflowed(frame, { columns: 60, rows: 30, reflow: "shifted" })}erase`,
      "60x30",
    ]);
    expect(clock.sleeping).toBe(0);
  });

  const ERASES = `${ASKS}erase`;

  test("to fewer rows than the frame has, erases it where it stands, and draws once the window rests", async () => {
    const { clock, events, guarded, resize, change } = guard();
    await change(100, 2);
    expect(events).toEqual(["hold", "hold", ERASES]);
    guarded.report({ about: "cursor", row: 2, column: 10 });
    for (const rows of [3, 2]) {
      await clock.advance(299);
      resize(100, rows);
    }
    await clock.advance(299);
    expect(events.slice(3)).toEqual(["clear"]);
    await clock.advance(1);
    expect(events.slice(4)).toEqual(["100x2"]);
    expect(clock.sleeping).toBe(0);
  });

  test("erases the lines that a higher window brings back, as far as they are back, and no others", async () => {
    const { clock, events, guarded, change } = guard();
    await change(100, 2);
    // The cursor's line was the second of the frame: the first is in the history.
    guarded.report({ about: "cursor", row: 1, column: 10 });
    await clock.advance(300);
    events.length = 0;
    for (const [rows, row, erased] of [
      [10, 1, []],
      [20, 6, [`${ESC}[1A${ERASE_BELOW}`]],
    ] as const) {
      await change(100, rows);
      expect(events).toEqual(["hold", "hold", "erase", "clear"]);
      await clock.advance(300);
      expect(events.at(-1)).toBe(ASKS);
      guarded.report({ about: "cursor", row, column: 10 });
      expect(events.slice(5)).toEqual([...erased, `100x${rows}`]);
      events.length = 0;
      await clock.advance(300);
    }
    await change(100, 30);
    expect(events).toEqual(["hold", "100x30"]);
  });

  test("erases in xterm.js too what a larger window brings back of a frame that was wrapped and cut", async () => {
    const { clock, events, guarded, change } = guard();
    await change(60, 2);
    guarded.report({ about: "device", attributes: "0;276;0" });
    // The rule above the prompt takes two rows, of which one is in the history.
    guarded.report({ about: "cursor", row: 2, column: 10 });
    await clock.advance(300);
    events.length = 0;
    await change(100, 30);
    await clock.advance(300);
    guarded.report({ about: "cursor", row: 6, column: 10 });
    expect(events).toEqual(["hold", "hold", "erase", "clear", ASKS, `${ESC}[1A${ERASE_BELOW}`, "100x30"]);
  });

  test("erases nothing above once rows were printed there, or another program had the terminal", async () => {
    for (const between of ["print", "forget"] as const) {
      const { clock, events, guarded, change, print } = guard();
      await change(100, 2);
      guarded.report({ about: "cursor", row: 1, column: 10 });
      await clock.advance(300);
      if (between === "print") print();
      else guarded.forget();
      events.length = 0;
      await change(100, 30);
      expect(events).toEqual(["hold", "100x30"]);
    }
  });

  test("never moves more blank rows into the history than the window has", () => {
    const written = eraseReflowed({ ...frame, cursor: undefined }, { columns: 60, rows: 2, reflow: "exact" });
    expect(written.match(/\n/g)).toHaveLength(1);
  });

  test("an answer that comes when nobody asks changes nothing on the screen", () => {
    const { events, guarded } = guard();
    guarded.report({ about: "cursor", row: 3, column: 10 });
    expect(events).toEqual([]);
  });
});

test("lines for which there are too few rows above the cursor are those that went into the history", () => {
  const frame = { lines: ["a".repeat(60), "b", "c", "d"], cursor: undefined, preview: NO_PREVIEW };
  const moved = (of: Frame, columns: number, row: number) =>
    movedWidths(of, { columns, rows: 30, reflow: "exact" }, row);
  expect(moved(frame, 80, 5)).toEqual([]);
  expect(moved(frame, 80, 3)).toEqual([60, 1]);
  // The first line takes two rows there, of which one is still on the screen.
  expect(moved(frame, 40, 5)).toEqual([40]);
  expect(moved(frame, 40, 3)).toEqual([60, 1]);
  expect(moved({ ...frame, cursor: { x: 0, y: 1 } }, 80, 2)).toEqual([]);
});
