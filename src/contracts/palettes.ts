import {
  ANSI_COLORS,
  type AnsiColor,
  type CodeRole,
  type ThemeChoice,
  type ThemeColor,
  type ThemeRole,
  type TintRole,
} from "./theme.ts";

export type Background = "dark" | "light";

/** A colour for terminals with 256 colours or more, and a colour from the terminal's own 16. */
export type RoleColor = {
  readonly color: ThemeColor;
  /** Undefined: the colour of the text, and no background. */
  readonly ansi?: AnsiColor | undefined;
  /** One of the 256 colours, if the nearest one to `color` is a grey or too pale. */
  readonly indexed?: number | undefined;
};
/** A role without a colour is undefined and uses the colour of the text; `dim` and `comment` are then faint. */
export type Palette = Readonly<Record<ThemeRole, RoleColor | undefined>>;

const of = (color: ThemeColor, ansi?: AnsiColor, indexed?: number): RoleColor => ({ color, ansi, indexed });

type Main = {
  readonly amber: RoleColor;
  readonly good: RoleColor;
  readonly bad: RoleColor;
  readonly literal: RoleColor;
  readonly dim: RoleColor | undefined;
};
type Tints = Readonly<Record<TintRole, RoleColor | undefined>>;
type Code = Readonly<Record<CodeRole, RoleColor | undefined>>;

/** The palette uses few colours: green and red only for diffs and results. */
function palette({ amber, good, bad, literal, dim }: Main, code: Code, tints: Tints): Palette {
  const results = { added: good, removed: bad, passed: good, failed: bad, warning: amber };
  return { accent: amber, dim, ...results, literal, ...code, ...tints };
}

const DARK: Main = {
  amber: of("#f0a830", "yellow"),
  good: of("#6fbf6d", "green"),
  bad: of("#f0847a", "red"),
  literal: of("#87afaf", "cyan"),
  dim: of("#9e9e9e", "brightBlack"),
};
const DARK_CODE: Code = {
  keyword: of("#d0a8e8", "magenta"),
  string: of("#8fd0c8", "cyan"),
  number: of("#f2b59a", "brightMagenta"),
  comment: of("#afafaf", "brightBlack"),
  function: of("#8ec3f9", "brightBlue"),
  type: of("#e6d49a", "brightCyan"),
  property: of("#b8c7e0"),
  punctuation: of("#bcbcbc"),
};
const DARK_TINTS: Tints = {
  band: of("#363636"),
  addedTint: of("#1a3322", undefined, 22),
  removedTint: of("#3b1f22", undefined, 52),
  addedWord: of("#1d4a29"),
  removedWord: of("#64282d"),
};
const LIGHT: Main = {
  amber: of("#875f00", "magenta"),
  good: of("#005f00", "green"),
  bad: of("#af0000", "red"),
  literal: of("#005f87", "blue"),
  dim: of("#626262", "brightBlack"),
};
const LIGHT_CODE: Code = {
  keyword: of("#7a2f9c", "magenta"),
  string: of("#00606a", "blue"),
  number: of("#8c4400", "blue"),
  comment: of("#5a5a5a", "brightBlack"),
  function: of("#1a55a8", "blue"),
  type: of("#6b5000"),
  property: of("#3d4f66"),
  punctuation: of("#4f4f4f"),
};
const LIGHT_TINTS: Tints = {
  band: of("#ebebeb"),
  addedTint: of("#dcf5dc", undefined, 194),
  removedTint: of("#fde3e1", undefined, 224),
  addedWord: of("#b4e6b8"),
  removedWord: of("#f9c6c2"),
};
/** A background that is readable on dark and on light doesn't exist. */
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
  dark: palette(DARK, DARK_CODE, DARK_TINTS),
  light: palette(LIGHT, LIGHT_CODE, LIGHT_TINTS),
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
    addedTint: of("#16304a", undefined, 17),
    removedTint: of("#3d2810", undefined, 52),
    addedWord: of("#1a4369"),
    removedWord: of("#5f3a10"),
  }),
  "light-colorblind": palette({ ...LIGHT, good: of("#005faf", "blue"), bad: of("#8f4a00", "red") }, LIGHT_CODE, {
    ...LIGHT_TINTS,
    addedTint: of("#dcebfb", undefined, 189),
    removedTint: of("#fbe6d0", undefined, 223),
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
    { ...plainCode(of("cyan", "cyan")), keyword: of("magenta", "magenta") },
    NO_TINTS,
  ),
} satisfies Record<string, Palette>;

/** Code in the colour of the text, but for strings and numbers. */
function plainCode(value: RoleColor): Code {
  return {
    ...{ keyword: undefined, string: value, number: value, comment: undefined },
    ...{ function: undefined, type: undefined, property: undefined, punctuation: undefined },
  };
}

/** The colours for an unknown background: faint text is readable on any background. */
export const UNKNOWN_BACKGROUND: Palette = palette({ ...DARK, dim: undefined }, plainCode(DARK.literal), NO_TINTS);

