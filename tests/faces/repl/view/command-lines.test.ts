import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { commandLines } from "../../../../src/faces/repl/view/command-lines.ts";
import { reveal, revealLine } from "../../../../src/faces/repl/view/reveal.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const draw = (command: string, unclear: readonly string[] = [], columns = 20) =>
  commandLines(command, unclear, { theme: themeFor(0), columns });

describe("a command in question", () => {
  test("stands as it is where it fits", () => {
    expect(draw("ls -la\n  cd x")).toEqual(["ls -la", "  cd x"]);
  });

  test("says which rows are one line, so that no wrapped line passes for two commands", () => {
    expect(draw("echo 1234567890123456789\nrm x")).toEqual(["  echo 1234567890123", "┆ 456789", "  rm x"]);
  });

  test("has its unknown parts marked at the row and below it", () => {
    expect(draw('ls && eval "$X" && $cmd', ['eval "$X"', "$cmd"], 40)).toEqual([
      '▲ ls && eval "$X" && $cmd',
      "        ▲▲▲▲▲▲▲▲▲    ▲▲▲▲",
    ]);
  });

  test("has them underlined where there are styles, with the same rows but for the marks below", () => {
    const styled = commandLines("ls && $cmd x", ["$cmd"], { theme: themeFor(1), columns: 40 });
    expect(styled).toEqual(["\u001b[33m▲\u001b[39m ls && \u001b[33m\u001b[4m$cmd\u001b[24m\u001b[39m x"]);
  });

  test("has a part marked on each of its rows, wide characters and all", () => {
    expect(draw("漢字 $(漢字漢字漢字)", ["$(漢字漢字漢字)"], 14)).toEqual([
      "▲ 漢字 $(漢字",
      "       ▲▲▲▲▲▲",
      "┆ 漢字漢字)",
      "  ▲▲▲▲▲▲▲▲▲",
    ]);
  });

  test("is not marked as a whole, nor for words that are not in it", () => {
    expect(draw("eval x", ["eval x", "it runs what it is given", ""], 40)).toEqual(["eval x"]);
  });

  test("marks what overlaps once", () => {
    expect(draw("a $b c", ["$b", "a $b", "$b c"].slice(0, 2), 40)).toEqual(["▲ a $b c", "  ▲▲▲▲"]);
  });

  test("loses no character, at any width, with any marks", () => {
    const pieces = [
      "echo hi",
      "; rm -rf /",
      "\n",
      "漢字",
      "👨‍👩‍👧‍👦",
      "e\u0301",
      "\u202e",
      "\u200b",
      "\t",
      "   ",
      "$x",
      "`id`",
      "\u001b[8m",
    ];
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seededRandom(seed);
      const command = Array.from({ length: 1 + random.below(30) }, () => random.pick(pieces)).join("");
      const columns = 12 + random.below(60);
      const unclear = random.chance(0.5) ? [random.pick(pieces), random.pick(pieces)] : [];
      const rows = commandLines(command, unclear, { theme: themeFor(3), columns }).map(stripAnsi);
      const hasGutter = rows.some((row) => row.startsWith("▲ ") || row.startsWith("┆ "));
      // A mark ends a tab stop: blanks are compared only in that there are some.
      const shown = rows
        .map((row) => (hasGutter ? row.slice(2) : row))
        .join("")
        .replace(/ +/g, " ");
      expect({ seed, shown }).toEqual({ seed, shown: reveal(command).replaceAll("\n", "").replace(/ +/g, " ") });
      for (const row of rows) expect({ seed, row, fits: textWidth(row) <= columns }).toEqual({ seed, row, fits: true });
    }
  });

  test("of a megabyte is drawn in a moment", () => {
    const spent = cpuClock();
    const rows = draw("echo $y; ".repeat(120_000), ["$y"], 76);
    expect(rows.length).toBeGreaterThan(10_000);
    expect(spent()).toBeLessThan(1_000);
  });
});

describe("the text that a person judges", () => {
  test.each([
    ["\u202e", "⟨U+202E⟩"],
    ["\u200b", "⟨U+200B⟩"],
    ["\u200d", "⟨U+200D⟩"],
    ["\u200e", "⟨U+200E⟩"],
    ["\u00a0", "⟨U+00A0⟩"],
    ["\u3000", "⟨U+3000⟩"],
    ["\u2003", "⟨U+2003⟩"],
    ["\u00ad", "⟨U+00AD⟩"],
    ["\u3164", "⟨U+3164⟩"],
    ["\u2800", "⟨U+2800⟩"],
    ["\ufe0f", "⟨U+FE0F⟩"],
    ["\u{e0101}", "⟨U+E0101⟩"],
    ["\u{e0041}", "⟨U+E0041⟩"],
    ["\u001b", "␛"],
    ["\r", "␍"],
    ["\u0000", "␀"],
    ["\u0085", "⟨U+0085⟩"],
    ["\u2028", "⟨U+2028⟩"],
  ])("shows %j inside of a word", (hidden, shown) => {
    expect(reveal(`rm${hidden}x`)).toBe(`rm${shown}x`);
  });

  test("leaves emoji, accents and other scripts as they are", () => {
    const plain = "🛒 👨 ❤ 漢字かな e\u0301 עברית";
    expect(reveal(plain)).toBe(plain);
  });

  test("takes apart what terminals draw in different widths", () => {
    expect([reveal("👨‍👩"), reveal("❤️"), reveal("👩🏽"), reveal("🇩🇪"), reveal("🏴\u{e0067}\u{e007f}")]).toEqual([
      "👨⟨U+200D⟩👩",
      "❤⟨U+FE0F⟩",
      "👩⟨U+1F3FD⟩",
      "⟨U+1F1E9⟩⟨U+1F1EA⟩",
      "🏴⟨U+E0067⟩⟨U+E007F⟩",
    ]);
  });

  test("shows a line break where there is but one line", () => {
    expect(revealLine("a\nb")).toBe("a⏎b");
  });
});
