import { ANSI_COLORS, type AnsiColor, type ThemeColor } from "./theme.ts";

/** A colour for terminals with 256 colours or more, and a colour from the terminal's own 16. */
export type RoleColor = {
  readonly color: ThemeColor;
  /** Undefined: the colour of the text, and no background. */
  readonly ansi?: AnsiColor | undefined;
  /** One of the 256 colours, if the nearest one to `color` is a grey or too pale. */
  readonly indexed?: number | undefined;
};

/** True for the name of one of the terminal's own 16 colours. */
export function isAnsi(color: ThemeColor): color is AnsiColor {
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

/** `#rrggbb` of channels from 0 to 1. */
export function hexOf(channels: readonly number[]): `#${string}` {
  const digits = (channel: number) =>
    Math.round(255 * channel)
      .toString(16)
      .padStart(2, "0");
  return `#${channels.map(digits).join("")}`;
}

function hexChannels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The channels of a colour, 0 to 255; undefined for the terminal's own 16, which each terminal draws differently. */
export function channelsOf(color: ThemeColor): readonly number[] | undefined {
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
  const grey = greyOf256(channels.map((channel) => channel / 255));
  const distance = (index: number) => {
    const [r, g, b] = channelsOf256(index);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  };
  return distance(grey) < distance(cube) ? grey : cube;
}

/** The index of the nearest grey of the ramp. @param channels From 0 to 1. */
export function greyOf256([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return 232 + Math.min(23, Math.max(0, Math.round(((red + green + blue) * 85 - 8) / 10)));
}

/** The index of the cube level that is nearest to a channel; of two equally near levels, the darker. */
function nearestStep(channel: number): number {
  return CUBE.reduce<number>(
    (best, level, at) => (Math.abs(level - channel) < Math.abs((CUBE[best] ?? 0) - channel) ? at : best),
    0,
  );
}