/** The colours of a theme on a background; undefined if the background is unknown. */
export function paletteOf({ extends: base, colors }: ThemeChoice, background: Background | undefined): Palette {
  const found = base === "auto" ? (background ? PALETTES[background] : UNKNOWN_BACKGROUND) : PALETTES[base];
  const own = Object.entries(colors).map(([role, color]) => {
    // For 16 colours, a colour without an ANSI name is replaced by that of the extended theme.
    const ansi = isAnsi(color) ? color : found[role as ThemeRole]?.ansi;
    return [role, { color, ansi }];
  });
  const ground = base === "auto" ? background : base.startsWith("light") ? "light" : "dark";
  const tints =
    found.addedTint && ground ? { ...ownTints("added", colors, ground), ...ownTints("removed", colors, ground) } : {};
  return { ...found, ...tints, ...Object.fromEntries(own) };
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
  return `#${mixed
    .map((c) =>
      Math.round(255 * fromLinear(Math.min(1, c)))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

function isAnsi(color: ThemeColor): color is AnsiColor {
  return ANSI_COLORS.some((name) => name === color);
}

/**
 * The SGR parameters of a colour; undefined if it has none at this level.
 * @param level 0: no colours · 1: 16 · 2: 256 · 3: 16 million.
 */
export function colorCode(role: RoleColor, level: 0 | 1 | 2 | 3, isBackground = false): string | undefined {
  if (level === 0) return undefined;
  const { color, ansi, indexed } = role;
  const kind = isBackground ? 10 : 0;
  const named = isAnsi(color) ? color : level === 1 ? ansi : undefined;
  if (named) {
    const index = ANSI_COLORS.indexOf(named);
    return String(kind + (index < 8 ? 30 + index : 82 + index));
  }
  if (level === 1) return undefined;
  if (typeof color === "number") return `${kind + 38};5;${color}`;
  const channels = hexChannels(color);
  return level === 3 ? `${kind + 38};2;${channels.join(";")}` : `${kind + 38};5;${indexed ?? nearest256(channels)}`;
}

function hexChannels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The channels of a colour, 0 to 255; undefined for the terminal's own 16, which each terminal draws differently. */
function channelsOf(color: ThemeColor): readonly number[] | undefined {
  if (typeof color === "number") return color < 16 ? undefined : channelsOf256(color);
  return isAnsi(color) ? undefined : hexChannels(color);
}

/** The levels of a channel in xterm's cube of 216 colours. */
const CUBE = [0, 95, 135, 175, 215, 255] as const;

/** The value of a colour of xterm's cube (16–231) or grey ramp (232–255). */
export function channelsOf256(index: number): readonly [number, number, number] {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const at = (step: number) => CUBE[Math.floor((index - 16) / step) % 6] ?? 0;
  return [at(36), at(6), at(1)];
}

/**
 * The nearest value of the cube and the grey ramp. The value is computed instead of searched, because each start
 * converts colours before any code is compiled.
 */
function nearest256(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels;
  const steps = [nearestStep(red), nearestStep(green), nearestStep(blue)] as const;
  const cube = 16 + 36 * steps[0] + 6 * steps[1] + steps[2];
  const grey = 232 + Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (index: number) => {
    const [r, g, b] = channelsOf256(index);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  };
  return distance(grey) < distance(cube) ? grey : cube;
}

/** The index of the cube level that is nearest to a channel; of two equally near levels, the darker. */
function nearestStep(channel: number): number {
  return CUBE.reduce<number>(
    (best, level, at) => (Math.abs(level - channel) < Math.abs((CUBE[best] ?? 0) - channel) ? at : best),
    0,
  );
}

/**
 * Decides whether a colour that a terminal reports (XParseColor: `rgb:1e1e/1e1e/1e1e`, `#1e1e1e`) is dark; undefined if
 * unreadable.
 */
export function backgroundOf(reported: string): Background | undefined {
  const parts = /^rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i.exec(reported)?.slice(1);
  const hex = parts ?? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(reported)?.slice(1);
  const channels = hex?.map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  return channels && (luminance(channels) > 0.18 ? "light" : "dark");
}

/** Relative luminance (WCAG 2.2) of channels from 0 to 1. */
export function luminance(channels: readonly number[]): number {
  return linearLuminance(channels.map(toLinear));
}

function linearLuminance([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The transfer function of sRGB, and its inverse. */
function toLinear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
function fromLinear(channel: number): number {
  return channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055;
}

/**
 * Reads the variable COLORFGBG of rxvt, Konsole and others: `15;0`, `0;default;15`. The last number is the colour of
 * the background.
 */
export function backgroundOfVariable(value: string | undefined): Background | undefined {
  const index = /;(\d{1,2})$/.exec(value ?? "")?.[1];
  if (index === undefined) return undefined;
  return index === "7" || Number(index) > 8 ? "light" : "dark";
}
