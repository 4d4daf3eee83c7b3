import { expect, test } from "bun:test";
import { hasTerminalLinks } from "../../src/platform/terminal-links.ts";

test.each([
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, true],
  [{ TERM: "xterm-256color", VTE_VERSION: "7006" }, true],
  [{ TERM: "xterm-256color", VTE_VERSION: "5000" }, false],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, false],
  [{ TERM: "screen-256color", VTE_VERSION: "7006" }, false],
  [{ TERM: "xterm-kitty", TMUX: "/tmp/x,1,0" }, false],
  [{ TERM: "dumb", TERM_PROGRAM: "vscode" }, false],
  [{ TERM: "xterm", FORCE_HYPERLINK: "1" }, true],
  [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
])("the terminal of %j shows links: %p", (env, has) => {
  expect(hasTerminalLinks(env)).toBe(has);
});
