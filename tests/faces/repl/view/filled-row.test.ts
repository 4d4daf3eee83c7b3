import { expect, test } from "bun:test";
import { drawnLine } from "@quoll/terminal-text/drawn-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { Terminal } from "@xterm/headless";
import { UNKNOWN_BACKGROUND } from "../../../../src/contracts/auto-palettes.ts";
import { PALETTES } from "../../../../src/contracts/palettes.ts";
import { diffLines } from "../../../../src/faces/repl/view/diff-lines.ts";
import { filledRow, themeFor } from "../../../../src/faces/repl/view/theme.ts";

const theme = themeFor(3, true, false, PALETTES.dark);

/** A terminal of ten columns in which rows were printed. */
async function printed(...rows: readonly string[]): Promise<Terminal> {
  const terminal = new Terminal({ cols: 10, rows: 6, allowProposedApi: true, convertEol: true });
  await new Promise<void>((done) => terminal.write(`${rows.join("\n")}\nend`, done));
  return terminal;
}

function backgrounds(terminal: Terminal, row: number): readonly string[] {
  const line = terminal.buffer.active.getLine(row);
  return Array.from({ length: terminal.cols }, (_, column) => {
    const cell = line?.getCell(column);
    return cell?.isBgRGB() ? `#${cell.getBgColor().toString(16)}` : "none";
  });
}

/** The colours of the first characters of a row. */
function foregrounds(terminal: Terminal, row: number, count: number): readonly string[] {
  const line = terminal.buffer.active.getLine(row);
  return Array.from({ length: count }, (_, column) => {
    const cell = line?.getCell(column);
    if (cell?.isFgPalette()) return String(cell.getFgColor());
    return cell?.isFgRGB() ? `#${cell.getFgColor().toString(16)}` : "none";
  });
}

/** The rows of the screen without the blanks that the terminal keeps for erased cells. */
function texts(terminal: Terminal): readonly string[] {
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
}

test("a background reaches the right edge of the window, ends with its row and leaves no blanks in a copy", async () => {
  const terminal = await printed(filledRow("› hi", theme.band), "plain");
  expect(backgrounds(terminal, 0)).toEqual(new Array(10).fill("#363636"));
  expect(backgrounds(terminal, 1)).toEqual(new Array(10).fill("none"));
  expect(texts(terminal).slice(0, 3)).toEqual(["› hi", "plain", "end"]);
});

test("a filled row of the window's width keeps its last character", async () => {
  const terminal = await printed(filledRow("0123456789", theme.band));
  expect(texts(terminal)[0]).toBe("0123456789");
  // xterm.js keeps it in any case; xterm erases the last character behind which the cursor waits.
  expect(filledRow("ab", theme.band)).toContain("\u001b[Kab");
});

test("a filled row is not wrapped when the window gets narrower", async () => {
  const terminal = await printed(filledRow("› hi", theme.band), filledRow("", theme.band));
  terminal.resize(6, 6);
  expect(texts(terminal).slice(0, 3)).toEqual(["› hi", "", "end"]);
});

test("the background of a row continues after a changed word", async () => {
  const terminal = await printed(filledRow(`a ${theme.addedWord("bc")} d`, theme.addedTint));
  const { addedTint: row, addedWord: word } = { addedTint: "#1a3322", addedWord: "#1d4a29" };
  expect(backgrounds(terminal, 0)).toEqual([row, row, word, word, row, row, row, row, row, row]);
});

test("a filled row in a column takes blanks up to its width", () => {
  expect(filledRow("ab", theme.addedTint, 4)).toBe(theme.addedTint("ab  "));
});

test("a filled row is measured and cut by its text, and drawing keeps its background", () => {
  const row = filledRow("0123456789", theme.band);
  expect(textWidth(row)).toBe(10);
  expect(drawnLine(row)).toBe(row);
  expect(truncateText(row, 10)).toBe(row);
  expect(textWidth(truncateText(row, 5))).toBe(5);
});

test.each([
  ["no colours", 0, PALETTES.dark],
  ["16 colours", 1, PALETTES.dark],
  ["the terminal's own colours", 3, PALETTES.ansi],
] as const)("with %s, rows have no background and changed words are underlined", (_, level, palette) => {
  const plain = themeFor(level, true, false, palette);
  for (const paint of [plain.band, plain.addedTint, plain.removedTint]) expect(filledRow("x", paint)).toBe("x");
  expect(plain.addedWord("x")).toBe(plain.underline("x"));
});

test("on an unknown background, every text on a row has a colour, between code and changed words too", async () => {
  const unknown = themeFor(3, true, false, UNKNOWN_BACKGROUND);
  const { code } = unknown.onTints ?? unknown;
  const words = `a${code.string(`"${unknown.addedWord("b")}"`)} c`;
  const terminal = await printed(filledRow(words, unknown.addedTint), filledRow("hi", unknown.band), "plain");
  const [text, string] = ["#e4e4e4", "116"];
  expect(foregrounds(terminal, 0, 6)).toEqual([text, string, string, string, text, text]);
  expect(backgrounds(terminal, 0)[2]).toBe("#1d4a29");
  expect(foregrounds(terminal, 1, 2)).toEqual([text, text]);
  expect(foregrounds(terminal, 2, 5)).toEqual(new Array(5).fill("none"));
});

test.each([0, 1] as const)("on an unknown background, rows have no background at colour level %i", (level) => {
  const plain = themeFor(level, true, false, UNKNOWN_BACKGROUND);
  for (const paint of [plain.band, plain.addedTint, plain.removedTint]) expect(filledRow("x", paint)).toBe("x");
  expect(plain.onTints).toBeUndefined();
});

test("with 256 colours, rows of a dark diff are grey with their numbers in colour, and changed words are underlined", () => {
  const indexed = themeFor(2, true, false, PALETTES.dark);
  expect(indexed.addedTint("x")).toBe("\u001b[48;5;236mx\u001b[49m");
  expect(indexed.removedTint("x")).toBe("\u001b[48;5;236mx\u001b[49m");
  expect(indexed.removedWord("x")).toBe(indexed.underline("x"));
  const row = { oldStart: 7, newStart: 7, lines: [{ kind: "added", text: "x" }] } as const;
  expect(diffLines([row], { theme: indexed, columns: 20 })[0]).toContain(`${indexed.added("7")} `);
});
