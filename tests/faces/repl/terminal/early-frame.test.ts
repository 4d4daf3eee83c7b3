import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { earlyFrame } from "../../../../src/faces/repl/terminal/early-frame.ts";
import { emptyFrame } from "../../../../src/faces/repl/view/live-frame.ts";
import { AppendOnly } from "../../../../src/protocol/transcript/append-only.ts";

const SIZE = { columns: 40, rows: 10 };

function snapshot(rows: readonly string[], lines: readonly string[]) {
  const printed = AppendOnly.of(...rows.map((text, key) => ({ key, text, isEcho: false })));
  return { printed, frame: { ...emptyFrame, lines, cursor: { x: 2, y: 1 } } };
}

const START = snapshot(["quoll\nsay what", ""], ["────", "› ", "default · main"]);

/** What a terminal shows that had one line before. */
async function shown(...texts: readonly string[]) {
  const terminal = new Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true });
  for (const text of ["$ quoll\r\n", ...texts]) await new Promise<void>((done) => terminal.write(text, done));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: SIZE.rows }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
  return {
    lines: lines.slice(0, lines.findLastIndex((line) => line !== "") + 1),
    x: active.cursorX,
    y: active.cursorY,
  };
}

test("rows and frame stand below the shell's line, the cursor in the prompt", async () => {
  const early = earlyFrame(START, SIZE);
  const lines = ["$ quoll", "quoll", "say what", "", "────", "› ", "default · main"];
  expect(await shown(early?.text ?? "")).toEqual({ lines, x: 2, y: 5 });
});

test("the erasing of an early frame leaves the shell's line alone", async () => {
  const early = earlyFrame(START, SIZE);
  expect(await shown(early?.text ?? "", early?.erase ?? "")).toEqual({ lines: ["$ quoll"], x: 0, y: 1 });
});

test("nothing is drawn that would scroll or wrap, because it could not be erased", () => {
  expect(earlyFrame(START, { columns: 40, rows: 6 })).toBeUndefined();
  expect(earlyFrame(START, { columns: 13, rows: 10 })).toBeUndefined();
  expect(earlyFrame({ ...START, frame: emptyFrame }, SIZE)).toBeUndefined();
});
