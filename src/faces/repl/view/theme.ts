/** 0: no colour (NO_COLOR, TERM=dumb, a pipe) · 1: 16 colours · 2: 256 · 3: 16 million. */
export type ColorLevel = 0 | 1 | 2 | 3;

type Paint = (text: string) => string;

/** Every colour of the REPL. A glyph always has the same meaning as the colour. */
export type Theme = {
  readonly level: ColorLevel;
  readonly accent: Paint;
  readonly strong: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly struck: Paint;
  readonly underline: Paint;
  /** A text that opens an address where the terminal can; elsewhere the plain text. */
  readonly link: (text: string, address: string) => string;
  /** Text in the colour of its background. */
  readonly inverse: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly passed: Paint;
  readonly failed: Paint;
  readonly warning: Paint;
  /** Inline code, and literals in code. */
  readonly literal: Paint;
};

/** Foreground codes for 16, 256 and 16 million colours. The 16 colours follow the terminal's own palette. */
const AMBER = ["33", "38;5;214", "38;2;240;168;48"] as const;
const GREEN = ["32", "38;5;71", "38;2;106;176;104"] as const;
const RED = ["31", "38;5;167", "38;2;217;98;88"] as const;
const CYAN = ["36", "38;5;109", "38;2;128;176;184"] as const;

/**
 * @param hasStyles True if bold, dim and the like are written: they are no colours, so NO_COLOR keeps them.
 * @param hasLinks True if the terminal shows links.
 */
export function themeFor(level: ColorLevel, hasStyles = level > 0, hasLinks = false): Theme {
  const style = (open: string, close: string, isOn = hasStyles): Paint => {
    if (!isOn) return (text) => text;
    return (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`);
  };
  const color = (codes: readonly [string, string, string]): Paint =>
    style(codes[level === 3 ? 2 : level === 2 ? 1 : 0], "39", level > 0);
  return {
    level,
    accent: color(AMBER),
    strong: style("1", "22"),
    dim: style("2", "22"),
    italic: style("3", "23"),
    struck: style("9", "29"),
    underline: style("4", "24"),
    link: (text, address) => (hasLinks ? linked(text, address) : text),
    inverse: style("7", "27"),
    added: color(GREEN),
    removed: color(RED),
    passed: color(GREEN),
    failed: color(RED),
    warning: color(AMBER),
    literal: color(CYAN),
  };
}

type TerminalLook = {
  readonly stdout: Pick<NodeJS.WriteStream, "getColorDepth">;
  readonly colorLevel?: ColorLevel;
  readonly isDumb?: boolean;
  readonly hasLinks?: boolean;
};

/** The terminal's colours, and whether it shows links. */
export function terminalTheme({ stdout, colorLevel, isDumb = false, hasLinks = false }: TerminalLook): Theme {
  return themeFor(colorLevel ?? colorLevelOf(stdout.getColorDepth?.() ?? 1), !isDumb, hasLinks && !isDumb);
}

/** Longer addresses make some terminals drop the link: VTE's limit is the lowest. */
const MAX_ADDRESS_CHARS = 2_083;

/**
 * A hyperlink (OSC 8). Its id tells the terminal that the parts on wrapped lines are one link. Only addresses of the web:
 * others could start programs.
 */
function linked(text: string, address: string): string {
  const url = URL.parse(address);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || url.href.length > MAX_ADDRESS_CHARS || text === "") return text;
  return `\u001b]8;id=${idOf(url.href)};${url.href}\u0007${text}\u001b]8;;\u0007`;
}

/** A short number for a text (FNV-1a, 32 bits). */
function idOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** From the number of bits for a colour, as returned by `getColorDepth()`. */
function colorLevelOf(depth: number): ColorLevel {
  if (depth >= 24) return 3;
  if (depth >= 8) return 2;
  return depth >= 4 ? 1 : 0;
}

/** Time of one step of the spinner. */
export const SPINNER_MS = 250;
const SPINNER = ["◐", "◓", "◑", "◒"] as const;

/** The spinner's glyph at a time of the monotonic clock. */
export function spinnerAt(nowMs: number): string {
  return SPINNER[Math.floor(nowMs / SPINNER_MS) % SPINNER.length] ?? SPINNER[0];
}

export const GLYPHS = {
  prompt: "›",
  text: "●",
  running: "◐",
  failed: "✗",
  passed: "✓",
  warning: "▲",
  stopped: "■",
  info: "·",
  next: "↳",
  choice: "❯",
  taken: "☑",
  left: "☐",
  todo: { pending: "☐", in_progress: "◐", completed: "☑" },
} as const;
