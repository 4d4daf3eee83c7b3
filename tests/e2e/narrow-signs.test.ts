import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { NARROW_SIGNS } from "../../scripts/compile.ts";
import { seededRandom } from "../support/seeded-random.ts";

const isNarrow = new RegExp(`^[${NARROW_SIGNS}]$`);
const SIGNS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  isNarrow.test(sign),
);

test("each sign that the build measures without string-width is one column wide there too", () => {
  expect(SIGNS.length).toBeGreaterThan(1_000);
  expect(SIGNS.filter((sign) => stringWidth(sign) !== 1)).toEqual([]);
});

test("texts of such signs are as wide as they are long, whatever stands beside what", () => {
  const { pick } = seededRandom(11);
  const texts = Array.from({ length: 2_000 }, () => Array.from({ length: 12 }, () => pick(SIGNS)).join(""));
  expect(texts.filter((text) => stringWidth(text) !== text.length)).toEqual([]);
});

test("wide and joined signs are left to string-width", () => {
  const others = ["漢", "한", "👍", "e\u0301", "✅", "◽", "\u200d", "\u00ad", "\t", "\u001b[1m", "🇩🇪", "क्षि"];
  expect(others.filter((text) => new RegExp(`^[${NARROW_SIGNS}]*$`).test(text))).toEqual([]);
});
