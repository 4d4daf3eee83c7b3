import type { ImageProtocol, NotificationForm } from "../contracts/terminal-settings.ts";
import type { ColorLevel } from "../contracts/theme.ts";
import type { Environment } from "./env.ts";

/** True, false, or undefined if the environment does not tell. */
type Known = boolean | undefined;

/** The known features of terminals, by their names in the environment. */
export type TerminalFacts = {
  /** `Ghostty`; the value of TERM for an unknown one. */
  readonly name: string;
  /** `tmux`, `screen`, `Zellij`: the multiplexer then decides what a program sees. */
  readonly multiplexer: string | undefined;
  readonly isRemote: boolean;
  /** The kitty keyboard protocol: keys such as shift+enter arrive. */
  readonly kittyKeys: Known;
  /** OSC 52. */
  readonly clipboard: Known;
  /** OSC 9. */
  readonly notifications: Known;
  readonly trueColour: Known;
  /** OSC 8. */
  readonly links: boolean;
  /** The image protocol of the terminal. */
  readonly images: string | undefined;
  /** Quoll shows images in it. */
  readonly showsImages: boolean;
};

type Abilities = Pick<TerminalFacts, "kittyKeys" | "clipboard" | "notifications" | "images">;

/** Facts from the documentation of each terminal, late 2026; undefined if they depend on the version or a setting. */
const TERMINALS: Readonly<Record<string, Abilities>> = {
  kitty: { kittyKeys: true, clipboard: true, notifications: true, images: "kitty" },
  Ghostty: { kittyKeys: true, clipboard: true, notifications: true, images: "kitty" },
  WezTerm: { kittyKeys: undefined, clipboard: true, notifications: true, images: "iTerm2, sixel" },
  iTerm2: { kittyKeys: true, clipboard: undefined, notifications: true, images: "iTerm2" },
  Alacritty: { kittyKeys: true, clipboard: true, notifications: false, images: undefined },
  foot: { kittyKeys: true, clipboard: true, notifications: undefined, images: "sixel" },
  rio: { kittyKeys: true, clipboard: true, notifications: undefined, images: "sixel" },
  "VS Code": { kittyKeys: true, clipboard: true, notifications: undefined, images: undefined },
  Cursor: { kittyKeys: false, clipboard: true, notifications: undefined, images: undefined },
  "Windows Terminal": { kittyKeys: undefined, clipboard: true, notifications: undefined, images: "sixel" },
  Konsole: { kittyKeys: undefined, clipboard: undefined, notifications: undefined, images: "sixel" },
  "a terminal of GNOME (VTE)": { kittyKeys: false, clipboard: false, notifications: undefined, images: undefined },
  "Apple Terminal": { kittyKeys: false, clipboard: false, notifications: false, images: undefined },
};
const BY_PROGRAM: Readonly<Record<string, string>> = {
  "iTerm.app": "iTerm2",
  Apple_Terminal: "Apple Terminal",
  WezTerm: "WezTerm",
  ghostty: "Ghostty",
  rio: "rio",
};
const UNKNOWN: Abilities = { kittyKeys: undefined, clipboard: undefined, notifications: undefined, images: undefined };
/** The first release of VS Code whose terminal speaks kitty's keyboard protocol without a setting. */
const FIRST_KITTY_VSCODE = 113;

/** Reads the environment only: nothing is sent to the terminal. */
export function terminalFacts(env: Environment): TerminalFacts {
  const name = nameOf(env);
  const known = TERMINALS[name] ?? UNKNOWN;
  const kittyKeys = name === "VS Code" ? hasKittyKeys(env["TERM_PROGRAM_VERSION"]) : known.kittyKeys;
  return {
    ...known,
    name,
    multiplexer: env["TMUX"] ? "tmux" : env["ZELLIJ"] ? "Zellij" : env["STY"] ? "screen" : undefined,
    isRemote: Boolean(env["SSH_CONNECTION"] || env["SSH_TTY"]),
    kittyKeys,
    trueColour: hasTrueColour(env) || (name === "Apple Terminal" ? false : undefined),
    links: hasTerminalLinks(env),
    showsImages: imageProtocol(env) !== undefined,
  };
}

function nameOf(env: Environment): string {
  const term = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (program === "vscode") return env["CURSOR_TRACE_ID"] ? "Cursor" : "VS Code";
  const named = BY_PROGRAM[program];
  if (named) return named;
  if (/^xterm-kitty/.test(term)) return "kitty";
  if (/^xterm-ghostty/.test(term)) return "Ghostty";
  if (/^alacritty/.test(term)) return "Alacritty";
  if (/^foot/.test(term)) return "foot";
  if (env["WT_SESSION"]) return "Windows Terminal";
  if (env["KONSOLE_VERSION"]) return "Konsole";
  // iTerm2 has its name sent over SSH.
  if (program === "" && env["LC_TERMINAL"] === "iTerm2") return "iTerm2";
  if (env["VTE_VERSION"]) return "a terminal of GNOME (VTE)";
  // A multiplexer names itself, and hides what it runs in.
  return [program, term].find((one) => one !== "" && !/^(?:tmux|screen|zellij)/i.test(one)) ?? "an unknown terminal";
}

/** @param version `1.113.0`. */
function hasKittyKeys(version = ""): Known {
  const minor = /^1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor) >= FIRST_KITTY_VSCODE;
}

