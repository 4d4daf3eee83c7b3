import { describe, expect, test } from "bun:test";
import { oneLine, revealedLine } from "../src/one-line.ts";
import { textWidth } from "../src/text-width.ts";
import { truncateText } from "../src/truncate-text.ts";

const FAMILY = "👨‍👩‍👧‍👦";

describe("a line of untrusted text", () => {
  test.each([
    ["plain words that are long", 10],
    ["漢字漢字漢字", 5],
    ["漢字漢字漢字", 6],
    ["e\u0301e\u0301e\u0301e\u0301", 3],
    [`${FAMILY}${FAMILY}${FAMILY}`, 4],
    ["🇩🇪🇫🇷🇮🇹", 3],
    ["कर्मभूमि कर्मभूमि", 7],
    ["ab", 1],
    ["ab", 2],
    ["", 3],
    ["ab", 0],
    ["x".repeat(100_000), 8],
    ["漢".repeat(100_000), 8],
  ] as const)("%j is cut at %i columns as styled text is, and is never wider", (text, columns) => {
    const line = oneLine(text, columns);
    expect([line, textWidth(line) <= columns]).toEqual([truncateText(text, columns), true]);
  });

  test("of marks alone is cut after a limited number of them", () => {
    expect(oneLine("\u0301".repeat(100_000), 2).length).toBeLessThan(1_000);
  });

  test("has no control characters, or shows them", () => {
    expect(oneLine("one\n\ttwo\u001b[31m red", 20)).toBe("one two red");
    expect(revealedLine("one\ntwo\u0007", 20)).toBe("one␊two␇");
  });
});
