import { padText } from "@quoll/terminal-text/truncate-text";
import { type Palette, UNKNOWN_BACKGROUND } from "../../../contracts/auto-palettes.ts";
import { colorCode } from "../../../contracts/color-code.ts";
import type { CodeRole, ColorLevel, TextRole, TintRole } from "../../../contracts/theme.ts";
import type { Keymap } from "../keymap/keymap.ts";

export type Paint = (text: string) => string;

/** Every colour of the REPL. A glyph always has the same meaning as the colour. */
export type Theme = {
  readonly level: ColorLevel;
  /** The keys that hints name; by default the default bindings. */
  readonly keymap?: Keymap;
  /** True if signs of running work stand still, for a person who needs reduced motion. */
  readonly isStill?: boolean;
  readonly accent: Paint;
  readonly strong: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly struck: Paint;
  readonly underline: Paint;
  /** A text that opens an address if the terminal supports links; otherwise the plain text. */
  readonly link: (text: string, address: string) => string;
  /** A text that opens a file, if the file exists; absent if the terminal shows no links. */
  readonly file?: (text: string, path: string, line?: number) => string;
  /** Text in the colour of its background. */
  readonly inverse: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly passed: Paint;
  readonly failed: Paint;
  readonly warning: Paint;
  /** Inline code. */
  readonly literal: Paint;
  /** The parts of code in a known language. */
  readonly code: Readonly<Record<CodeRole, Paint>>;
  /**
   * The faint background of the person's prompts. The text stays as it is with 16 colours or none. On an unknown
   * background of the terminal, text without a colour gets one too. The same holds for the tints.
   */
  readonly band: Paint;
  /** The background of an added row of a diff. */
  readonly addedTint: Paint;
  readonly removedTint: Paint;
  /** The stronger background of changed words in such a row; with 256 colours or fewer, the words are underlined. */
  readonly addedWord: Paint;
  readonly removedWord: Paint;
  /** The colours of texts on the band and the tints, if they differ from those beside them. */
  readonly onTints?: Theme;
};

const DEFAULT_TEXT = "\u001b[39m";
const DEFAULT_BACKGROUND = "\u001b[49m";
/** Between two codes. */
const NEXT_CODE = /(?<=m)/;
const ERASE_END = "\u001b[K";
const same: Paint = (text) => text;

/**
 * A row whose background reaches the right edge of the window. The erased rest of the row takes the background (BCE)
 * but holds no blanks: a narrower window wraps nothing, and a copied row ends with its text. The row is erased before its
 * text is written, because erasing behind a text that fills the row would take its last character.
 * @param background `band` or a tint of the theme. Without a background, the row is returned as it is.
 * @param columns The width of the background in a box or a column, where blanks fill it.
 */
export function filledRow(row: string, background: Paint, columns?: number): string {
  const [open = "", close = ""] = background("x").split("x");
  if (open === "") return row;
  const text = columns === undefined ? ERASE_END + row : padText(row, columns);
  // A colour that ends in the row gives way to that of the row.
  const opens = open.split(NEXT_CODE);
  const inner = close.split(NEXT_CODE).reduce((now, end, at) => now.replaceAll(end, end + opens[at]), text);
  return open + inner + close;
}

/**
 * @param hasStyles True if bold, dim and similar styles are written: they are not colours, so NO_COLOR keeps them.
 * @param hasLinks True if the terminal shows links.
 */
