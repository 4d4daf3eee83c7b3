import { expect, test } from "bun:test";
import { NARROW_SIGNS } from "@quoll/terminal-text/narrow-signs";
import sliceAnsi from "slice-ansi";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { bundle } from "../../scripts/compile.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { tempProject } from "../support/temp-project.ts";

const isNarrow = new RegExp(`^[${NARROW_SIGNS}]$`);
const SIGNS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  isNarrow.test(sign),
);

type Libraries = {
  tokenize(text: string): unknown;
  readonly slice: typeof sliceAnsi;
  readonly wrap: typeof wrapAnsi;
};

test("each sign that the build measures without string-width is one column wide there too", () => {
  expect(SIGNS.length).toBeGreaterThan(1_000);
  expect(SIGNS.filter((sign) => stringWidth(sign) !== 1)).toEqual([]);
});

test("texts of such signs are as wide as they are long, whatever stands beside what", () => {
  const { pick } = seededRandom(11);
  const texts = Array.from({ length: 2_000 }, () => Array.from({ length: 12 }, () => pick(SIGNS)).join(""));
  expect(texts.filter((text) => stringWidth(text) !== text.length)).toEqual([]);
});

test("the build's own count equals string-width's", async () => {
  await using place = await tempProject({ "package.json": '{ "type": "module" }' });
  const entry = await place.write("width.ts", `export { default } from "string-width";\n`);
  await bundle(entry, place.path("dist"));
  const { default: built } = (await import(place.path("dist/cli.js"))) as { default: typeof stringWidth };
  const texts = [
    "",
    "plain",
    "\u001b[1mbold\u001b[22m ─ ›",
    "漢字 \u001b[31mrot",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "\u009b1mC1",
    "a\tb",
    "\ufdd012\ufdd0",
    "\ue000",
    "\uf8ff\ue123",
  ];
  const widths = (count: typeof stringWidth) =>
    texts.map((text) => [
      count(text),
      count(text, { countAnsiEscapeCodes: true }),
      count(text, { ambiguousIsNarrow: false }),
    ]);
  expect(widths(built)).toEqual(widths(stringWidth));
});

test("Ink's libraries cut, wrap and read text in the build as without it", async () => {
  await using place = await tempProject({ "package.json": '{ "type": "module" }' });
  const from = (name: string) => JSON.stringify(Bun.resolveSync(name, import.meta.dir));
  // Ink brings this one.
  const tokenizer = Bun.resolveSync("@alcalzone/ansi-tokenize", Bun.resolveSync("ink", import.meta.dir));
  const { tokenize } = (await import(tokenizer)) as Libraries;
  const entry = await place.write(
    "cut.ts",
    `export { tokenize } from ${JSON.stringify(tokenizer)};
    export { default as slice } from ${from("slice-ansi")};
    export { default as wrap } from ${from("wrap-ansi")};`,
  );
  await bundle(entry, place.path("dist"));
  const built = (await import(place.path("dist/cli.js"))) as Libraries;
  const { pick, below } = seededRandom(5);
  const parts = [...SIGNS, "\n", "\u001b[1m", "\u001b[22m", "\u001b]8;;http://a\u0007", "\ufdd0", "\ue000"];
  const wide = ["漢", "👨‍👩‍👧‍👦", "e\u0301", "\r\n", "\u200d", "🇩🇪"];
  const texts = Array.from({ length: 600 }, (_, at) =>
    Array.from({ length: 1 + below(20) }, () => pick(at % 3 === 0 ? [...parts.slice(0, 40), ...wide] : parts)).join(""),
  );
  const all = (from: Libraries) =>
    texts.map((text) => [from.tokenize(text), from.slice(text, 1, 7), from.wrap(text, 5, { hard: true })]);
  expect(all(built)).toEqual(all({ tokenize, slice: sliceAnsi, wrap: wrapAnsi }));
});

test("wide and joined signs are left to string-width", () => {
  const others = ["漢", "한", "👍", "e\u0301", "✅", "◽", "\u200d", "\u00ad", "\t", "\u001b[1m", "🇩🇪", "क्षि"];
  expect(others.filter((text) => new RegExp(`^[${NARROW_SIGNS}]*$`).test(text))).toEqual([]);
});

test("Ink and its libraries count the columns of text with the same string-width as Quoll", async () => {
  const { packages } = await Bun.file(`${import.meta.dir}/../../package-lock.json`).json();
  const copies = Object.keys(packages).filter((path) => path.endsWith("node_modules/string-width"));
  expect(copies).toEqual(["node_modules/string-width"]);
});
