import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { AUTO_PALETTES } from "../../../../src/contracts/auto-palettes.ts";
import { FrameWriter, type WrittenFrame } from "../../../../src/faces/repl/terminal/frame-writer.ts";
import { filledRow, themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { longerInDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const [COLUMNS, ROWS] = [24, 24];
const SIZE = { columns: COLUMNS, rows: ROWS };
const RULE = "─".repeat(COLUMNS);
const PROMPT = ["", RULE, "› typed"];

/** A terminal below some lines of a shell, and what all of its rows are. */
function terminalBelow(above: number) {
  const terminal = new Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: 5_000,
    allowProposedApi: true,
    convertEol: true,
  });
  const write = (text: string) => new Promise<void>((done) => terminal.write(text, done));
  return {
    write,
    lower: (rows: number) => terminal.resize(COLUMNS, rows),
    ready: write("x\n".repeat(above)),
    cursor: () => ({
      x: terminal.buffer.active.cursorX,
      y: terminal.buffer.active.baseY + terminal.buffer.active.cursorY,
    }),
    rows: () => {
      const { active } = terminal.buffer;
      return Array.from(
        { length: active.length },
        (_, row) => active.getLine(row)?.translateToString(true).trimEnd() ?? "",
      );
    },
    /** The number of columns with a background, for each row. */
    filledColumns: () => {
      const { active } = terminal.buffer;
      return Array.from({ length: active.length }, (_, row) => {
        const line = active.getLine(row);
        const cells = Array.from({ length: COLUMNS }, (_, column) => line?.getCell(column)?.isBgDefault() !== true);
        return cells.filter(Boolean).length;
      });
    },
    [Symbol.dispose]: () => terminal.dispose(),
  };
}

longerInDeep(
  "frames that grow, shrink, change and print rows look as if each was written whole, at any height of the terminal",
  async (isWhole) => {
    const { pick, chance, below } = seededRandom(23);
    for (const above of [0, 4, ROWS]) {
      using terminal = terminalBelow(above);
      await terminal.ready;
      const writer = new FrameWriter();
      const printed = Array.from({ length: above }, () => "x");
      let text: string[] = [];
      for (let frame = 0; frame < (isWhole ? 150 : 50); frame += 1) {
        const settled: string[] = [];
        if (text.length > 4 || chance(0.2)) settled.push(...text.splice(0, 1 + below(5)), "");
        if (chance(0.05)) settled.push(...Array.from({ length: below(30) }, (_, at) => `printed ${at}`));
        if (chance(0.05)) text = text.slice(0, -1);
        const last = text.pop() ?? "";
        const isFull = Bun.stringWidth(last) > COLUMNS - 4;
        text.push(isFull ? "again" : `${last}${pick(["", " a", "\u001b[1mb\u001b[22m", "é漢"])}`);
        for (let added = below(3); added > 0; added -= 1) text.push(pick(["one", "two words", ""]));
        const rows = [...text, ...PROMPT, `${pick(["◐", "◓"])} ${frame}s`, ""];
        const cursor = chance(0.1) ? undefined : { x: below(9), y: rows.length - 3 };
        await terminal.write(writer.frame({ above: settled, rows, cursor }, SIZE));
        printed.push(...settled);
        const shown = [...printed, ...rows].map((line) => Bun.stripANSI(line).trimEnd());
        expect(terminal.rows().slice(0, shown.length)).toEqual(shown);
        expect(terminal.rows().slice(shown.length).join("")).toBe("");
        if (cursor) expect(terminal.cursor()).toEqual({ x: cursor.x, y: printed.length + cursor.y });
      }
    }
  },
);

