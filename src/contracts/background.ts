export type Background = "dark" | "light";

/** The greatest luminance of a dark background. */
export const MAX_DARK_LUMINANCE = 0.18;

/**
 * Decides whether a colour that a terminal reports (XParseColor: `rgb:1e1e/1e1e/1e1e`, `#1e1e1e`) is dark; undefined if
 * unreadable.
 */
export function backgroundOf(reported: string): Background | undefined {
  const channels = reportedChannels(reported);
  return channels && (luminance(channels) > MAX_DARK_LUMINANCE ? "light" : "dark");
}

/** The channels of a reported colour, 0 to 1. */
export function reportedChannels(reported: string): readonly number[] | undefined {
  const parts = /^rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i.exec(reported)?.slice(1);
  const hex = parts ?? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(reported)?.slice(1);
  return hex?.map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
}

/** Relative luminance (WCAG 2.2) of channels from 0 to 1. */
export function luminance(channels: readonly number[]): number {
  return linearLuminance(channels.map(toLinear));
}

/** The luminance of linear channels. */
export function linearLuminance([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Undoes the transfer function of sRGB. */
export function toLinear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

/** Applies the transfer function of sRGB. */
export function fromLinear(channel: number): number {
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
