import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { screenMode } from "../../src/platform/screen-mode.ts";
import { hasTerminalLinks, imageProtocol, notificationForm } from "../../src/platform/terminal-facts.ts";

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