longerInDeep(
  "the background of a row fills its row and no other, however rows are printed, moved and changed",
  async (isWhole) => {
    const { band } = themeFor(3, true, false, AUTO_PALETTES.dark);
    const { pick, chance, below } = seededRandom(31);
    using terminal = terminalBelow(3);
    await terminal.ready;
    const writer = new FrameWriter();
    const printed = ["x", "x", "x"];
    let text: string[] = [];
    for (let frame = 0; frame < (isWhole ? 200 : 70); frame += 1) {
      const settled = text.length > 6 || chance(0.2) ? text.splice(0, 1 + below(4)) : [];
      if (chance(0.3))
        text = text.map((row) => (chance(0.5) ? pick([filledRow(`row ${below(9)}`, band), "row 1", ""]) : row));
      if (chance(0.2)) text = text.slice(0, -1);
      for (let added = below(3); added > 0; added -= 1)
        text.push(
          pick([filledRow("› a prompt", band), filledRow("", band), filledRow("w".repeat(COLUMNS), band), "plain", ""]),
        );
      const rows = [...text, ...PROMPT, `${frame}s`, ""];
      await terminal.write(writer.frame({ above: settled, rows, cursor: { x: 2, y: rows.length - 3 } }, SIZE));
      printed.push(...settled);
      const shown = [...printed, ...rows];
      expect(terminal.rows().slice(0, shown.length)).toEqual(shown.map((line) => Bun.stripANSI(line).trimEnd()));
      const filled = shown.map((line) => (line.includes("\u001b[48") ? COLUMNS : 0));
      expect(terminal.filledColumns().slice(0, shown.length)).toEqual(filled);
      expect(
        terminal
          .filledColumns()
          .slice(shown.length)
          .every((count) => count === 0),
      ).toBe(true);
    }
  },
);

