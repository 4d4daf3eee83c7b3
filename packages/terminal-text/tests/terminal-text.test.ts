// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about.
import { describe, expect, test } from "bun:test";
import { cpuClock } from "../../../tests/support/cpu-clock.ts";
import { graphemes, nextBoundary, previousBoundary, snapToBoundary } from "../src/graphemes.ts";
import { lastOverwrite, plainText, revealText, stripAnsi } from "../src/plain-text.ts";
import { textWidth } from "../src/text-width.ts";
import { padText, truncateText } from "../src/truncate-text.ts";
import { hardWrapText, sliceText, wrapText } from "../src/wrap-text.ts";

const FAMILY = "👨‍👩‍👧‍👦";
const ACCENTED = "é";

describe("width", () => {
  test.each([
    ["plain", 5],
    ["漢字", 4],
    [FAMILY, 2],
    [ACCENTED, 1],
    ["\u001b[31mred\u001b[39m", 3],
    ["🇩🇪", 2],
    ["", 0],
  ] as const)("of %j is %d columns", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("graphemes", () => {
  test("a joined emoji and a letter with its mark are one each", () => {
    expect(graphemes(`a${FAMILY}${ACCENTED}漢`)).toEqual(["a", FAMILY, ACCENTED, "漢"]);
  });

  test("boundaries are found forwards and backwards across lines", () => {
    const text = `a\n${FAMILY}b`;
    expect([0, 1, 2, 3].map((at) => nextBoundary(text, at))).toEqual([1, 2, 2 + FAMILY.length, 2 + FAMILY.length]);
    expect(previousBoundary(text, text.length)).toBe(text.length - 1);
    expect(previousBoundary(text, text.length - 1)).toBe(2);
    expect(previousBoundary(text, 2)).toBe(1);
    expect(previousBoundary(text, 0)).toBe(0);
  });

  test("an index within a grapheme snaps to its start", () => {
    expect(snapToBoundary(`x${FAMILY}`, 4)).toBe(1);
    expect(snapToBoundary(`x${FAMILY}`, 99)).toBe(1 + FAMILY.length);
    expect(snapToBoundary("abc", 2)).toBe(2);
  });

  test("every step forwards can be taken back, whatever the text", () => {
    for (const text of [`a${FAMILY}\n\n漢${ACCENTED}z`, "🇩🇪🇫🇷", "\n\n", "e\u0301\u0302\u0303x"]) {
      const stops = [0];
      while ((stops.at(-1) ?? 0) < text.length) stops.push(nextBoundary(text, stops.at(-1) ?? 0));
      const back = [text.length];
      while ((back.at(-1) ?? 0) > 0) back.push(previousBoundary(text, back.at(-1) ?? 0));
      expect(back.reverse()).toEqual(stops);
    }
  });
});

describe("wrapping", () => {
  test("breaks at spaces, then inside a word that is too long", () => {
    expect(wrapText("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapText("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    // An address is cut only where not even a separate line holds it.
    expect(wrapText("see http://a.bc/def", 15)).toEqual(["see", "http://a.bc/def"]);
    expect(wrapText("see http://a.bc/def", 10, 15)).toEqual(["see", "http://a.bc/def"]);
    expect(wrapText("see http://a.bc/def", 12)).toEqual(["see", "http://a.bc/", "def"]);
  });

  test("no line is wider than asked, wide characters included", () => {
    const text = `漢字かな交じり文 and ${FAMILY}${FAMILY} ${"x".repeat(50)} ${ACCENTED.repeat(30)}`;
    for (const columns of [2, 3, 7, 20, 41]) {
      for (const line of wrapText(text, columns)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      for (const line of hardWrapText(text, columns)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  test("code keeps its spaces", () => {
    expect(hardWrapText("    return   1;", 8)).toEqual(["    retu", "rn   1;"]);
  });

  test("a style is closed at the break and opened again", () => {
    const lines = wrapText("\u001b[31mone two\u001b[39m", 4);
    expect(lines.map(stripAnsi)).toEqual(["one", "two"]);
    for (const line of lines) expect(line).toMatch(/^\u001b\[31m.*\u001b\[39m$/);
  });

  test("a style that runs over a line break is closed there, too", () => {
    expect(wrapText("\u001b[1mone\ntwo\u001b[22m", 40)).toEqual(["\u001b[1mone\u001b[22m", "\u001b[1mtwo\u001b[22m"]);
    expect(wrapText("\u001b[31mred\u001b[39m plain\nstill \u001b[2mdim\u001b[0m\nnot", 40)).toEqual([
      "\u001b[31mred\u001b[39m plain",
      "still \u001b[2mdim\u001b[0m",
      "not",
    ]);
  });

  test("a slice keeps whole graphemes", () => {
    expect(sliceText("a漢b", 0, 3)).toBe("a漢");
  });
});

describe("truncating", () => {
  test("marks the place that was cut", () => {
    expect(truncateText("abcdefgh", 5)).toBe("abcd…");
    expect(truncateText("abcdefgh", 5, "middle")).toBe("ab…gh");
    expect(truncateText("abcdefgh", 5, "start")).toBe("…efgh");
    expect(truncateText("abc", 5)).toBe("abc");
    expect(truncateText("abc", 0)).toBe("");
  });

  test("a line of 1 MB is cut without being measured whole", () => {
    const line = "x".repeat(1_000_000);
    expect(truncateText(line, 10)).toBe(`${"x".repeat(9)}…`);
    expect(truncateText(line, 10, "start")).toBe(`…${"x".repeat(9)}`);
    expect(truncateText(line, 10, "middle")).toBe("xxxxx…xxxx");
  });

  test("padding counts columns, not characters", () => {
    expect(padText("漢", 4)).toBe("漢  ");
    expect(padText("ab", 4, "right")).toBe("  ab");
    expect(padText("abcde", 4)).toBe("abcde");
  });
});

describe("making text safe to print", () => {
  test.each([
    ["a colour", "\u001b[31mred\u001b[0m", "red"],
    ["a screen clear", "a\u001b[2J\u001b[Hb", "ab"],
    ["a window title", "\u001b]0;owned\u0007after", "after"],
    ["a hyperlink", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["a clipboard write", "\u001b]52;c;cm0gLXJm\u0007x", "x"],
    ["a device control string", "\u001bPq#0;2\u001b\\x", "x"],
    ["8-bit sequences", "\u009b31mred\u009d0;t\u009cx", "redx"],
    ["an unfinished string", "\u001b]0;never ends", "0;never ends"],
    ["a lone escape", "a\u001b", "a"],
    ["a reset", "\u001bcx", "x"],
    ["a charset switch", "\u001b(0x", "x"],
    ["bells and backspaces", "a\u0007b\u0008c", "abc"],
    ["carriage returns", "a\r\nb\rc", "a\nb\nc"],
    ["a bidi override", "x\u202ey", "x⟨U+202E⟩y"],
    ["a zero-width space", "x\u200by", "x⟨U+200B⟩y"],
    ["invisible tags", "x\u{e0041}", "x⟨U+E0041⟩"],
    ["half a pair", "x\ud800", "x\ufffd"],
    ["tabs", "a\tb", "a   b"],
    ["a sequence hidden in a sequence", "\u001b[\u001b[2J31mx", "31mx"],
  ])("%s", (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  test("meaningful characters stay: joined emoji, the flag of a region, other scripts", () => {
    const scotland = "🏴󠁧󠁢󠁳󠁣󠁴󠁿";
    const text = `${FAMILY} ${scotland} שלום ${ACCENTED} 漢`;
    expect(plainText(text)).toBe(text);
  });

  test("for any bytes, the output has no control character but the line feed", () => {
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    const alphabet = [
      "\u001b",
      "[",
      "]",
      "0",
      ";",
      "m",
      "\u0007",
      "\u009b",
      "\\",
      "P",
      "x",
      "\r",
      "\n",
      "\u202e",
      "\ud83d",
    ];
    for (let round = 0; round < 3_000; round += 1) {
      const text = Array.from({ length: next(14) }, () => alphabet[next(alphabet.length)]).join("");
      const bad = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
      expect(plainText(text)).not.toMatch(bad);
      expect(revealText(text)).not.toMatch(bad);
    }
  });

  test("revealing shows every control character instead of dropping it", () => {
    expect(revealText("rm x\u001b[8m -rf /\u001b[0m\r\u0007\u009b")).toBe("rm x␛[8m -rf /␛[0m␍␇⟨U+009B⟩");
  });

  test("a line that overwrote itself shows its last state", () => {
    expect(lastOverwrite("10%\r50%\r100%\r")).toBe("100%");
    expect(lastOverwrite("plain")).toBe("plain");
  });
});
test("a megabyte of sequences that never end is cleaned in no time", () => {
  for (const introducer of ["\u009d", "\u001b]", "\u0090", "\u009b"]) {
    const spent = cpuClock();
    expect(plainText(introducer.repeat(1_000_000 / introducer.length))).toBe("");
    expect(spent()).toBeLessThan(1_000);
  }
});
