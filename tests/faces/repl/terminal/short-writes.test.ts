import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { changedPart } from "../../../../src/faces/repl/terminal/changed-part.ts";
import { InkStdout } from "../../../../src/faces/repl/terminal/ink-stdout.ts";
import { insertedRows } from "../../../../src/faces/repl/terminal/inserted-rows.ts";
import { shortMoves } from "../../../../src/faces/repl/terminal/short-moves.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const [COLUMNS, ROWS] = [20, 8];

/** Each cell with its colours, and the cursor, after some writes. */
async function shown(...texts: readonly string[]) {
  const terminal = new Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, convertEol: true });
  for (const text of texts) await new Promise<void>((done) => terminal.write(text, done));
  const { active } = terminal.buffer;
  const cell = (row: number, column: number) => {
    const at = active.getLine(row)?.getCell(column);
    return `${at?.getChars() || " "}${at?.getFgColor()}${at?.isDim() ? "d" : ""}${at?.isBold() ? "b" : ""}`;
  };
  const rows = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) => cell(row, column)),
  );
  return { rows, x: active.cursorX, y: active.cursorY };
}

const STYLES = ["", "\u001b[2m", "\u001b[22m", "\u001b[38;5;215m", "\u001b[39m", "\u001b[1m"];

test("a line whose changed part is written looks like the whole next line", async () => {
  const { pick, chance } = seededRandom(14);
  let short = 0;
  for (let round = 0; round < 50; round += 1) {
    const styles = Array.from({ length: 12 }, () => pick(STYLES));
    const line = (text: string) =>
      `${Array.from(text, (sign, at) => (styles[at] ?? "") + sign).join("")}\u001b[22m\u001b[39m`;
    const before = Array.from({ length: 12 }, () => pick(["a", "─", "›", " "]));
    const after = before.map((sign) => (chance(0.2) ? pick(["b", "◐", "·"]) : sign));
    const part = changedPart(line(before.join("")), line(after.join("")), COLUMNS);
    if (part === undefined) continue;
    short += 1;
    const { rows } = await shown(line(before.join("")), part);
    expect(rows).toEqual((await shown(line(after.join("")))).rows);
  }
  expect(short).toBeGreaterThan(25);
});

test("a step of a spinner is a few bytes", () => {
  const line = (sign: string) => `\u001b[33m${sign}\u001b[39m writing ${"·".repeat(50)} default`;
  expect(changedPart(line("◐"), line("◓"), 80)).toBe("\u001b[1G\u001b[33m◓\u001b[39m");
});

test("text that streams is only appended, and looks like the whole next line", async () => {
  const [before, after] = ["\u001b[1mab\u001b[22m c", "\u001b[1mab\u001b[22m cd\u001b[2me\u001b[22m"];
  const part = changedPart(before, after, COLUMNS) ?? "";
  expect(part).toBe("\u001b[5Gd\u001b[2me\u001b[22m");
  expect((await shown(before, part)).rows).toEqual((await shown(after)).rows);
  expect(changedPart("ab", "ab\u0301", COLUMNS)).toBeUndefined();
  expect(changedPart("漢", "漢a", COLUMNS)).toBeUndefined();
});

test("the end of a frame that has grown is moved down, in the middle and at the bottom of the terminal", async () => {
  const end = ["", "────", "› typed"];
  const previous = ["top", "one", ...end, "1s", ""];
  const next = ["top", "one more", "two", "three", ...end, "2s", ""];
  const inserted = insertedRows(previous, next);
  expect(inserted?.lines).toEqual(["top", "one", "", "", ...end, "1s", ""]);
  for (const above of [0, 1, 5]) {
    const history = "x\n".repeat(above);
    const moved = await shown(history, previous.join("\n"), inserted?.sequence ?? "");
    const whole = await shown(history, (inserted?.lines ?? []).join("\n"));
    expect([moved.rows, moved.x, moved.y]).toEqual([whole.rows, whole.x, whole.y]);
  }
});

test("a frame is written as before if it gets shorter, or if little of it would move", () => {
  const frame = ["a", "", "b", "c", ""];
  expect(insertedRows(frame, frame.slice(1))).toBeUndefined();
  expect(insertedRows(frame, frame)).toBeUndefined();
  expect(insertedRows(frame, ["a", "x", "y", "z", "c", ""])).toBeUndefined();
  expect(insertedRows(frame, ["a", "x", "", "b", "c"])).toBeUndefined();
});

test.each([
  ["another start and length", "abd", "abcd"],
  ["other styles", "\u001b[1mab\u001b[0m", "\u001b[2mab\u001b[0m"],
  ["wide characters", "漢a", "漢b"],
])("a line with %s is left to Ink", (_, before, after) => {
  expect(changedPart(before, after, 80)).toBeUndefined();
});

/** Rows 1 to 5 of a frame, the cursor below them. */
const FRAME = "top\n1\n2\n3\n4\n5\n";
const up = (count: number) => `\u001b[${count}A`;

test.each([
  ["steps over unchanged lines", `${up(5)}\u001b[E\u001b[E\u001b[3Gx\n\u001b[E\u001b[E`],
  [
    "a return to the bottom first",
    `${up(3)}\u001b[3G\u001b[3B\u001b[1G${up(5)}\u001b[E\u001b[2Gx\n\u001b[E${up(2)}\u001b[3G`,
  ],
  ["a line feed that scrolls", "6\n7\n8\n\u001b[2A\u001b[4G"],
])("%s: fewer bytes move to the same place", async (_, text) => {
  expect(await shown(FRAME, shortMoves(text))).toEqual(await shown(FRAME, text));
});

test("movements are joined", () => {
  expect(
    shortMoves(`\u001b[2B\u001b[1G\u001b[7A\u001b[E\u001b[E\u001b[27Gab\n\u001b[E\u001b[E\u001b[2A\u001b[3G`),
  ).toBe("\u001b[3A\u001b[27Gab\u001b[1B\u001b[3G");
  expect(shortMoves("ab\n\u001b[2A\u001b[3G")).toBe("ab\n\u001b[2A\u001b[3G");
});

test("a frame is one write; only a large one is marked and hides the cursor", () => {
  const written: string[] = [];
  const terminal = { columns: 80, rows: 24, write: (text: string) => written.push(text) > 0 };
  const { stream } = new InkStdout(terminal as unknown as NodeJS.WriteStream, { columns: 80, rows: 24 }, "erase");
  const draw = (body: string) => {
    for (const part of ["\u001b[?2026h", `\u001b[?25l${body}\u001b[?25h`, "\u001b[?2026l"]) stream.write(part);
  };
  const large = "x".repeat(500);
  draw("first");
  draw("small");
  draw(large);
  stream.write("outside");
  expect(written).toEqual([
    "erase\u001b[?25lfirst\u001b[?25h",
    "small",
    `\u001b[?2026h\u001b[?25l${large}\u001b[?25h\u001b[?2026l`,
    "outside",
  ]);
});
