import type { Background } from "./background.ts";
import type { RoleColor } from "./color-code.ts";
import type { AnsiColor, CodeRole, TextRole, ThemeColor, ThemeRole, TintRole } from "./theme.ts";

/** A role without a colour is undefined and uses the colour of the text; `dim` and `comment` are then faint. */
export type Palette = Readonly<Record<ThemeRole, RoleColor | undefined>> & {
  /** The colours of texts on bands and tints, and of the text without a role, if they differ from those beside them. */
  readonly onTints?: TintTexts | undefined;
};
type TintTexts = Readonly<Record<TextRole, RoleColor | undefined>> & { readonly text: RoleColor };

/** A role's colour: see `RoleColor`. */
export const of = (color: ThemeColor, ansi?: AnsiColor, indexed?: number): RoleColor => ({ color, ansi, indexed });

export type Main = {
  readonly amber: RoleColor;
  readonly good: RoleColor;
  readonly bad: RoleColor;
  readonly literal: RoleColor;
  readonly dim: RoleColor | undefined;
};
export type Tints = Readonly<Record<TintRole, RoleColor | undefined>>;
export type Code = Readonly<Record<CodeRole, RoleColor | undefined>>;

/** The palette uses few colours: green and red only for diffs and results. */
export function palette({ amber, good, bad, literal, dim }: Main, code: Code, tints: Tints): Palette {
  const results = { added: good, removed: bad, passed: good, failed: bad, warning: amber };
  return { accent: amber, dim, ...results, literal, ...code, ...tints };
}

/** Of the 256 colours, the lightest grey on which dim text of the dark themes can be read, and the darkest for the light ones. */
export const DARK_GREY = 236;
export const LIGHT_GREY = 254;

export const DARK: Main = {
  amber: of("#f0a830", "yellow"),
  good: of("#6fbf6d", "green", 114),
  bad: of("#f0847a", "red"),
  literal: of("#87afaf", "cyan"),
  dim: of("#9e9e9e", "brightBlack"),
};
/** Where one of the 256 colours will do, it is used: its code is half as long, and code that streams has one for each word. */
export const DARK_CODE: Code = {
  keyword: of(183, "magenta"),
  string: of(116, "cyan"),
  number: of(216, "brightMagenta"),
  comment: of(145, "brightBlack"),
  function: of(111, "brightBlue"),
  type: of(187, "brightCyan"),
  property: of(146),
  punctuation: of(249),
};
/** The darkest green of the 256 colours is four times as bright as a tint, so rows are grey there. */
export const DARK_TINTS: Tints = {
  band: of("#363636", undefined, DARK_GREY),
  addedTint: of("#1a3322", undefined, DARK_GREY),
  removedTint: of("#3b1f22", undefined, DARK_GREY),
  addedWord: of("#1d4a29"),
  removedWord: of("#64282d"),
};
export const LIGHT: Main = {
  amber: of("#7d5700", "magenta"),
  good: of("#005f00", "green"),
  bad: of("#af0000", "red"),
  literal: of("#005f87", "blue"),
  dim: of("#626262", "brightBlack"),
};
export const LIGHT_CODE: Code = {
  keyword: of(91, "magenta"),
  string: of(23, "blue"),
  number: of("#8c4400", "blue", 88),
  comment: of(240, "brightBlack"),
  function: of(24, "blue"),
  type: of("#6b5000"),
  property: of("#3d4f66"),
  punctuation: of(239),
};
export const LIGHT_TINTS: Tints = {
  band: of("#ebebeb"),
  addedTint: of("#dcf5dc", undefined, 194),
  removedTint: of("#fde3e1", undefined, 224),
  addedWord: of("#b4e6b8"),
  removedWord: of("#f9c6c2"),
};
/** The usual colours of each background. */
export const AUTO_PALETTES: Readonly<Record<Background, Palette>> = {
  dark: palette(DARK, DARK_CODE, DARK_TINTS),
  light: palette(LIGHT, LIGHT_CODE, LIGHT_TINTS),
};

/**
 * The colours for an unknown background. Texts have the luminance (0.18) that differs most from both black and white:
 * 4.5:1. Bands and tints are dark and bring the colours of their texts. Faint text is readable on any background.
 */
export const UNKNOWN_BACKGROUND: Palette = {
  ...palette(
    {
      amber: of("#a06c04", "yellow", 130),
      good: of("#338736", "green", 28),
      bad: of("#da3a2e", "red", 161),
      literal: of("#497f7f", "cyan", 30),
      dim: undefined,
    },
    {
      keyword: of("#a155c6", undefined, 133),
      string: of("#19828e", "cyan", 30),
      number: of("#bf5915", "cyan", 131),
      comment: undefined,
      function: of("#2676d7", undefined, 63),
      type: of("#8e7323", undefined, 130),
      property: of("#5f779e", undefined, 243),
      punctuation: of("#767676", undefined, 243),
    },
    DARK_TINTS,
  ),
  onTints: { ...AUTO_PALETTES.dark, text: of("#e4e4e4") },
};

/** The colours of the theme `auto`. */
export function autoPalette(background: Background | undefined): Palette {
  return background ? AUTO_PALETTES[background] : UNKNOWN_BACKGROUND;
}
