import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { FrameOutput } from "../../../../src/faces/repl/terminal/frame-output.ts";
import { FrameWriter } from "../../../../src/faces/repl/terminal/frame-writer.ts";
import { taskStage } from "../../../support/shown-tasks.ts";

const SIZE = { columns: 60, rows: 12 };

/** The REPL's screen on a terminal that keeps what is written to it. */
async function shown() {
  const here = await taskStage(SIZE);
  const terminal = new Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true });
  const written: string[] = [];
  let isOther = false;
  const stdout = {
    write: (text: string) => written.push(text) > 0,
    ...SIZE,
  };
  /** The window has another size from the next look on. */
  const lookUpSize = () => {
    if (isOther) stdout.columns = 99;
  };
  const output = new FrameOutput({ stdout: stdout as unknown as NodeJS.WriteStream, lookUpSize }, SIZE, "first");
  const { controller } = here.stage;
  output.open(controller.screen, new FrameWriter(), (error) => {
    throw error;
  });
  await here.clock.advance(1_000);
  return {
    here,
    output,
    written,
    changeSize: () => {
      isOther = true;
    },
    /** The rows of the terminal, with those in its history. */
    async rows(): Promise<readonly string[]> {
      await new Promise<void>((done) => terminal.write(written.splice(0).join("").replaceAll("\n", "\r\n"), done));
      const { active } = terminal.buffer;
      const rows = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? "");
      return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
    },
    /** A terminal that wraps no line again when its window becomes narrower: the frame is gone by then. */
    async resize(columns: number, rows: number) {
      output.adopt({ columns, rows });
      await this.rows();
      terminal.resize(columns, rows);
      controller.resize({ columns, rows });
      await here.clock.advance(1_000);
    },
    [Symbol.dispose]: () => {
      here[Symbol.dispose]();
      terminal.dispose();
    },
  };
}

test("rows are printed once, the frame stands below them, and the first write holds what was due before it", async () => {
  using screen = await shown();
  expect(screen.written[0]).toStartWith("first");
  for (const text of ["one", "two", "three"]) {
    screen.here.tell({ type: "row", row: { kind: "notice", level: "info", text } });
    await screen.here.clock.advance(1_000);
  }
  const rows = await screen.rows();
  expect(rows.filter((row) => /^· (?:one|two|three)$/.test(row))).toEqual(["· one", "· two", "· three"]);
  expect(rows.filter((row) => row.startsWith("›"))).toHaveLength(1);
  expect(rows.at(-1)).toContain("? for keys");
});

test("a window that becomes narrower gets one frame of its width", async () => {
  using screen = await shown();
  await screen.rows();
  await screen.resize(40, 12);
  const rows = await screen.rows();
  expect(rows.filter((row) => row.startsWith("───"))).toEqual(["─".repeat(40)]);
  expect(rows.filter((row) => row.includes("? for keys"))).toHaveLength(1);
});

test("a frame is not written into a window of another size, and its rows are printed with the next one", async () => {
  using screen = await shown();
  await screen.rows();
  screen.changeSize();
  screen.here.tell({ type: "row", row: { kind: "notice", level: "info", text: "one" } });
  await screen.here.clock.advance(1_000);
  expect(screen.written).toEqual([]);
  await screen.resize(70, 12);
  expect((await screen.rows()).filter((row) => row === "· one")).toHaveLength(1);
});

test("rows that were printed with the last frame are printed again on demand, before others", async () => {
  using screen = await shown();
  const tell = async (text: string) => {
    screen.here.tell({ type: "row", row: { kind: "notice", level: "info", text } });
    await screen.here.clock.advance(1_000);
  };
  await tell("one");
  await screen.rows();
  screen.output.printAgain(0, SIZE.columns);
  await tell("two");
  const written = await screen.rows();
  expect(written.filter((row) => row.startsWith("· "))).toEqual(["· one", "· one", "· two"]);
  // The first line of the frame before was no printed one.
  screen.output.printAgain(1, SIZE.columns);
  await tell("three");
  expect((await screen.rows()).filter((row) => row === "· two")).toHaveLength(2);
  // It was written where nothing was, so its first row is a printed one, which is in the history.
  screen.written.push(screen.output.eraseFrame());
  await tell("four");
  screen.output.printAgain(2, SIZE.columns);
  await tell("five");
  expect((await screen.rows()).filter((row) => row.startsWith("· f"))).toEqual(["· four", "· five"]);
});

test("another program gets a terminal without the frame, which is whole again afterwards", async () => {
  using screen = await shown();
  const before = await screen.rows();
  screen.output.suspend();
  expect((await screen.rows()).join("\n")).not.toContain("? for keys");
  screen.output.adopt(SIZE);
  expect(await screen.rows()).toEqual(before);
});

test("a text of the console stands above the frame, later if another program has the terminal", async () => {
  using screen = await shown();
  screen.output.print("a warning\u001b[2J\nof two lines");
  const rows = await screen.rows();
  expect(rows.filter((row) => row.includes("two lines") || row.includes("a warning"))).toHaveLength(2);
  expect(rows.filter((row) => row.includes("? for keys"))).toHaveLength(1);
  screen.output.suspend();
  await screen.rows();
  screen.output.print("late");
  expect(screen.written).toEqual([]);
  screen.output.adopt(SIZE);
  expect((await screen.rows()).join("\n")).toMatch(/^late\n[\s\S]*\? for keys/m);
});

test("at the end the latest frame stays, with a cursor below it", async () => {
  using screen = await shown();
  screen.output.end();
  expect(screen.written.join("")).toEndWith("\u001b[?25h");
  expect((await screen.rows()).at(-1)).toContain("? for keys");
  screen.here.tell({ type: "row", row: { kind: "notice", level: "info", text: "late" } });
  await screen.here.clock.advance(1_000);
  expect(screen.written).toEqual([]);
});
