// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about.
import { expect, test } from "bun:test";
import { drawnLine } from "../src/drawn-line.ts";
import { textWidth } from "../src/text-width.ts";

const LINK = "\u001b]8;id=1;https://a.example\u0007a\u001b]8;;\u001b\\";

test.each(["plain", "\u001b[1mbold\u001b[22m \u001b[38:2::1:2:3mred\u001b[39m", LINK, "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 e\u0301 日本 ❤️ नि"])(
  "%j stays as it is",
  (line) => {
    expect(drawnLine(line)).toBe(line);
  },
);

test.each([
  ["Donau\u00addampf", "Donaudampf"],
  ["[a\u3164\u115f\uffa0b]", "[ab]"],
  ["[a\u202eb\u200f\u200b\ufeff]", "[ab]"],
  ["\u001b[2Ja\u001b[1;1Hb\u009b2J", "[2Ja[1;1Hb2J"],
  ["a\u0007\u0000\r\nb\u001b", "ab"],
  [`\u001b[1mx\u00ad\u001b[22m${LINK}\u200b`, `\u001b[1mx\u001b[22m${LINK}`],
])("%j is drawn as %j", (line, drawn) => {
  expect(drawnLine(line)).toBe(drawn);
});

test("no character of the Basic Multilingual Plane that takes no column stays, but marks and joiners", () => {
  const left: string[] = [];
  for (let code = 0; code < 0x10000; code += 1) {
    const sign = String.fromCharCode(code);
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const drawn = drawnLine(sign);
    expect(textWidth(drawn)).toBe(textWidth(sign));
    if (textWidth(sign) === 0 && drawn !== "" && !/[\p{M}\u200c\u200d]/u.test(sign)) left.push(code.toString(16));
  }
  expect(left).toEqual([]);
});
