import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { NO_PREVIEW } from "../../../../src/faces/repl/layers/ui-state.ts";
import { shiftedRows } from "../../../../src/faces/repl/terminal/shifted-rows.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const FIRST = "first!";

/** A frame below a history, in a window of xterm.js that then gets other sizes. @returns what the terminal has, and what we count. */
async function measured(seed: number, printed: number): Promise<{ readonly counted: number; readonly there: number }> {
  const random = seededRandom(seed);
  const size = () => ({ columns: 40 + random.below(81), rows: 10 + random.below(31) });
  const sizes = [size()];
  const [{ columns, rows } = { columns: 0, rows: 0 }] = sizes;
  const terminal = new Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const wide = () => random.pick([columns, columns, random.below(columns), 0, 20]);
  await write(Array.from({ length: printed }, () => `${"h".repeat(wide())}\r\n`).join(""));
  const lines = [FIRST, ...Array.from({ length: 2 + random.below(rows - 5) }, () => "x".repeat(wide()))];
  const y = lines.length - 1 - random.below(Math.min(3, lines.length));
  const cursor = random.chance(0.2) ? undefined : { x: random.pick([0, 2, 9]), y };
  const up = lines.length - (cursor?.y ?? lines.length);
  await write(`${lines.join("\r\n")}\r\n${up > 0 ? `\u001b[${up}A` : ""}\u001b[${(cursor?.x ?? 0) + 1}G`);
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const next = size();
    sizes.push(next);
    terminal.resize(next.columns, next.rows);
  }
  const { baseY, cursorY, length } = terminal.buffer.active;
  const texts = Array.from({ length }, (_, at) => terminal.buffer.active.getLine(at)?.translateToString(true));
  const there = baseY + cursorY - texts.indexOf(FIRST);
  const below = terminal.rows - 1 - cursorY;
  terminal.dispose();
  return { counted: shiftedRows({ lines, cursor, preview: NO_PREVIEW }, sizes, below), there };
}

test("the rows of a frame above the cursor are counted as xterm.js has them after any sizes", async () => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= 120; seed += 1) {
    const { counted, there } = await measured(seed, 80);
    if (counted !== there) wrong.push({ seed, counted, there });
  }
  expect(wrong).toEqual([]);
});

test("no more of them are counted than there are where little was printed before", async () => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= 40; seed += 1) {
    const { counted, there } = await measured(seed, seed % 30);
    if (counted > there) wrong.push({ seed, counted, there });
  }
  expect(wrong).toEqual([]);
});
