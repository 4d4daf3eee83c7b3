import { expect, test } from "bun:test";
import { imageProtocol } from "../../src/platform/terminal-images.ts";

test.each([
  [{ TERM: "xterm-kitty" }, "kitty"],
  [{ TERM: "xterm-ghostty" }, "kitty"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "ghostty" }, "kitty"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "iterm2"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "iterm2"],
  [{ TERM: "xterm-256color", LC_TERMINAL: "iTerm2", SSH_TTY: "/dev/pts/1" }, "iterm2"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "vscode", LC_TERMINAL: "iTerm2" }, undefined],
  [{ TERM: "tmux-256color", LC_TERMINAL: "iTerm2" }, undefined],
  [{ TERM: "xterm-kitty", TMUX: "/tmp/x,1,0" }, undefined],
  [{ TERM: "xterm-kitty", ZELLIJ: "0" }, undefined],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "ghostty", NVIM: "/run/nvim.1.0" }, undefined],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm", VIM_TERMINAL: "900" }, undefined],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app", INSIDE_EMACS: "29.1,vterm" }, undefined],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm", TERMINAL_EMULATOR: "JetBrains-JediTerm" }, undefined],
  [{ TERM: "foot" }, undefined],
  [{ TERM: "xterm-256color" }, undefined],
  [{ TERM: "dumb", TERM_PROGRAM: "iTerm.app" }, undefined],
])("the terminal of %j shows images by: %p", (env, protocol) => {
  expect(imageProtocol(env)).toBe(protocol as ReturnType<typeof imageProtocol>);
});
