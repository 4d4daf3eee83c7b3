import { expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import { BUILTIN_COMMANDS } from "../../../../src/commands/builtin-commands.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { tipsFrom } from "../../../../src/faces/repl/prompt/tip-texts.ts";
import { goldenStage } from "../../../support/golden-stage.ts";

const SIZE = { columns: 80, rows: 24 };
const LONG_MS = 9_000;
const TIP = /^› Tip: (.*)$/;

/** The tips of turns that take so long, one after the other. */
async function tipsOf(turns: readonly number[], props = {}) {
  using stage = goldenStage(SIZE, "dark", { terminal: { colorLevel: 0, hasStyles: false }, props });
  await stage.start();
  const tips: (string | undefined)[] = [];
  for (const ms of turns) {
    stage.here.state({ busy: true });
    await stage.here.wait(ms);
    // The code of the tips is loaded in the first long turn.
    for (let tries = 0; tries < 20; tries += 1) await stage.here.wait(50);
    const row = stage.snapshot().frame.lines.find((line) => TIP.test(line));
    tips.push(row && TIP.exec(row)?.[1]);
    stage.here.state({ busy: false });
    await stage.here.wait(1_000);
    expect(stage.snapshot().frame.lines.join("\n")).not.toContain("Tip:");
  }
  return tips;
}

test("a long turn has one tip, a short turn has none, and no tip comes twice in a session", async () => {
  const all = tipsFrom(DEFAULT_KEYMAP, 0).map(({ text }) => text);
  const [short, ...long] = await tipsOf([2_000, ...Array.from({ length: all.length + 1 }, () => LONG_MS)]);
  expect(short).toBeUndefined();
  expect(long.slice(0, -1).toSorted()).toEqual(all.toSorted() as never);
  expect(long.at(-1)).toBeUndefined();
});

test("the setting terminal.tips switches tips off", async () => {
  expect(await tipsOf([LONG_MS], { prompt: { ghostText: true, editorMode: "plain", tips: false } })).toEqual([
    undefined,
  ]);
});

test("a tip names the key that an action has now, and is left out where it has none", () => {
  const texts = (keymap: typeof DEFAULT_KEYMAP) => tipsFrom(keymap, 0).map(({ text }) => text);
  const mode = ({ action }: { readonly action: string }) => action === "prompt.nextMode";
  const moved = DEFAULT_KEYMAP.map((one) => (mode(one) ? { ...one, key: "f5" } : one));
  const unbound = DEFAULT_KEYMAP.filter((one) => !mode(one));
  expect(texts(DEFAULT_KEYMAP)).toContain("shift+tab changes the permission mode");
  expect(texts(moved)).toContain("f5 changes the permission mode");
  expect(texts(unbound)).toHaveLength(texts(DEFAULT_KEYMAP).length - 1);
});

test("every tip fits into 80 columns and names commands that exist", () => {
  const names = new Set(BUILTIN_COMMANDS.map(({ name }) => name));
  for (const { text } of tipsFrom(DEFAULT_KEYMAP, 0)) {
    expect(textWidth(`› Tip: ${text}`)).toBeLessThan(80);
    const [, command] = /^\/([a-z-]+)/.exec(text) ?? [];
    if (command !== undefined) expect(names).toContain(command);
  }
});
