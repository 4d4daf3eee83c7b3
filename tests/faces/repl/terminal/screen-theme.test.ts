import { expect, test } from "bun:test";
import { autoPalette } from "../../../../src/contracts/auto-palettes.ts";
import { paletteOf } from "../../../../src/contracts/palettes.ts";
import { ScreenTheme } from "../../../../src/faces/repl/terminal/screen-theme.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";

const terminal = { colorLevel: 3, background: "dark" } as const;
const bandOf = (theme: ScreenTheme) => theme.current.band("x");

test("the band is one step off the background that the terminal reports", () => {
  const theme = new ScreenTheme(terminal, undefined, { paletteOf });
  const before = bandOf(theme);
  theme.report({ about: "background", color: "rgb:2828/2c2c/3434" });
  expect(bandOf(theme)).not.toBe(before);
  theme.report({ about: "background", color: "rgb:ffff/ffff/ffff" });
  expect(bandOf(theme)).toBe("\u001b[48;2;237;237;237mx\u001b[49m");
});

test("after a report of another scheme, the colour of the old background counts no more", () => {
  const theme = new ScreenTheme(terminal, undefined, { paletteOf });
  const dark = bandOf(theme);
  theme.report({ about: "background", color: "rgb:2828/2c2c/3434" });
  const reported = bandOf(theme);
  theme.report({ about: "scheme", scheme: "dark" });
  expect(bandOf(theme)).toBe(reported);
  theme.report({ about: "scheme", scheme: "light" });
  theme.report({ about: "scheme", scheme: "dark" });
  expect(bandOf(theme)).toBe(dark);
});

test("a report that changes nothing keeps the theme, and with it the text that was drawn in it", () => {
  const theme = new ScreenTheme(terminal, undefined, { paletteOf });
  theme.report({ about: "background", color: "rgb:2828/2c2c/3434" });
  const { current } = theme;
  theme.report({ about: "background", color: "rgb:2828/2c2c/3434" });
  expect(theme.current).toBe(current);
});

test("the terminal's answer counts more than COLORFGBG, which counts more than the answer of an earlier start", () => {
  const { colorLevel } = terminal;
  const accent = (background?: "dark" | "light") => themeFor(3, true, false, autoPalette(background)).accent("x");
  const theme = new ScreenTheme({ colorLevel, background: "dark", colorFgBg: "0;15" }, undefined);
  expect(theme.current.accent("x")).toBe(accent("light"));
  theme.report({ about: "background", color: "#000000" });
  expect(theme.current.accent("x")).toBe(accent("dark"));
  expect(new ScreenTheme(terminal, undefined).current.accent("x")).toBe(accent("dark"));
  expect(new ScreenTheme({ colorLevel }, undefined).current.accent("x")).toBe(accent());
});

test("a late answer takes the colours for an unknown background away", () => {
  const { colorLevel } = terminal;
  const theme = new ScreenTheme({ colorLevel }, undefined, { paletteOf });
  expect(theme.current.onTints).toBeDefined();
  theme.report({ about: "background", color: "#ffffff" });
  expect(theme.current.onTints).toBeUndefined();
  expect(bandOf(theme)).toBe("\u001b[48;2;237;237;237mx\u001b[49m");
});
