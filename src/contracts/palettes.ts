import {
  AUTO_PALETTES,
  autoPalette,
  DARK,
  DARK_CODE,
  DARK_GREY,
  DARK_TINTS,
  LIGHT,
  LIGHT_CODE,
  LIGHT_GREY,
  LIGHT_TINTS,
  of,
  type Palette,
  palette,
  type Tints,
} from "./auto-palettes.ts";
import {
  type Background,
  fromLinear,
  linearLuminance,
  luminance,
  MAX_DARK_LUMINANCE,
  reportedChannels,
  toLinear,
} from "./background.ts";
import { channelsOf, greyOf256, hexOf, isAnsi, type RoleColor } from "./color-code.ts";
import { type ThemeChoice, type ThemeRole, TINT_ROLES } from "./theme.ts";

const NO_TINTS: Tints = {
  band: undefined,
  addedTint: undefined,
  removedTint: undefined,
  addedWord: undefined,
  removedWord: undefined,
};

/**
 * Every theme but `auto`. The contrast with the theme's backgrounds is at least 4.5:1, for high contrast 7:1 (a test
 * computes it).
 */
export const PALETTES = {
  ...AUTO_PALETTES,
  "dark-high-contrast": palette(
    {
      amber: of("#ffd75f", "brightYellow"),
      good: of("#87ff87", "brightGreen"),
      bad: of("#ffafaf", "brightRed"),
      literal: of("#87ffff", "brightCyan"),
      dim: of("#c6c6c6", "white"),
    },
    {
      keyword: of("#e6c8ff", "brightMagenta"),
      string: of("#a0f0e6", "brightCyan"),
      number: of("#ffcfb5", "brightMagenta"),
      comment: of("#d0d0d0", "white"),
      function: of("#b8dcff", "brightBlue"),
      type: of("#fff0b8", "brightYellow"),
      property: of("#e0ebff"),
      punctuation: of("#e4e4e4"),
    },
    { ...DARK_TINTS, addedWord: of("#18401f"), removedWord: of("#62272c") },
  ),
  "light-high-contrast": palette(
    {
      amber: of("#5f005f", "magenta"),
      good: of("#004a00", "green"),
      bad: of("#870000", "red"),
      literal: of("#00005f", "blue"),
      dim: of("#444444", "black"),
    },
    {
      keyword: of("#5a1a7a", "magenta"),
      string: of("#004048", "blue", 17),
      number: of("#642f00", "blue"),
      comment: of("#3a3a3a", "black"),
      function: of("#0d3a7a", "blue", 18),
      type: of("#4a3600", undefined, 236),
      property: of("#243244"),
      punctuation: of("#303030"),
    },
    LIGHT_TINTS,
  ),
  "dark-colorblind": palette({ ...DARK, good: of("#5fafff", "brightBlue"), bad: of("#ff8700", "yellow") }, DARK_CODE, {
    ...DARK_TINTS,
    addedTint: of("#16304a", undefined, DARK_GREY),
    removedTint: of("#3d2810", undefined, DARK_GREY),
    addedWord: of("#1a4369"),
    removedWord: of("#5f3a10"),
  }),
  "light-colorblind": palette({ ...LIGHT, good: of("#005faf", "blue"), bad: of("#8f4a00", "red") }, LIGHT_CODE, {
    ...LIGHT_TINTS,
    addedTint: of("#dcebfb", undefined, LIGHT_GREY + 1),
    removedTint: of("#fbe6d0", undefined, LIGHT_GREY + 1),
    addedWord: of("#b7d6f5"),
    removedWord: of("#f5c99b"),
  }),
  /** The terminal's own 16 colours. */
  ansi: palette(
    {
      amber: of("yellow", "yellow"),
      good: of("green", "green"),
      bad: of("red", "red"),
      literal: of("cyan", "cyan"),
      dim: undefined,
    },
    {
      keyword: of("magenta", "magenta"),
      string: of("cyan", "cyan"),
      number: of("cyan", "cyan"),
      comment: undefined,
      function: undefined,
      type: undefined,
      property: undefined,
      punctuation: undefined,
    },
    NO_TINTS,
  ),
} satisfies Record<string, Palette>;

