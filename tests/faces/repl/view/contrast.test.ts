import { expect, test } from "bun:test";
import {
  backgroundOf,
  backgroundOfVariable,
  channelsOf256,
  colorCode,
  luminance,
  PALETTES,
  type RoleColor,
} from "../../../../src/contracts/palettes.ts";
import { THEME_ROLES } from "../../../../src/contracts/theme.ts";

/** The backgrounds that people use with a theme: black, the usual dark greys; white, the paper of Solarized. */
const BACKGROUNDS = { dark: ["#000000", "#1e1e1e", "#282c34"], light: ["#ffffff", "#fdf6e3"] } as const;

/** The contrast of WCAG 2.2, from 1 to 21. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [low = 0, high = 0] = [one, other]
    .map((channels) => luminance(channels.map((c) => c / 255)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const channelsOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

function shown(color: RoleColor, level: 2 | 3): readonly number[] {
  const codes = colorCode(color, level).split(";").map(Number);
  return codes[1] === 5 ? channelsOf256(codes[2] ?? 0) : codes.slice(2);
}

test("the contrast of black and white is 21", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2);
});

const { ansi: _, ...themes } = PALETTES;
test.each(Object.entries(themes))("every role of %s can be read on its backgrounds", (name, palette) => {
  const least = name.endsWith("high-contrast") ? 7 : 4.5;
  const tooWeak = THEME_ROLES.flatMap((role) =>
    ([2, 3] as const).flatMap((level) =>
      BACKGROUNDS[name.startsWith("dark") ? "dark" : "light"].flatMap((background) => {
        const color = palette[role];
        const ratio = color ? contrast(shown(color, level), channelsOf(background)) : 21;
        return ratio < least ? [`${role} at level ${level} on ${background}: ${ratio.toFixed(2)}`] : [];
      }),
    ),
  );
  expect(tooWeak).toEqual([]);
});

test("the colour-blind themes tell added and removed apart by blue and orange, not by green and red", () => {
  for (const { added, removed } of [PALETTES["dark-colorblind"], PALETTES["light-colorblind"]]) {
    const [blue = [], orange = []] = [added, removed].map((color) => (color ? shown(color, 3) : []));
    expect((blue[2] ?? 0) - (blue[0] ?? 0)).toBeGreaterThan(100);
    expect((orange[0] ?? 0) - (orange[2] ?? 0)).toBeGreaterThan(100);
  }
});

test.each([
  ["rgb:ffff/ffff/ffff", "light"],
  ["rgb:fdfd/f6f6/e3e3", "light"],
  ["rgb:1e/1e/1e", "dark"],
  ["rgba:0000/0000/0000/ffff", "dark"],
  ["#282c34", "dark"],
  ["?", undefined],
] as const)("a terminal that reports the background %s is %s", (reported, background) => {
  expect(backgroundOf(reported)).toBe(background);
});

test("COLORFGBG tells the background by its last number", () => {
  expect(["15;0", "0;default;15", "0;7", "12;8", "", undefined].map(backgroundOfVariable)).toEqual([
    ...(["dark", "light", "light", "dark"] as const),
    ...[undefined, undefined],
  ]);
});
