import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { shortKeys } from "../../../../src/faces/repl/keymap/short-keys.ts";
import type { Room } from "../../../../src/faces/repl/layers/layer.ts";
import { helpLines } from "../../../../src/faces/repl/view/help-lines.ts";
import { dialogRows } from "../../../../src/faces/repl/view/layout.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { goldenStage } from "../../../support/golden-stage.ts";

const PAGES = 8;

/** The pages of the list of keys in a window of this size. */
function pages(columns: number, rows: number, keymap = DEFAULT_KEYMAP): readonly (readonly string[])[] {
  const room = { theme: themeFor(1), columns, rows } as Room;
  const all = Array.from({ length: PAGES }, (_, page) => helpLines(keymap, page, room).map(stripAnsi));
  return all.filter((page, at) => all.findIndex((one) => one.join() === page.join()) === at);
}

test("the whole list of keys stands in one page of 80×24, and nothing of it is cut", () => {
  const [page = [], ...others] = pages(80, 24);
  expect(others).toEqual([]);
  expect(page.join("\n")).not.toContain("…");
  for (const { keys, does } of shortKeys(DEFAULT_KEYMAP)) expect(page.join("\n")).toMatch(rowOf(keys, does));
});

test("in any window the pages hold each key once, in rows that fit", () => {
  for (const rows of [10, 14, 24, 50])
    for (let columns = 40; columns <= 130; columns += 5) {
      const all = pages(columns, rows);
      expect(all.every((page) => page.length <= dialogRows(rows))).toBe(true);
      const lines = all.flat();
      expect(lines.every((line) => textWidth(line) <= columns)).toBe(true);
      for (const { keys, does } of shortKeys(DEFAULT_KEYMAP))
        expect(lines.filter((line) => rowOf(keys, does).test(line))).toHaveLength(1);
    }
});

test("the list of keys is shown as soon as its code is loaded", async () => {
  using stage = goldenStage({ columns: 80, rows: 24 }, "dark", {});
  await stage.start();
  const { here } = stage;
  await here.wait(1_000);
  await here.type("?");
  // The code takes turns of the event loop to load, but no time passes on the screen's clock.
  for (let turn = 0; turn < 20; turn += 1) await here.clock.advance(0);
  expect(stage.snapshot().frame.lines.join("\n")).toContain("permission mode");
});

test("an action without a key has no row", () => {
  const without = DEFAULT_KEYMAP.filter(({ action }) => action !== "prompt.openPaste");
  expect(shortKeys(without)).toHaveLength(shortKeys(DEFAULT_KEYMAP).length - 1);
});

/** A row, or a half of one, with keys and their words. */
function rowOf(keys: string, does: string): RegExp {
  return new RegExp(` {2}${RegExp.escape(keys)}(?::| +) *${RegExp.escape(does)}(?: |$)`, "m");
}