export function themeFor(
  level: ColorLevel,
  hasStyles = level > 0,
  hasLinks = false,
  palette: Palette = UNKNOWN_BACKGROUND,
): Theme {
  const style = (open: string, close: string): Paint => {
    if (!hasStyles) return (text) => text;
    return (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`);
  };
  const strong = style("1", "22");
  const faint = style("2", "22");
  const color = (role: TextRole, without: Paint = same): Paint => {
    const chosen = palette[role];
    const code = chosen && colorCode(chosen, level);
    if (code === undefined) return without;
    return (text) => (text === "" ? "" : `\u001b[${code}m${text}${DEFAULT_TEXT}`);
  };
  const { onTints } = palette;
  const ownText = onTints && colorCode(onTints.text, level);
  const tint = (role: TintRole, least: 2 | 3, without: Paint = same): Paint => {
    const chosen = palette[role];
    const code = level >= least && chosen ? colorCode(chosen, level, true) : undefined;
    if (code === undefined) return without;
    const open = `\u001b[${code}m`;
    // Changed words stand in a row, which has a colour for text.
    if (!ownText || least === 3) return (text) => (text === "" ? "" : open + text + DEFAULT_BACKGROUND);
    return (text) => (text === "" ? "" : `${open}\u001b[${ownText}m${text}${DEFAULT_BACKGROUND}${DEFAULT_TEXT}`);
  };
  const underline = style("4", "24");
  return {
    level,
    accent: color("accent"),
    strong,
    dim: color("dim", faint),
    italic: style("3", "23"),
    struck: style("9", "29"),
    underline,
    link: (text, address) => (hasLinks ? linked(text, address) : text),
    inverse: style("7", "27"),
    added: color("added"),
    removed: color("removed"),
    passed: color("passed"),
    failed: color("failed"),
    warning: color("warning"),
    literal: color("literal"),
    code: {
      keyword: color("keyword", strong),
      string: color("string"),
      number: color("number"),
      comment: color("comment", faint),
      function: color("function"),
      type: color("type"),
      property: color("property"),
      punctuation: color("punctuation"),
    },
    band: tint("band", 2),
    addedTint: tint("addedTint", 2),
    removedTint: tint("removedTint", 2),
    addedWord: tint("addedWord", 3, underline),
    removedWord: tint("removedWord", 3, underline),
    ...(ownText && { onTints: themeFor(level, hasStyles, hasLinks, { ...palette, ...onTints, onTints: undefined }) }),
  };
}

type TerminalLook = {
  readonly colorLevel?: ColorLevel;
  /** False if bold, dim and similar styles are not used either. */
  readonly hasStyles?: boolean;
  readonly hasLinks?: boolean;
  readonly fileAddress?: FileAddress;
};

/** The address of a file; undefined if the file does not exist. */
export type FileAddress = (path: string, line?: number) => string | undefined;

/** A palette in the colours that the terminal has, and whether the terminal shows links. */
export function terminalTheme(look: TerminalLook, palette?: Palette): Theme {
  const { colorLevel = 0, hasStyles = true, hasLinks = false, fileAddress } = look;
  const theme = themeFor(colorLevel, hasStyles, hasLinks, palette);
  if (!hasLinks || !fileAddress) return theme;
  const file = (text: string, path: string, line?: number) => {
    const address = fileAddress(path, line);
    return address === undefined ? text : hyperlink(text, address);
  };
  return { ...theme, file };
}

/** The maximum length of an address, because some terminals drop longer links: VTE's limit is the lowest. */
const MAX_ADDRESS_CHARS = 2_083;

/**
 * A hyperlink (OSC 8). Its id tells the terminal that the parts on wrapped lines are one link. Only web addresses are
 * linked: other addresses could start programs.
 */
function linked(text: string, address: string): string {
  const url = URL.parse(address);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  return url && isWeb ? hyperlink(text, url.href) : text;
}

function hyperlink(text: string, href: string): string {
  if (href.length > MAX_ADDRESS_CHARS || text === "") return text;
  return `\u001b]8;id=${idOf(href)};${href}\u0007${text}\u001b]8;;\u0007`;
}

/** A short number for a text (FNV-1a, 32 bits). */
function idOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** The duration of one step of the spinner. */
export const SPINNER_MS = 250;
const SPINNER = ["◐", "◓", "◑", "◒"] as const;

/** The spinner's glyph at a time of the monotonic clock. */
export function spinnerAt(nowMs: number, { isStill = false }: Pick<Theme, "isStill">): string {
  return isStill ? SPINNER[0] : (SPINNER[Math.floor(nowMs / SPINNER_MS) % SPINNER.length] ?? SPINNER[0]);
}

export const GLYPHS = {
  prompt: "›",
  /** The prompt's sign while a command of Quoll, or of the shell, is typed. */
  command: "»",
  shell: "$",
  text: "●",
  running: "◐",
  failed: "✗",
  passed: "✓",
  warning: "▲",
  stopped: "■",
  info: "·",
  next: "↳",
  choice: "❯",
  /** The part that keys act on, beside a chosen answer or above the prompt. */
  current: "▎",
  taken: "☑",
  left: "☐",
  todo: { pending: "☐", in_progress: "◐", completed: "☑" },
} as const;
