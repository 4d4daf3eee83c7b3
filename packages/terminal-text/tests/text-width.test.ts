import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { seededRandom } from "../../../tests/support/seeded-random.ts";
import { NARROW_SIGNS } from "../src/narrow-signs.ts";
import { textWidth } from "../src/text-width.ts";

const isNarrow = new RegExp(`^[${NARROW_SIGNS}]$`);
const SIGNS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  isNarrow.test(sign),
);

test("each sign that is counted without string-width is one column wide there too", () => {
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

test("the width of text with styles, links, broken sequences and wide signs equals string-width's", () => {
  const { pick, below } = seededRandom(5);
  const ordinary = ["a", "─", "›", "\u001b[1m", "\u001b[38;5;4m", "\u001b[22m", "\u001b]8;;http://a\u0007"];
  const broken = [
    "\u001b",
    "\u001b[",
    "1m",
    "\u001b]8;;",
    "\u0007",
    "\u001b\\",
    "\u009b1m",
    "\u009c",
    "\u001bP",
    "\u0085",
  ];
  const wide = ["漢", "👨‍👩‍👧‍👦", "e\u0301", "\u200d", "🇩🇪", "\t", "\ue000", "\ufdd0"];
  const kinds = [ordinary, [...ordinary, ...broken], [...ordinary, ...wide], [...ordinary, ...broken, ...wide]];
  const texts = Array.from({ length: 4_000 }, () => {
    const parts = pick(kinds);
    return Array.from({ length: below(12) }, () => pick(parts)).join("");
  });

  expect(texts.filter((text) => textWidth(text) !== stringWidth(text))).toEqual([]);
});

test("Ink and its libraries count the columns of text with the same string-width as Quoll", async () => {
  const { packages } = await Bun.file(`${import.meta.dir}/../../../package-lock.json`).json();
  const copies = Object.keys(packages).filter((path) => path.endsWith("node_modules/string-width"));
  expect(copies).toEqual(["node_modules/string-width"]);
});
