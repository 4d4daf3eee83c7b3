import { expect, test } from "bun:test";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { lineMatches, markMatches, searchPattern } from "../../../../src/faces/repl/viewer/search-pattern.ts";

const ESC = "\u001b[";
const pattern = searchPattern("needle");
if (!pattern) throw new Error("There are words.");

test("a match stands out in the accent colour, whatever the colour and weight of the text, which go on behind it", () => {
  const theme = themeFor(3);
  const [open = "", close = ""] = theme.inverse(theme.accent("x")).split("x");
  const line = `${ESC}2m${ESC}38;5;111ma needle here${ESC}39m${ESC}22m needle`;
  expect(markMatches(line, pattern, theme, false)).toBe(
    `${ESC}2m${ESC}38;5;111ma ${ESC}22m${open}needle${close}${ESC}38;5;111m${ESC}2m here${ESC}39m${ESC}22m ${open}needle${close}`,
  );
});

test("the match to which the search has come is bold and underlined too", () => {
  const theme = themeFor(3);
  const current = theme.inverse(theme.accent(theme.strong(theme.underline("needle"))));
  expect(markMatches("a needle", pattern, theme, true)).toBe(`a ${current}`);
});

test("without colour, matches are turned around", () => {
  expect(markMatches("a needle", pattern, themeFor(0, true), false)).toBe(`a ${ESC}7mneedle${ESC}27m`);
  expect(lineMatches(pattern, markMatches("a NEEDLE", pattern, themeFor(0, true), true))).toBe(true);
});

test("on a band, the accent colour is that of the band", () => {
  const theme = themeFor(3);
  const onTints = { ...theme, accent: (text: string) => `${ESC}34m${text}${ESC}39m` };
  const marked = markMatches(`${ESC}48;2;1;2;3mneedle${ESC}49m needle`, pattern, { ...theme, onTints }, false);
  expect(marked).toContain(`${ESC}48;2;1;2;3m${ESC}7m${ESC}34mneedle`);
  expect(marked.endsWith(theme.inverse(theme.accent("needle")))).toBe(true);
});
