import { expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import { Terminal } from "@xterm/headless";
import { wholeWords } from "../../../../src/faces/repl/plain/whole-words.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

test("blanks fill the row before a word that does not fit, and a line that fits stays as it is", () => {
  expect(wholeWords("Notice: Type what", 12)).toBe("Notice: Type what");
  expect(wholeWords("Notice: Write it", 12)).toBe("Notice:     Write it");
  expect(wholeWords("Notice: Type", 12)).toBe("Notice: Type");
});

test("a word that is wider than the window begins where it would, and the next word is whole", () => {
  const filled = "Folder: /a/very/long/path is        replaced!";
  expect(wholeWords("Folder: /a/very/long/path is replaced!", 12)).toBe(filled);
});

test("no row begins with a word that looks like the role of an event", () => {
  expect(wholeWords("Quoll: some words Question: Run it?", 17)).toBe("Quoll: some      words Question:  Run it?");
});

seededTest(
  "no reader of rows hears half of a word, and the terminal has one line",
  { seed: 3, cases: { quick: 20, deep: 500 } },
  async (seed, cases) => {
    const random = seededRandom(seed);
    for (let round = 0; round < cases; round += 1) {
      const columns = 12 + random.below(30);
      const words = random.some(30, () => random.some(14, () => random.pick(["a", "b", "漢", "é"])).join(""));
      const line = words.join(random.pick([" ", "  "]));
      const xterm = new Terminal({ cols: columns, rows: 60, allowProposedApi: true });
      await new Promise<void>((resolve) => xterm.write(wholeWords(line, columns), resolve));
      const rows = Array.from({ length: xterm.buffer.active.cursorY + 1 }, (_, at) => xterm.buffer.active.getLine(at));
      expect({ seed, round, isOne: rows.slice(1).every((row) => row?.isWrapped) }).toMatchObject({ isOne: true });
      const heard = rows.flatMap((row) => row?.translateToString(true).split(" ") ?? []).filter((word) => word !== "");
      expect({ seed, round, text: heard.join("") }).toEqual({ seed, round, text: words.join("") });
      const isWide = words.some((word) => textWidth(word) > columns);
      if (!isWide) expect({ seed, round, heard }).toEqual({ seed, round, heard: words.filter((word) => word !== "") });
    }
  },
);
