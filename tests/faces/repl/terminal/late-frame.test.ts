import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { NO_PREVIEW } from "../../../../src/faces/repl/layers/ui-state.ts";
import { FrameWriter } from "../../../../src/faces/repl/terminal/frame-writer.ts";
import { lateRows, lateSize, toMarkedColumn } from "../../../../src/faces/repl/terminal/late-frame.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const FIRST = "first!";

type Random = ReturnType<typeof seededRandom>;

/** Rows of text, of which the first is known, a prompt between rules, and a row below it. */
function frameOf(random: Random, texts: readonly string[], columns: number) {
  const status = "s".repeat(random.pick([10, columns]));
  const rows = [...texts, "", "─".repeat(columns), "› ", status, ""];
  return { rows, cursor: { x: 2, y: texts.length + 2 } };
}

/** A frame that is on its way to xterm.js while its window gets another size. @returns what the terminal has, and what we count. */
async function measured(seed: number, printed = 80) {
  const random = seededRandom(seed);
  const drawn = { columns: 60 + random.below(61), rows: 16 + random.below(25) };
  const now = { columns: 40 + random.below(81), rows: 14 + random.below(27) };
  const terminal = new Terminal({ cols: drawn.columns, rows: drawn.rows, scrollback: 1_000, allowProposedApi: true });
  const write = (text: string) =>
    new Promise<void>((resolve) => terminal.write(text.replaceAll("\n", "\r\n"), resolve));
  await write("h\n".repeat(printed));
  const writer = new FrameWriter();
  const text = () => "x".repeat(1 + random.below(drawn.columns));
  const texts = [FIRST, ...random.some(3, text)];
  const before = frameOf(random, texts, drawn.columns);
  const frame = (next: ReturnType<typeof frameOf>, above: readonly string[] = []) =>
    writer.frame({ ...next, above, marksWidth: true }, drawn);
  await write(frame(before));
  const grown = [...texts, ...random.some(4, text)];
  const begun = random.below(grown.length);
  const after = frameOf(random, grown.slice(begun), drawn.columns);
  const lines = before.rows.slice(0, -1);
  const written = {
    before: { lines, cursor: writer.cursor, preview: NO_PREVIEW },
    text: frame(after, grown.slice(0, begun)),
  };
  const isLate = random.chance(0.8);
  if (!isLate) await write(written.text);
  terminal.resize(now.columns, now.rows);
  if (isLate) await write(written.text);
  const { baseY, cursorX, cursorY, length } = terminal.buffer.active;
  const all = Array.from({ length }, (_, at) => terminal.buffer.active.getLine(at)?.translateToString(true));
  const there = baseY + cursorY - all.indexOf(FIRST);
  const painted = { lines: after.rows.slice(0, -1), cursor: after.cursor, preview: NO_PREVIEW };
  const sizes = [drawn, now] as const;
  const late = lateSize(painted, sizes, cursorX + 1);
  const counted = late && lateRows(painted, written, sizes, now.rows - 1 - cursorY);
  const isNarrower = isLate && now.columns < drawn.columns;
  terminal.dispose();
  return { isMarked: grown.length > texts.length, isNarrower, late, counted, there };
}

test("a frame is known as late if it was written after the window had become narrower, and not otherwise", async () => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= 120; seed += 1) {
    const { isMarked, isNarrower, late } = await measured(seed);
    if (isNarrower !== (late !== undefined) && (isMarked || !isNarrower)) wrong.push({ seed, isNarrower, late });
  }
  expect(wrong).toEqual([]);
});

test("the rows of a late frame and of the one that it was written over are counted as xterm.js has them", async () => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= 200; seed += 1) {
    const { counted, there } = await measured(seed);
    if (counted !== undefined && counted !== there) wrong.push({ seed, counted, there });
  }
  expect(wrong).toEqual([]);
});

test("no more of them are counted than there are where little was printed before", async () => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= 60; seed += 1) {
    const { counted, there } = await measured(seed, seed % 30);
    if (counted !== undefined && counted > there) wrong.push({ seed, counted, there });
  }
  expect(wrong).toEqual([]);
});

test.each([0, 1, 38, 39, 45])(
  "a frame with a mark leaves the cursor in column %d, or in the last one before it",
  async (x) => {
    const terminal = new Terminal({ cols: 40, rows: 5, allowProposedApi: true });
    const text = toMarkedColumn(`text\u001b[${x + 1}G`, x, 40);
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    expect(terminal.buffer.active.cursorX).toBe(Math.min(x, 39));
  },
);
