import type { ImageProtocol } from "../contracts/terminal-settings.ts";
import type { Environment } from "./env.ts";

/** Programs that name themselves in TERM_PROGRAM, and the protocol that their documentation names. */
const PROGRAMS: Readonly<Record<string, ImageProtocol>> = {
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
  if (program !== "") return PROGRAMS[program];
  if (/^xterm-(?:kitty|ghostty)/.test(term)) return "kitty";
  return env["LC_TERMINAL"] === "iTerm2" ? "iterm2" : undefined;
}