test("a window that became lower without a word neither loses nor moves a line", async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { below } = seededRandom(seed);
    using terminal = terminalBelow(ROWS);
    await terminal.ready;
    const writer = new FrameWriter();
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}.`);
    let settled = 0;
    for (let shown = 1; shown <= lines.length; shown += 1) {
      if (shown === 20) terminal.lower(ROWS - 1 - below(ROWS / 2));
      const above = shown - settled > 4 + below(10) ? lines.slice(settled, shown - 1) : [];
      settled += above.length;
      const rows = [...lines.slice(settled, shown), ...PROMPT, "status", "more status", ""];
      await terminal.write(writer.frame({ above, rows, cursor: { x: 2, y: rows.length - 4 } }, SIZE));
    }
    const shown = terminal.rows().filter((row) => row.startsWith("line"));
    expect([...new Set(shown)]).toEqual(lines);
  }
});

test("a frame for a wider window, which is narrower again by then, takes the rows that its lines wrap to", async () => {
  using terminal = terminalBelow(2);
  await terminal.ready;
  const writer = new FrameWriter();
  const frame = (columns: number) => {
    const rows = ["text", "", "─".repeat(columns), "› typed", `status${"at the edge".padStart(columns - 6)}`, ""];
    return writer.frame({ above: [], rows, cursor: { x: 2, y: 3 } }, { columns, rows: ROWS });
  };
  await terminal.write(frame(COLUMNS));
  // The program knows of another width already, or still.
  await terminal.write(frame(COLUMNS + 8));
  expect(terminal.rows().slice(0, 9)).toEqual([
    "x",
    "x",
    "text",
    "",
    RULE,
    "────────",
    "› typed",
    `status${" ".repeat(15)}at`,
    "the edge",
  ]);
});

test("an erased frame leaves nothing, and the frame after it begins in the same row", async () => {
  using terminal = terminalBelow(2);
  await terminal.ready;
  const writer = new FrameWriter();
  const frame = (...rows: readonly string[]): WrittenFrame => ({
    above: [],
    rows: [...rows, ""],
    cursor: { x: 1, y: 0 },
  });
  await terminal.write(writer.frame(frame("one", "two", "three"), SIZE));
  await terminal.write(writer.erase());
  expect(terminal.rows().join("")).toBe("xx");
  await terminal.write(writer.frame(frame("four", "five"), SIZE));
  await terminal.write(`${writer.leave()}after`);
  expect(terminal.rows().slice(0, 6)).toEqual(["x", "x", "four", "five", "after", ""]);
});

test("printed rows wider than the window wrap, and the frame stands below them", async () => {
  using terminal = terminalBelow(0);
  const writer = new FrameWriter();
  const rows = [...PROMPT, "status", ""];
  await terminal.write(writer.frame({ above: [], rows, cursor: undefined }, SIZE));
  await terminal.write(writer.frame({ above: ["w".repeat(30)], rows, cursor: undefined }, SIZE));
  expect(terminal.rows().slice(0, 6)).toEqual(["w".repeat(24), "w".repeat(6), "", RULE, "› typed", "status"]);
});

test("text that streams, and its printing where it stands, write little more than what is new", () => {
  const writer = new FrameWriter();
  const frame = (above: readonly string[], text: readonly string[]) =>
    writer.frame({ above, rows: [...text, ...PROMPT, "status", ""], cursor: { x: 2, y: text.length + 2 } }, SIZE)
      .length;
  frame([], ["● The first"]);
  expect(frame([], ["● The first words"])).toBeLessThan(20);
  expect(frame([], ["● The first words", "  and a row"])).toBeLessThan(45);
  expect(frame(["● The first words", "  and a row", ""], ["  next"])).toBeLessThan(45);
});

test("a frame of other rows marks the width of its window, with the cursor in its place, and a change of characters does not", async () => {
  using terminal = terminalBelow(3);
  await terminal.ready;
  const writer = new FrameWriter();
  const place = async (text: readonly string[]) => {
    const rows = [...text, ...PROMPT, ""];
    const written = writer.frame({ above: [], rows, cursor: { x: 2, y: text.length + 2 }, marksWidth: true }, SIZE);
    await terminal.write(written);
    return { isMarked: written.includes(`\u001b[${COLUMNS}G`), ...terminal.cursor() };
  };
  expect(await place(["a"])).toEqual({ isMarked: true, x: 2, y: 6 });
  expect(await place(["a", "b"])).toEqual({ isMarked: true, x: 2, y: 7 });
  expect(await place(["a", "bc"])).toEqual({ isMarked: false, x: 2, y: 7 });
});

test("only a large frame is marked and hides the cursor", () => {
  const writer = new FrameWriter();
  const large = Array.from({ length: 8 }, () => "x".repeat(70));
  const size = { columns: 80, rows: 24 };
  const small = writer.frame({ above: [], rows: ["small", ""], cursor: { x: 0, y: 0 } }, size);
  expect(small).not.toContain("\u001b[?");
  const marked = writer.frame({ above: [], rows: [...large, ""], cursor: { x: 0, y: 0 } }, size);
  expect(marked.startsWith("\u001b[?2026h\u001b[?25l")).toBe(true);
  expect(marked.endsWith("\u001b[?25h\u001b[?2026l")).toBe(true);
});

test("a panel covers printed rows, and when it closes they stand where they stood, whatever was printed and erased meanwhile", async () => {
  const { pick, chance, below } = seededRandom(41);
  for (const above of [0, 4, ROWS]) {
    using terminal = terminalBelow(above);
    await terminal.ready;
    const writer = new FrameWriter();
    const printed = Array.from({ length: above }, () => "x");
    const closed = [...PROMPT, "status", ""];
    const shown = () => [...printed, ...closed];
    for (let round = 0; round < 60; round += 1) {
      const settled = Array.from({ length: below(6) }, (_, at) => pick([`row ${round}.${at}`, "", "● said"]));
      if (chance(0.1)) settled.push(...Array.from({ length: 30 }, (_, at) => `many ${at}`));
      await terminal.write(writer.frame({ above: settled, rows: closed, cursor: { x: 2, y: 2 } }, SIZE));
      printed.push(...settled);
      expect(terminal.rows().slice(0, shown().length)).toEqual(shown());
      for (let frames = below(4); frames > 0; frames -= 1) {
        const during = chance(0.3) ? [`during ${round}.${frames}`, "and more"] : [];
        const height = 1 + below(ROWS - 3);
        const panel = ["", RULE, ...Array.from({ length: height }, (_, at) => `choice ${at}`)].slice(-(ROWS - 1));
        if (chance(0.1)) await terminal.write(writer.erase());
        const cursor = chance(0.5) ? { x: 0, y: 1 } : undefined;
        await terminal.write(writer.frame({ above: during, rows: [...panel, ""], cursor, isPanel: true }, SIZE));
        printed.push(...during);
        const there = terminal.rows();
        const end = there.findLastIndex((row) => row !== "");
        expect(there.slice(end + 1 - panel.length, end + 1)).toEqual(panel.map((row) => row.trimEnd()));
        if (cursor) expect(terminal.cursor()).toEqual({ x: 0, y: end + 2 - panel.length });
        // What is right above the panel is the newest of what was printed, as far as it is known.
        if (printed.length - above > ROWS && panel.length < ROWS - 1)
          expect(there[end - panel.length]).toBe(printed.at(-1) ?? "");
      }
      if (chance(0.1)) await terminal.write(writer.uncover());
      await terminal.write(writer.frame({ above: [], rows: closed, cursor: { x: 2, y: 2 } }, SIZE));
      expect(terminal.rows().slice(0, shown().length)).toEqual(shown());
      expect(terminal.rows().slice(shown().length).join("")).toBe("");
    }
  }
});

test("a panel leaves no blank rows below a conversation that fills the window", async () => {
  using terminal = terminalBelow(0);
  const writer = new FrameWriter();
  const closed = [...PROMPT, "status", ""];
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  await terminal.write(writer.frame({ above: lines, rows: closed, cursor: undefined }, SIZE));
  const before = terminal.rows();
  const panel = Array.from({ length: 15 }, (_, at) => `choice ${at}`);
  await terminal.write(writer.frame({ above: [], rows: [...panel, ""], cursor: undefined, isPanel: true }, SIZE));
  expect(terminal.rows().slice(-ROWS).slice(-18)).toEqual(["line 38", "line 39", ...panel, ""]);
  await terminal.write(writer.frame({ above: [], rows: closed, cursor: undefined }, SIZE));
  expect(terminal.rows()).toEqual(before);
});

test("a panel in place of the prompt covers the last rows, and those that a lower window moved away are not written again", async () => {
  using terminal = terminalBelow(0);
  const writer = new FrameWriter();
  const closed = [...PROMPT, "status", ""];
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of it`);
  await terminal.write(writer.frame({ above: lines, rows: closed, cursor: undefined }, SIZE));
  const before = terminal.rows();
  const panel = Array.from({ length: 15 }, (_, at) => `choice ${at}`);
  const rows = ["open text", ...panel, ""];
  await terminal.write(writer.frame({ above: [], rows, cursor: undefined, isPanel: true, openRows: 1 }, SIZE));
  const first = before.slice(-ROWS).slice(0, ROWS - panel.length - 1);
  expect(terminal.rows().slice(-ROWS)).toEqual([...first, ...panel, ""]);
  const widths = [first[0]?.length ?? 0, 5];
  expect(writer.moved(widths)).toEqual([]);
  writer.erase();
  const next = writer.frame({ above: [], rows: closed, cursor: undefined }, SIZE);
  expect(next).not.toContain(String(first[0]));
  expect(next).toContain(`${first[1]?.slice(5)}\n${lines.at(lines.indexOf(first[1] ?? "") + 1)}\n`);
});

test("a panel covers no row that takes two rows of the window", async () => {
  using terminal = terminalBelow(0);
  const writer = new FrameWriter();
  const closed = [...PROMPT, "status", ""];
  const lines = [...Array.from({ length: 30 }, (_, at) => `line ${at}`), "w".repeat(30), "the last"];
  await terminal.write(writer.frame({ above: lines, rows: closed, cursor: undefined }, SIZE));
  const panel = Array.from({ length: 20 }, (_, at) => `choice ${at}`);
  await terminal.write(writer.frame({ above: [], rows: [...panel, ""], cursor: undefined, isPanel: true }, SIZE));
  await terminal.write(writer.frame({ above: [], rows: closed, cursor: undefined }, SIZE));
  const wrapped = ["w".repeat(24), "w".repeat(6), "the last", ...closed];
  const shown = [...lines.slice(0, 30), ...wrapped];
  expect(terminal.rows().slice(0, shown.length)).toEqual(shown);
});
