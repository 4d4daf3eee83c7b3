/** 0: no colour (NO_COLOR, TERM=dumb, a pipe) · 1: 16 colours · 2: 256 · 3: 16 million. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** The built-in themes; `auto` is `dark` or `light`, depending on the background of the terminal. */
export const THEME_NAMES = [
  "auto",
  "dark",
  "light",
  "dark-high-contrast",
  "light-high-contrast",
  "dark-colorblind",
  "light-colorblind",
  "ansi",
] as const;
export type ThemeName = (typeof THEME_NAMES)[number];

/** The parts of code that have a colour. */
export const CODE_ROLES = [
  "keyword",
  "string",
  "number",
  "comment",
  "function",
  "type",
  "property",
  "punctuation",
] as const;
export type CodeRole = (typeof CODE_ROLES)[number];

/** The texts that have a colour. */
export const TEXT_ROLES = [
  "accent",
  "dim",
  "added",
  "removed",
  "passed",
  "failed",
  "warning",
  "literal",
  ...CODE_ROLES,
] as const;
export type TextRole = (typeof TEXT_ROLES)[number];

/** The backgrounds: of the person's prompts, of changed rows, and of changed words in them. */
export const TINT_ROLES = ["band", "addedTint", "removedTint", "addedWord", "removedWord"] as const;
export type TintRole = (typeof TINT_ROLES)[number];

/** The parts of the screen that have a colour. */
export const THEME_ROLES = [...TEXT_ROLES, ...TINT_ROLES] as const;
export type ThemeRole = (typeof THEME_ROLES)[number];

/** The names of the terminal's own 16 colours, in the order of their codes. */
export const ANSI_COLORS = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const;
export type AnsiColor = (typeof ANSI_COLORS)[number];

/** A theme colour: `#rrggbb`, a number of the 256 colours, or one of the terminal's own 16. */
export type ThemeColor = `#${string}` | number | AnsiColor;

/** A theme with the changes that the person made to it. */
export type ThemeChoice = {
  /** The theme's name for the person. */
  readonly name: string;
  readonly extends: ThemeName;
  readonly colors: Readonly<Partial<Record<ThemeRole, ThemeColor>>>;
};

/** The built-in theme of a setting that names no file; undefined for any other name. */
export function builtInTheme(name: string): ThemeChoice | undefined {
  const known = THEME_NAMES.find((one) => one === name);
  return known && { name: known, extends: known, colors: {} };
}
