import { expect, test } from "bun:test";
import { UNKNOWN_BACKGROUND } from "../../../../src/contracts/auto-palettes.ts";
import { backgroundOf, backgroundOfVariable, luminance } from "../../../../src/contracts/background.ts";
import { channelsOf256, colorCode, type RoleColor } from "../../../../src/contracts/color-code.ts";
import { PALETTES, paletteOf } from "../../../../src/contracts/palettes.ts";
import {
  CODE_ROLES,
  TEXT_ROLES,
  type TextRole,
  type ThemeChoice,
  TINT_ROLES,
  type TintRole,
} from "../../../../src/contracts/theme.ts";

/** The backgrounds that people use with a theme: black, the usual dark greys; white, the paper of Solarized. */
const BACKGROUNDS = { dark: ["#000000", "#1e1e1e", "#282c34"], light: ["#ffffff", "#fdf6e3"] } as const;

/** The texts that stand on each background beside code and text without a role. */
const MARKS: Readonly<Record<TintRole, readonly TextRole[]>> = {
  band: ["accent", "dim"],
  addedTint: ["added", "dim"],
  removedTint: ["removed", "dim"],
  addedWord: [],
  removedWord: [],
};

/** The contrast of WCAG 2.2, from 1 to 21. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [low = 0, high = 0] = [one, other]
    .map((channels) => luminance(channels.map((c) => c / 255)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const channelsOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

function shown(color: RoleColor | undefined, level: 2 | 3): readonly number[] {
  if (!color) throw new Error("The role has no colour.");
  const codes = (colorCode(color, level) ?? "").split(";").map(Number);
  return codes[1] === 5 ? channelsOf256(codes[2] ?? 0) : codes.slice(2);
}

test("the contrast of black and white is 21", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2);
});

const { ansi: _, ...themes } = PALETTES;
test.each(Object.entries(themes))("every role of %s can be read on its backgrounds", (name, palette) => {
  const least = name.endsWith("high-contrast") ? 7 : 4.5;
  const tooWeak = TEXT_ROLES.flatMap((role) =>
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

/** The colour of text without a role in usual terminals. */
const FOREGROUND = { dark: "#cccccc", light: "#333333" } as const;

test.each(Object.entries(themes))("text on the backgrounds of %s can be read", (name, palette) => {
  const foreground: RoleColor = { color: FOREGROUND[name.startsWith("dark") ? "dark" : "light"] };
  const tooWeak = ([2, 3] as const).flatMap((level) => {
    const least = level === 3 && name.endsWith("high-contrast") ? 7 : 4.5;
    // With 256 colours, changed words are underlined.
    const tints = TINT_ROLES.filter((role) => level === 3 || !role.endsWith("Word"));
    return tints.flatMap((role) => {
      const background = shown(palette[role], level);
      const texts = [...CODE_ROLES, ...MARKS[role]].map((text) => [text, palette[text]] as const);
      return [...texts, ["text", foreground] as const].flatMap(([text, color]) => {
        const ratio = contrast(shown(color, level), background);
        return ratio < least ? [`${text} on ${role} at level ${level}: ${ratio.toFixed(2)}`] : [];
      });
    });
  });
  expect(tooWeak).toEqual([]);
});

test.each(Object.entries(themes))(
  "with 256 colours, the backgrounds of %s are about one step off the usual ones",
  (name, palette) => {
    const usual = channelsOf(name.startsWith("dark") ? "#1e1e1e" : "#ffffff");
    for (const tint of ["band", "addedTint", "removedTint"] as const) {
      const ratio = contrast(shown(palette[tint], 2), usual);
      expect(ratio).toBeGreaterThanOrEqual(1.09);
      expect(ratio).toBeLessThanOrEqual(1.35);
    }
  },
);

/** No colour has a greater contrast with both black and white: at this luminance, 0.179, it is the same with both. */
const MOST_ON_BOTH = Math.sqrt(21);

test("on an unknown background, texts have nearly the greatest contrast with both black and white, and 3:1 with usual backgrounds", () => {
  expect(MOST_ON_BOTH).toBeCloseTo(4.58, 2);
  const roles = TEXT_ROLES.filter((role) => UNKNOWN_BACKGROUND[role] !== undefined);
  // The others are faint, which is a share of the terminal's own contrast.
  expect(TEXT_ROLES.filter((role) => !roles.includes(role))).toEqual(["dim", "comment"]);
  const least = (level: 2 | 3, backgrounds: readonly string[]) =>
    roles.flatMap((role) =>
      backgrounds.map((one) => contrast(shown(UNKNOWN_BACKGROUND[role], level), channelsOf(one))),
    );
  expect(Math.min(...least(3, ["#000000", "#ffffff"]))).toBeGreaterThanOrEqual(4.5);
  expect(Math.min(...least(3, [...BACKGROUNDS.dark, ...BACKGROUNDS.light]))).toBeGreaterThanOrEqual(3);
  // The cube of 216 colours has few hues at this luminance.
  expect(Math.min(...least(2, ["#000000", "#ffffff"]))).toBeGreaterThanOrEqual(4);
});

