import { expect } from "bun:test";
import { graphemes } from "@quoll/terminal-text/graphemes";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import { spread, wrapIndented } from "../../../../src/faces/repl/view/layout.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

/** Joined emoji, flags, wide and marked letters, right-to-left and Indic scripts, styles. */
const PIECES = [
  ...["a", "bc", " ", "  ", "word", "-", "http://a.b/c", "…", "\u001b[31m", "\u001b[39m", "\u001b[1m", "\u001b[22m"],
  ...["👨‍👩‍👧‍👦", "👩🏽‍💻", "🇩🇪", "🇫🇷", "🏳️‍🌈", "❤️", "✈️", "✈︎", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "क\u200d"],
  ...["漢", "字", "かな", "ｱ", "Ａ", "한", "\u1112\u1161\u11ab", "é", "e\u0301\u0302"],
  ...["שלום", "\u05e9\u05b8\u05c1", "مرحبا", "ש\u200f", "नि", "क्षि", "ท", "กำ"],
] as const;
/** No grapheme of them is wider. */
const WIDEST = 3;

type Random = ReturnType<typeof seededRandom>;
const textOf = ({ pick, below }: Random) => Array.from({ length: 1 + below(9) }, () => pick(PIECES)).join("");
/** Wrapping composes letters and marks (NFC), which changes nothing that is seen. */
const bare = (text: string) => stripAnsi(text).normalize();
const withoutBlanks = (text: string) => text.replace(/\s/g, "");

seededTest(
  "no text is wider than asked after it was cut, wrapped or spread",
  { seed: 5, cases: { quick: 200, deep: 3_000 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const text = textOf(random);
      const columns = WIDEST + random.below(12);
      const told = JSON.stringify([text, columns]);
      const fits = (line: string, most = columns) => expect([told, textWidth(line) <= most]).toEqual([told, true]);
      for (const position of ["end", "middle", "start"] as const)
        fits(truncateText(text, 1 + random.below(14), position), 14);
      for (const position of ["end", "middle", "start"] as const) fits(truncateText(text, columns, position));
      for (const line of [...wrapText(text, columns), ...hardWrapText(text, columns)]) fits(line);
      for (const line of wrapIndented(text, 2 * columns)) fits(line, 2 * columns);
      fits(spread(text, "漢é", columns + 20), columns + 20);
      expect([told, textWidth(padText(text, columns)) >= columns]).toEqual([told, true]);
    }
  },
);

seededTest(
  "a cut is between graphemes, and wrapping loses and reorders none",
  { seed: 6, cases: { quick: 200, deep: 3_000 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const text = textOf(random);
      const columns = WIDEST + random.below(12);
      const told = JSON.stringify([text, columns]);
      const whole = graphemes(bare(text));
      const isWhole = (part: string) => graphemes(bare(part)).every((one) => one === "…" || whole.includes(one));
      const cut = truncateText(text, columns);
      expect([told, isWhole(cut), isWhole(truncateText(text, columns, "start"))]).toEqual([told, true, true]);
      if (cut !== text) expect([told, bare(text).startsWith(bare(cut).replace(/…$/, ""))]).toEqual([told, true]);
      const rows = [wrapText(text, columns), hardWrapText(text, columns)];
      for (const lines of rows) {
        expect([told, lines.every(isWhole)]).toEqual([told, true]);
        expect([told, withoutBlanks(bare(lines.join("")))]).toEqual([told, withoutBlanks(bare(text))]);
      }
      expect([told, bare(rows[1]?.join("") ?? "")]).toEqual([told, bare(text)]);
    }
  },
);
