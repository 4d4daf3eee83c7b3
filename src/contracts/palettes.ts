import { ANSI_COLORS, type AnsiColor, type ThemeChoice, type ThemeColor, type ThemeRole } from "./theme.ts";

export type Background = "dark" | "light";

/** A colour for terminals with 256 colours or more, and a colour from the terminal's own 16. */
export type RoleColor = { readonly color: ThemeColor; readonly ansi: AnsiColor };
/** A role without a colour is undefined and uses the colour of the text; `dim` and `comment` are then faint. */
export type Palette = Readonly<Record<ThemeRole, RoleColor | undefined>>;

const of = (color: ThemeColor, ansi: AnsiColor): RoleColor => ({ color, ansi });

type Main = {
  readonly amber: RoleColor;
  readonly good: RoleColor;
  readonly bad: RoleColor;
  readonly code: RoleColor;
  readonly dim: RoleColor | undefined;
  readonly keyword?: RoleColor;
};

/** The palette uses few colours: green and red only for diffs and results, and one colour for code. */
function palette({ amber, good, bad, code, dim, keyword }: Main): Palette {
  const results = { added: good, removed: bad, passed: good, failed: bad, warning: amber };
  return { accent: amber, dim, ...results, literal: code, keyword, string: code, number: code, comment: dim };
}

const DARK: Main = {
  amber: of("#f0a830", "yellow"),
  good: of("#6fbf6d", "green"),
  bad: of("#f0847a", "red"),
  code: of("#87afaf", "cyan"),
  dim: of("#9e9e9e", "brightBlack"),
};
const LIGHT: Main = {
  amber: of("#875f00", "magenta"),
  good: of("#005f00", "green"),
  bad: of("#af0000", "red"),
  code: of("#005f87", "blue"),
  dim: of("#626262", "brightBlack"),
};

/**
 * Every theme but `auto`. The contrast with the theme's backgrounds is at least 4.5:1, for high contrast 7:1 (a test
 * computes it).
 */
export const PALETTES = {
  dark: palette(DARK),
  light: palette(LIGHT),
  "dark-high-contrast": palette({
    amber: of("#ffd75f", "brightYellow"),
    good: of("#87ff87", "brightGreen"),
    bad: of("#ffafaf", "brightRed"),
    code: of("#87ffff", "brightCyan"),
    dim: of("#c6c6c6", "white"),
  }),
  "light-high-contrast": palette({
    amber: of("#5f005f", "magenta"),
    good: of("#004a00", "green"),
    bad: of("#870000", "red"),
    code: of("#00005f", "blue"),
    dim: of("#444444", "black"),
  }),
  "dark-colorblind": palette({ ...DARK, good: of("#5fafff", "brightBlue"), bad: of("#ff8700", "yellow") }),
  "light-colorblind": palette({ ...LIGHT, good: of("#005faf", "blue"), bad: of("#8f4a00", "red") }),
  /** The terminal's own 16 colours. */
  ansi: palette({
    amber: of("yellow", "yellow"),
    good: of("green", "green"),
    bad: of("red", "red"),
    code: of("cyan", "cyan"),
    dim: undefined,
  }),
} satisfies Record<string, Palette>;

/** The colours for an unknown background: faint text is readable on any background. */
export const UNKNOWN_BACKGROUND: Palette = { ...PALETTES.dark, dim: undefined, comment: undefined };

/** The colours of a theme on a background; undefined if the background is unknown. */
export function paletteOf({ extends: base, colors }: ThemeChoice, background: Background | undefined): Palette {
  const found = base === "auto" ? (background ? PALETTES[background] : UNKNOWN_BACKGROUND) : PALETTES[base];
  const own = Object.entries(colors).map(([role, color]) => {
    // For 16 colours, a colour without an ANSI name is replaced by that of the extended theme.
    const ansi = isAnsi(color) ? color : found[role as ThemeRole]?.ansi;
    return [role, { color, ansi: ansi ?? "white" }];
  });
  return { ...found, ...Object.fromEntries(own) };
}

function isAnsi(color: ThemeColor): color is AnsiColor {
  return ANSI_COLORS.some((name) => name === color);
}

/** The SGR parameters of a text colour. @param level 1: 16 colours · 2: 256 · 3: 16 million. */
export function colorCode({ color, ansi }: RoleColor, level: 1 | 2 | 3): string {
  if (level === 1 || isAnsi(color)) {
    const index = ANSI_COLORS.indexOf(isAnsi(color) ? color : ansi);
    return String(index < 8 ? 30 + index : 82 + index);
  }
  if (typeof color === "number") return `38;5;${color}`;
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return level === 3 ? `38;2;${channels.join(";")}` : `38;5;${nearest256(channels)}`;
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
  const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
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