/** Programs that name themselves in TERM_PROGRAM and show links; VS Code's terminal, Ghostty and others. */
const PROGRAMS = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Tabby", "rio"]);
const TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|rio)/;
/** VTE crashed on links in 0.50.0, the first version that knew them. */
const FIRST_SAFE_VTE = 5001;

/**
 * True if this is a terminal that is known to show links (OSC 8). A multiplexer may drop links or print their bytes, so
 * no links are shown inside one. FORCE_HYPERLINK decides otherwise: 0 for no links, any other value for links.
 */
export function hasTerminalLinks(env: Environment): boolean {
  const forced = env["FORCE_HYPERLINK"];
  if (forced) return forced !== "0";
  const term = env["TERM"] ?? "";
  if (term === "dumb" || /^(?:screen|tmux)/.test(term) || env["TMUX"] || env["STY"] || env["ZELLIJ"]) return false;
  if (Number(env["VTE_VERSION"] ?? 0) >= FIRST_SAFE_VTE || env["KONSOLE_VERSION"] || env["WT_SESSION"]) return true;
  return TERMS.test(term) || PROGRAMS.has(env["TERM_PROGRAM"] ?? "");
}

/** The variables by which a person or a program decides about colours. */
const COLOR_WISHES = ["NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS"];
/** Values of TERM of terminals that have 16 million colours in each of their versions, also where no COLORTERM says so, as over SSH. */
const DIRECT_TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|rio|iterm2)\b|-direct$/;

/**
 * The colours of a terminal: those that the runtime knows, or more where TERM tells more: the runtime has no entry for foot, nor for
 * `tmux-256color`.
 * @param stdout The terminal.
 */
export function colorLevel(stdout: Partial<Pick<NodeJS.WriteStream, "getColorDepth">>, env: Environment): ColorLevel {
  const level = levelOfDepth(stdout.getColorDepth?.() ?? 1);
  const { TERM: term = "" } = env;
  // A program that shows plain text, such as Emacs' shell, inherits COLORTERM of the terminal that it was started in.
  if (term === "dumb" || COLOR_WISHES.some((name) => env[name] !== undefined)) return level;
  if (hasTrueColour(env)) return 3;
  return level < 2 && /-256color$/.test(term) ? 2 : level;
}

/** True if a variable says so; Windows Terminal sets no COLORTERM in WSL. */
function hasTrueColour({ COLORTERM = "", TERM = "", WT_SESSION }: Environment): boolean {
  return /^(?:truecolor|24bit)$/.test(COLORTERM) || DIRECT_TERMS.test(TERM) || Boolean(WT_SESSION);
}

/** @param depth The number of bits for a colour. */
function levelOfDepth(depth: number): ColorLevel {
  if (depth >= 24) return 3;
  if (depth >= 8) return 2;
  return depth >= 4 ? 1 : 0;
}

/** Programs that name themselves in TERM_PROGRAM, and the protocol that their documentation names. */
const IMAGE_PROGRAMS: Readonly<Record<string, ImageProtocol>> = {
  "iTerm.app": "iterm2",
  WezTerm: "iterm2",
  ghostty: "kitty",
};

/**
 * Set by multiplexers, and by terminals inside of Neovim, Vim, Emacs and JetBrains' editors, which inherit TERM_PROGRAM
 * from the terminal that they were started in.
 */
const INSIDE = ["TMUX", "STY", "ZELLIJ", "NVIM", "VIM_TERMINAL", "INSIDE_EMACS", "TERMINAL_EMULATOR"];

/**
 * The protocol by which this terminal is known to show images. A multiplexer or an editor's terminal may drop or print
 * the bytes of an image, so no protocol is reported inside one. Over SSH, TERM and often LC_TERMINAL (iTerm2) still
 * name the terminal.
 */
export function imageProtocol(env: Environment): ImageProtocol | undefined {
  const term = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (term === "dumb" || /^(?:screen|tmux)/.test(term) || INSIDE.some((name) => env[name])) return undefined;
  if (program !== "") return IMAGE_PROGRAMS[program];
  if (/^xterm-(?:kitty|ghostty)/.test(term)) return "kitty";
  return env["LC_TERMINAL"] === "iTerm2" ? "iterm2" : undefined;
}

/**
 * The desktop notification of this terminal, by its own documentation: kitty has OSC 99; Ghostty, foot and rxvt-unicode
 * have OSC 777; iTerm2 and WezTerm have OSC 9, which other terminals ignore. Inside a multiplexer, the variables are those of the
 * terminal in which it was started.
 */
export function notificationForm(env: Environment): NotificationForm {
  const { TERM: term = "", TERM_PROGRAM: program = "" } = env;
  if (term === "linux" || term === "dumb") return "off";
  if (env["KITTY_WINDOW_ID"] || term === "xterm-kitty") return "osc99";
  const isOf777 = /^(?:foot|rxvt|xterm-ghostty)/.test(term) || program === "ghostty" || env["GHOSTTY_RESOURCES_DIR"];
  return isOf777 ? "osc777" : "osc9";
}

/** The multiplexer that passes a wrapped sequence on to its terminal. */
export function passThroughOf(env: Environment): "tmux" | "screen" | undefined {
  if (env["TMUX"]) return "tmux";
  return env["STY"] ? "screen" : undefined;
}