test("on an unknown background, texts on bands and tints have colours of their own that can be read there", () => {
  const { onTints } = UNKNOWN_BACKGROUND;
  if (!onTints) throw new Error("The texts on tints have no colours of their own.");
  for (const tint of TINT_ROLES)
    for (const text of [...CODE_ROLES, ...MARKS[tint], "text"] as const) {
      const background = UNKNOWN_BACKGROUND[tint];
      expect(contrast(shown(onTints[text], 3), shown(background, 3))).toBeGreaterThanOrEqual(4.5);
    }
  for (const tint of ["band", "addedTint", "removedTint"] as const)
    for (const text of [...CODE_ROLES, ...MARKS[tint], "text"] as const)
      expect(contrast(shown(onTints[text], 2), shown(UNKNOWN_BACKGROUND[tint], 2))).toBeGreaterThanOrEqual(4.5);
});

test("on an unknown background, a person's own colours of text leave bands and tints as they are, and their own tints stand alone", () => {
  const unknown = (colors: ThemeChoice["colors"]) => paletteOf({ name: "own", extends: "auto", colors }, undefined);
  expect(unknown({ keyword: "#5f005f" })).toEqual({ ...UNKNOWN_BACKGROUND, keyword: { color: "#5f005f" } });
  const none = { onTints: undefined, removedTint: undefined };
  expect(unknown({ added: "#005f00" })).toMatchObject({ ...none, addedTint: undefined, band: undefined });
  expect(unknown({ band: "#fff0f0" })).toMatchObject({ ...none, band: { color: "#fff0f0" } });
});

/** Backgrounds of widespread colour schemes. */
const SCHEMES = {
  dark: ["#000000", "#1e1e1e", "#282c34", "#2e3440", "#002b36", "#282a36", "#1a1b26", "#300a24"],
  light: ["#ffffff", "#fdf6e3", "#eff1f5", "#fbf1c7"],
} as const;

test.each([
  ...SCHEMES.dark.map((color) => ["dark", color] as const),
  ...SCHEMES.light.map((color) => ["light", color] as const),
])("the band of the %s theme on %s can be seen, and text on it can be read", (base, color) => {
  const palette = paletteOf({ name: "auto", extends: "auto", colors: {} }, base, color);
  for (const level of [2, 3] as const) {
    const band = shown(palette.band, level);
    expect(contrast(band, channelsOf(color))).toBeGreaterThanOrEqual(1.12);
    for (const text of [palette.accent, palette.dim, { color: FOREGROUND[base] }])
      expect(contrast(shown(text, level), band)).toBeGreaterThanOrEqual(4.5);
  }
});

test("a band of a theme file stays, whatever background is reported", () => {
  const palette = paletteOf({ name: "own", extends: "dark", colors: { band: "#123456" } }, "dark", "#282c34");
  expect(palette.band?.color).toBe("#123456");
});

const OWN_COLORS = [
  { added: "#00ff00", removed: "#ff00ff" },
  { added: "#ffffff", removed: "#101010" },
  { added: "#6fbf6d", removed: 130 },
  { added: "#0000ff", removed: "#ffff00" },
] as const;

test.each(["dark", "light"] as const)(
  "a person's own colours of changed lines give the %s theme tints in their hues on which text can be read",
  (base) => {
    const foreground: RoleColor = { color: FOREGROUND[base] };
    for (const colors of OWN_COLORS) {
      const palette = paletteOf({ name: "own", extends: base, colors }, undefined);
      expect(palette.addedTint).not.toEqual(PALETTES[base].addedTint);
      for (const tint of ["addedTint", "addedWord", "removedTint", "removedWord"] as const)
        for (const text of [...CODE_ROLES.map((role) => palette[role]), foreground])
          expect(contrast(shown(text, 3), shown(palette[tint], 3))).toBeGreaterThanOrEqual(4.5);
    }
    const { addedTint } = paletteOf({ name: "own", extends: base, colors: { added: "#0000ff" } }, undefined);
    const [red = 0, , blue = 0] = shown(addedTint, 3);
    expect(blue).toBeGreaterThan(red);
  },
);

test("a theme file that sets only text leaves the tints as they are, and its own tints win", () => {
  const theme = (colors: ThemeChoice["colors"]) => paletteOf({ name: "own", extends: "dark", colors }, undefined);
  expect(theme({ accent: "#123456", keyword: "blue" })).toEqual({
    ...PALETTES.dark,
    accent: { color: "#123456", ansi: "yellow" },
    keyword: { color: "blue", ansi: "blue" },
  });
  expect(theme({ added: "#00ff00", addedTint: "#001100", band: 236 })).toMatchObject({
    addedTint: { color: "#001100" },
    band: { color: 236 },
    removedTint: PALETTES.dark.removedTint,
  });
  // The hue of a named colour is that of the terminal, so the signs alone tell the rows apart.
  expect(theme({ added: "blue" }).addedTint).toBeUndefined();
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
