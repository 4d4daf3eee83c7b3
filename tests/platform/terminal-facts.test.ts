import { expect, test } from "bun:test";
import { hasTerminalLinks, imageProtocol, terminalFacts } from "../../src/platform/terminal-facts.ts";

test("a terminal is known by its name, and VS Code by its version", () => {
  expect(terminalFacts({ TERM: "xterm-kitty", COLORTERM: "truecolor" })).toMatchObject({
    ...{ name: "kitty", kittyKeys: true, clipboard: true, trueColour: true, links: true, images: "kitty" },
  });
  const code = (version: string) => terminalFacts({ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: version });
  expect(code("1.113.0")).toMatchObject({ name: "VS Code", kittyKeys: true });
  expect(code("1.99.2").kittyKeys).toBe(false);
  expect(terminalFacts({ TERM_PROGRAM: "vscode", CURSOR_TRACE_ID: "1" })).toMatchObject({
    name: "Cursor",
    kittyKeys: false,
  });
  expect(terminalFacts({ TERM: "xterm-256color", LC_TERMINAL: "iTerm2" })).toMatchObject({
    ...{ name: "iTerm2", images: "iTerm2", showsImages: true },
  });
  expect(terminalFacts({ TERM: "foot" })).toMatchObject({ images: "sixel", showsImages: false });
  expect(terminalFacts({ TERM_PROGRAM: "Apple_Terminal", COLORTERM: "" }).trueColour).toBe(false);
  const nested = terminalFacts({ TERM: "tmux-256color", TMUX: "/s", SSH_TTY: "/dev/pts/1" });
  expect(nested).toMatchObject({ name: "an unknown terminal", multiplexer: "tmux", isRemote: true, links: false });
});

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