/**
 * The colours of a theme, by default `auto`, on a background; undefined if the background is unknown.
 * @param reported The colour of the background as the terminal reports it, which decides about the band.
 */
export function paletteOf(
  choice: ThemeChoice | undefined,
  background: Background | undefined,
  reported?: string,
): Palette {
  const { extends: base, colors } = choice ?? AUTO;
  const found = base === "auto" ? autoOf(colors, background) : PALETTES[base];
  const own = Object.entries(colors).map(([role, color]) => {
    // For 16 colours, a colour without an ANSI name is replaced by that of the extended theme.
    const ansi = isAnsi(color) ? color : found[role as ThemeRole]?.ansi;
    return [role, { color, ansi }];
  });
  const ground = base === "auto" ? background : base.startsWith("light") ? "light" : "dark";
  const tints =
    found.addedTint && ground ? { ...ownTints("added", colors, ground), ...ownTints("removed", colors, ground) } : {};
  const band = (reported !== undefined && found.band && bandOn(reported)) || found.band;
  return { ...found, ...tints, band, ...Object.fromEntries(own) };
}

/** The usual colours; on an unknown background, colours of the person for changes or prompts leave no built-in tints beside them. */
function autoOf(colors: ThemeChoice["colors"], background: Background | undefined): Palette {
  const found = autoPalette(background);
  const isOwn = (["added", "removed", ...TINT_ROLES] as const).some((role) => colors[role] !== undefined);
  return found.onTints && isOwn ? { ...found, ...NO_TINTS, onTints: undefined } : found;
}

const AUTO: ThemeChoice = { name: "auto", extends: "auto", colors: {} };

/** The share of white or black that a band adds to the background. */
const BAND_STEPS = { lighter: 0.1, darker: 0.3, darkerOnLight: 0.07 } as const;
/** On a band with more luminance, dim text would have too little contrast. */
const MAX_BAND_LUMINANCE = 0.037;

/** A band one step off the background: lighter on a nearly black one, darker on others. */
function bandOn(reported: string): RoleColor | undefined {
  const ground = reportedChannels(reported);
  if (!ground) return undefined;
  const mixed = (target: number, share: number) => ground.map((channel) => channel + (target - channel) * share);
  const { lighter, darker, darkerOnLight } = BAND_STEPS;
  if (luminance(ground) > MAX_DARK_LUMINANCE) {
    const dark = mixed(0, darkerOnLight);
    return { color: hexOf(dark), indexed: Math.max(LIGHT_GREY, greyOf256(dark)) };
  }
  const light = mixed(1, lighter);
  const band = luminance(light) <= MAX_BAND_LUMINANCE ? light : mixed(0, darker);
  return { color: hexOf(band), indexed: Math.min(DARK_GREY, greyOf256(band)) };
}

/** The luminance of a row and of its changed words: every text that the built-in themes put on them has 4.5:1. */
const TINT_LUMINANCE = { dark: [0.025, 0.05], light: [0.86, 0.65] } as const;

/** The backgrounds in the hue of a person's own colour for changed lines; a named colour has no known hue, so none. */
function ownTints(role: "added" | "removed", colors: ThemeChoice["colors"], ground: Background): Partial<Tints> {
  const color = colors[role];
  if (color === undefined) return {};
  const channels = channelsOf(color)?.map((channel) => toLinear(channel / 255));
  const [row, word] = TINT_LUMINANCE[ground].map((target) => channels && { color: tinted(channels, target) });
  return { [`${role}Tint`]: row, [`${role}Word`]: word };
}

/** The hue of linear channels, darkened or mixed with white to a luminance. */
function tinted(channels: readonly number[], target: number): `#${string}` {
  const most = Math.max(...channels, 0.01);
  // A dark colour keeps its hue in white only if it is brightened first.
  const hue = channels.map((channel) => (0.6 * channel) / most);
  const light = linearLuminance(hue);
  const mixed =
    target < 0.5 ? hue.map((c) => (c * target) / light) : hue.map((c) => 1 - ((1 - c) * (1 - target)) / (1 - light));
  return hexOf(mixed.map((c) => fromLinear(Math.min(1, c))));
}
