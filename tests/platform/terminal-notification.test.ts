import { expect, test } from "bun:test";
import { notificationForm, passThroughOf } from "../../src/platform/terminal-facts.ts";

test.each([
  [{ TERM: "xterm-kitty", KITTY_WINDOW_ID: "1" }, "osc99"],
  [{ TERM: "tmux-256color", TMUX: "/tmp/x,1,0", KITTY_WINDOW_ID: "1" }, "osc99"],
  [{ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, "osc777"],
  [{ TERM: "foot-extra" }, "osc777"],
  [{ TERM: "rxvt-unicode-256color" }, "osc777"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "osc9"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "osc9"],
  [{ TERM: "xterm-256color", WT_SESSION: "x" }, "osc9"],
  [{ TERM: "linux" }, "off"],
] as const)("the notification of the terminal %j is %s", (environment, form) => {
  expect(notificationForm(environment)).toBe(form);
});

test("tmux and screen pass a wrapped sequence on", () => {
  expect(passThroughOf({ TMUX: "/tmp/x,1,0" })).toBe("tmux");
  expect(passThroughOf({ STY: "1.pts" })).toBe("screen");
  expect(passThroughOf({ TERM: "xterm" })).toBeUndefined();
});
