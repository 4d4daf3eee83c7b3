import { describe, expect, test } from "bun:test";
import { clipOutput, cutLine, MAX_LINE_CHARS } from "../../../../src/services/tools/bash/clip-output.ts";
import { completeEnd } from "../../../../src/services/tools/bash/collect-output.ts";
import { cleanOutput } from "../../../../src/services/tools/bash/output-text.ts";

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state % below;
  };
}

const LOG = "/tmp/some/folder/bash-0123abcd.log";

describe("clipping", () => {
  test("leaves output that fits unchanged", () => {
    expect(clipOutput({ head: "a\n\nb" }, 1_000, LOG)).toEqual({ text: "a\n\nb", isWhole: true });
    expect(clipOutput({ head: "" }, 1_000, LOG)).toEqual({ text: "", isWhole: true });
  });

  test("never exceeds its limit and keeps the first and the last line, whatever the text", () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const next = random(seed);
      const maxChars = 1_000 + next(30_000);
      const lines = Array.from(
        { length: 1 + next(400) },
        (_, at) => `${at}:${["é", "👍", "x", " "][next(4)]?.repeat(next(20) === 0 ? next(6_000) : next(80))}`,
      );
      const text = lines.join("\n");
      const clipped = clipOutput({ head: text }, maxChars, LOG);
      expect(clipped.text.length).toBeLessThanOrEqual(maxChars);
      expect(clipped.text.startsWith((lines[0] ?? "").slice(0, 100))).toBe(true);
      expect(clipped.text.includes(`${(lines.at(-1) ?? "").slice(-100)}`)).toBe(true);
      expect(clipped.isWhole).toBe(clipped.text === text);
      if (!clipped.isWhole) expect(clipped.text).toContain(LOG);
      expect(clipped.text.isWellFormed()).toBe(true);
    }
  });

  test("two ends of something larger stay within the limit and keep their outer lines", () => {
    for (let seed = 1; seed <= 80; seed += 1) {
      const next = random(seed);
      const maxChars = 1_000 + next(30_000);
      const end = (name: string) =>
        Array.from(
          { length: 1 + next(300) },
          (_, at) => `${name}${at} ${"y ".repeat(next(9) === 0 ? next(4_500) : next(30))}`,
        );
      const [head, tail] = [end("h"), end("t")];
      const { text, isWhole } = clipOutput(
        { head: head.join("\n"), tail: tail.join("\n"), gapBytes: 5_000_000 },
        maxChars,
        LOG,
      );
      expect(text.length).toBeLessThanOrEqual(maxChars);
      expect(text.startsWith("h0 ")).toBe(true);
      expect(text.endsWith((tail.at(-1) ?? "").slice(-50))).toBe(true);
      expect(text).toContain(`about 4.8 MiB left out; all of it: ${LOG}`);
      expect(isWhole).toBe(false);
    }
  });

  test("says how many lines are missing, exactly", () => {
    const { text } = clipOutput(
      { head: Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join("\n") },
      1_000,
      LOG,
    );
    const shown = text.split("\n").filter((line) => line.startsWith("line ")).length;
    expect(text).toContain(`[… ${1_000 - shown} lines (`);
  });

  test("cuts an over-long line in the middle and says by how much", () => {
    const line = `${"a ".repeat(1_500)}${"b ".repeat(1_500)}`;
    const cut = cutLine(line, MAX_LINE_CHARS);
    expect(cut.length).toBeLessThanOrEqual(MAX_LINE_CHARS);
    expect(cut).toMatch(/^[a ]+ …\[4000 characters left out\]… [b ]+$/);
    expect(clipOutput({ head: line }, 30_000, LOG)).toEqual({
      text: `${cut}\n[long lines were cut; all of it: ${LOG}]`,
      isWhole: false,
    });
  });

  test("refuses a limit without room for its notice", () => {
    expect(() => clipOutput({ head: "x" }, 999, LOG)).toThrow(RangeError);
    expect(() => clipOutput({ head: "x" }, 1_000, "p".repeat(500))).toThrow(RangeError);
  });
});

describe("cleaning", () => {
  test.each([
    ["plain text with tabs", "a\tb\nc", "a\tb\nc"],
    ["colours", "\x1b[1;31mred\x1b[0m \x1b[38;5;200mx\x1b[m", "red x"],
    ["cursor movements and a title", "\x1b]0;title\x07\x1b[2J\x1b[Hhi\x1b[?25l", "hi"],
    ["a link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["the last state of a progress line", "10%\r 50%\r100%\nnext", "100%\nnext"],
    ["a progress line that was wiped in the end", "10%\r100%\r    \rdone", "done"],
    ["Windows line ends", "a\r\nb\r\r\n", "a\nb\n"],
    ["backspaces", "a\ba bold\b\b\b\bgood", "a good"],
    ["the pages of pdftotext", "one\n\n\ftwo\n\f", "one\n\ntwo\n"],
    ["form feeds and vertical tabs within a line", "a\fb\v\vc \f\nd\f", "a\nb\nc \nd"],
    ["a form feed after a progress line", "1%\r2%\f\rdone", "2%\ndone"],
    ["escapes beside form feeds", "\x1b\f[31ma\x1b[3\f1mb\x1b]0;t\ft\x07c", "[31ma3\n1mbc"],
    ["bold and underlined words of nroff", "N\bNA\bA _\bi_\bt", "NA it"],
    ["the end of bold of a Linux console", "a\x1b[m\x0fb", "ab"],
    ["a bell and NUL", "a\x07b\0c", "ab␀c"],
    ["an unfinished escape", "a\x1b[31", "a31"],
    ["an unfinished title, which must not swallow the rest", "\x1b]0;never ends\nrest", "0;never ends\nrest"],
    ["a long run of junk", `a${"\x01".repeat(50)}b`, "a\ufffd\ufffd\ufffdb"],
  ])("%s", (_name, text, cleaned) => {
    expect(cleanOutput(text)).toBe(cleaned);
  });

  test("takes time linear in the text, also for hostile text", () => {
    const hostile = ["\x1b]", "\x1b[", "\x1b", "\r", "a\b", "\x1bP0", "\f", "a\v"]
      .map((piece) => piece.repeat(100_000))
      .join("\n");
    expect(cleanOutput(hostile).length).toBeLessThan(hostile.length);
  });
});

test("half a UTF-8 character at the end is seen, a whole one is not cut", () => {
  const bytes = new TextEncoder().encode("aé€👍");
  const ends = Array.from({ length: bytes.length }, (_, at) => completeEnd(bytes.subarray(0, at + 1)));
  expect(ends).toEqual([1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
});
