import type { Environment } from "./env.ts";

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
