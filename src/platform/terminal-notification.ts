import type { NotificationForm } from "../contracts/terminal-settings.ts";
import type { Environment } from "./env.ts";

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
