import { expect, test } from "bun:test";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { captureLines } from "../../../../src/faces/repl/layers/capture-layer.ts";
import {
  type Effect,
  emptyUi,
  type KeyCapture,
  NO_PREVIEW,
  type Ui,
  type UiContext,
} from "../../../../src/faces/repl/layers/ui-state.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const ESC = "\u001b";
const CONTEXT: UiContext = {
  ...{
    isBusy: false,
    isStopping: false,
    nowMs: 10_000,
    columns: 40,
    commands: [],
    mode: "default",
    modes: ["default"],
  },
  ...{ preview: NO_PREVIEW, canEdit: false, questionCount: 0, keymap: DEFAULT_KEYMAP },
};
const CAPTURE: KeyCapture = {
  ...{ title: "New keys: draws", where: "where it is", pressed: [], back: "/keys" },
  inputOf: (keys) => `/keys save ${keys}`,
  check: (keys) =>
    keys === "x" ? { problem: "x is typed", notes: [] } : { problem: undefined, notes: [`${keys} is taken`] },
};
const ui: Ui = { ...emptyUi, capture: CAPTURE };
const submit = (text: string): readonly Effect[] => [{ type: "submit", text, remembered: "" }];

test("every key is taken as it is, also those that do something elsewhere", () => {
  const pressed = pressKeys(ui, CONTEXT, "\u0018", "\u0005");
  expect([pressed.ui.capture?.pressed, pressed.effects, pressed.ui.chord]).toEqual([
    ["ctrl+x", "ctrl+e"],
    [],
    undefined,
  ]);
  const saved = pressKeys(pressed.ui, CONTEXT, "\r");
  expect([saved.ui.capture, saved.effects]).toEqual([undefined, submit("/keys save ctrl+x ctrl+e")]);
  expect(pressKeys(pressed.ui, CONTEXT, "\u007f", "\u007f").ui.capture?.pressed).toEqual([]);
  expect(pressKeys(pressed.ui, CONTEXT, "\u0001", "\u0002").ui.capture?.pressed).toHaveLength(3);
});

test("esc and ctrl+c go back, and keys that can't be used are not saved", () => {
  for (const key of [ESC, "\u0003"]) {
    const left = pressKeys(ui, CONTEXT, key);
    expect([left.ui.capture, left.effects]).toEqual([undefined, submit("/keys")]);
  }
  expect(pressKeys(ui, CONTEXT, "\r").ui.capture).toBe(CAPTURE);
  const typed = pressKeys(ui, CONTEXT, "x", "\r");
  expect([typed.ui.capture?.pressed, typed.effects]).toEqual([["x"], []]);
});

test("the box says what the keys would change, within the window", () => {
  const lines = (pressed: readonly string[], columns: number) =>
    captureLines({ ...CAPTURE, pressed }, { theme: themeFor(0), columns });
  expect(lines([], 40).join("\n")).toContain("press the keys");
  expect(lines(["ctrl+e"], 80).join("\n")).toContain("ctrl+e is taken");
  expect(lines(["x"], 80).join("\n")).toContain("x is typed");
  for (const columns of [20, 40, 80])
    expect(Math.max(...lines(["ctrl+e"], columns).map((line) => line.length))).toBeLessThanOrEqual(columns);
});
