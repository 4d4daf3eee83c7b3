import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { FrameWriter } from "../../../../src/faces/repl/terminal/frame-writer.ts";
import { pictureRows, pictureSize } from "../../../../src/faces/repl/terminal/picture-rows.ts";

const WINDOW = { columns: 80, rows: 24 };
const FRAME = ["", "rule", "prompt", "rule", "status"];
const PICTURE = { bytes: Buffer.from("the bytes of a picture".repeat(400)), width: 200, height: 100 };

test("a picture keeps its size if it fits, and its shape if it does not", () => {
  const sizeOf = (width: number, height: number, cell?: { width: number; height: number }) =>
    pictureSize({ width, height }, { ...WINDOW, cell });
  expect(sizeOf(200, 100)).toEqual({ columns: 20, rows: 5 });
  expect(sizeOf(1, 1)).toEqual({ columns: 2, rows: 1 });
  expect(sizeOf(1_600, 1_200)).toEqual({ columns: 21, rows: 8 });
  expect(sizeOf(100_000, 10)).toEqual({ columns: 76, rows: 1 });
  expect(sizeOf(10, 100_000)).toEqual({ columns: 1, rows: 8 });
  expect(sizeOf(200, 100, { width: 20, height: 20 })).toEqual({ columns: 10, rows: 5 });
  expect(pictureSize({ width: 10, height: 100_000 }, { columns: 80, rows: 100 }).rows).toBe(12);
});

test.each(["kitty", "iterm2"] as const)(
  "a picture by %s is drawn over blank rows, and what follows stands below them",
  async (protocol) => {
    // So few bytes that writing only what differs would be shorter.
    const rows = pictureRows({ ...PICTURE, bytes: Buffer.from("tiny") }, WINDOW, protocol);
    expect(rows.slice(0, -1)).toEqual(["", "", "", "", ""]);
    const terminal = new Terminal({ cols: 80, rows: 12, allowProposedApi: true, convertEol: true });
    const writer = new FrameWriter();
    const write = (above: readonly string[], frame: readonly string[]) =>
      new Promise<void>((done) =>
        terminal.write(
          writer.frame({ above, rows: [...frame, ""], cursor: { x: 1, y: 2 } }, { columns: 80, rows: 12 }),
          done,
        ),
      );
    await write([], FRAME);
    await write(["before", ...rows, "after"], FRAME);
    await write(["later"], FRAME);
    const { active } = terminal.buffer;
    const shown = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true));
    expect(shown).toEqual(["before", "", "", "", "", "", "", "after", "later", ...FRAME, ""]);
    expect(active.baseY + active.cursorY).toBe(11);
    terminal.dispose();
  },
);

test("the bytes of a picture arrive whole, in pieces that kitty takes, and nothing is answered", () => {
  const drawn = pictureRows(PICTURE, WINDOW, "kitty").at(-1) ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin and end with one.
  const pieces = Array.from(drawn.matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g), ([, keys = "", data = ""]) => ({
    keys,
    data,
  }));
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces[0]?.keys).toBe("a=T,f=100,q=2,C=1,c=20,r=5,m=1");
  expect(pieces.every(({ keys, data }) => keys.includes("q=2") && data.length <= 4_096)).toBe(true);
  expect(pieces.map(({ keys }) => /m=(\d)$/.exec(keys)?.[1]).join("")).toMatch(/^1+0$/);
  expect(Buffer.from(pieces.map(({ data }) => data).join(""), "base64").equals(PICTURE.bytes)).toBe(true);
});
