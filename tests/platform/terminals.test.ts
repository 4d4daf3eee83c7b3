import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { screenMode } from "../../src/platform/screen-mode.ts";
import { colorLevel, hasTerminalLinks, imageProtocol, notificationForm } from "../../src/platform/terminal-facts.ts";

const GUIDE = readFileSync(new URL("../../docs/guide/terminal.md", import.meta.url), "utf8");
const ROW = /^\| ([^|]+) \| `(\w+)=([^`]+)` \| (\w+) \| (yes|no) \| (\w+) \| (yes|no) \|$/gm;
const rows = Array.from(GUIDE.matchAll(ROW), ([, ...cells]) => cells.map(String));

test("the guide has a row for each kind of terminal", () => {
  expect(rows.length).toBeGreaterThanOrEqual(14);
});

test.each(rows)(
  "%s (%s=%s) is drawn %s, with links: %s, notified by %s, with images: %s",
  (_, name = "", value = "", ...told) => {
    const env = { TERM: "xterm-256color", [name]: value };
    const known = [
      screenMode(env),
      hasTerminalLinks(env) ? "yes" : "no",
      notificationForm(env),
      imageProtocol(env) ? "yes" : "no",
    ];
    expect(known).toEqual(told as typeof known);
  },
);

describe("the colours of a terminal", () => {
  const unknown = { getColorDepth: () => 1 };
  const of16 = { getColorDepth: () => 4 };

  test.each([
    ["foot", 3],
    ["foot-extra", 3],
    ["alacritty", 3],
    ["wezterm", 3],
    ["xterm-ghostty", 3],
    ["xterm-kitty", 3],
    ["xterm-direct", 3],
    ["tmux-256color", 2],
    ["screen-256color", 2],
    ["konsole-256color", 2],
    ["dumb", 0],
    ["footer", 0],
  ] as const)("follow from TERM=%s where the runtime does not know it: level %d", (TERM, level) => {
    expect(colorLevel(unknown, { TERM })).toBe(level);
  });

  test("are those that the runtime knows, if TERM says less", () => {
    expect(colorLevel({ getColorDepth: () => 24 }, { TERM: "tmux-256color" })).toBe(3);
    expect(colorLevel({ getColorDepth: () => 8 }, { TERM: "xterm" })).toBe(2);
    expect(colorLevel(of16, { TERM: "xterm" })).toBe(1);
    expect(colorLevel({}, { TERM: "xterm" })).toBe(0);
  });

  test("are 16 million in Windows Terminal, which tells no COLORTERM to WSL", () => {
    expect(colorLevel(of16, { TERM: "xterm-256color", WT_SESSION: "1" })).toBe(3);
  });

  test("are none in a dumb terminal, which inherits the variables of the terminal around it", () => {
    for (const outer of [{ COLORTERM: "truecolor" }, { WT_SESSION: "1" }])
      expect(colorLevel(unknown, { TERM: "dumb", ...outer })).toBe(0);
  });

  test("are left to the runtime where a person or a program decided", () => {
    expect(colorLevel(unknown, { TERM: "foot", NO_COLOR: "1" })).toBe(0);
    expect(colorLevel(of16, { TERM: "alacritty", FORCE_COLOR: "1" })).toBe(1);
  });
});
