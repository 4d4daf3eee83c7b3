import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { emptyUi, NO_PREVIEW, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const [PAGE_UP, PAGE_DOWN] = ["\u001b[5~", "\u001b[6~"];
const CONTEXT: UiContext = {
  ...{
    isBusy: false,
    isStopping: false,
    nowMs: 10_000,
    columns: 80,
    commands: [],
    mode: "default",
    modes: ["default"],
  },
  ...{ preview: NO_PREVIEW, canEdit: false, questionCount: 0, keymap: DEFAULT_KEYMAP },
};

const theme = themeFor(0, true);
const SHORTCUTS = ["rename", "pin", "archive"].map((label) => ({ letter: label[0] ?? "", label }));

function shown(columns: number, rows: number, index = 0): readonly string[] {
  const choices = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ label: `fix part ${at} ${"of the shop ".repeat(at === 1 ? 20 : 0)}`, detail: "", brief: `id${at}` },
    ...{ second: `~/src/shop · main · ${at} prompts`, id: `id${at}`, input: `/resume ${at}` },
    about: [`last: prompt of ${at}`, "● The answer."],
  }));
  const picker = { ...openPicker({ title: "Resume a session", choices, shortcuts: SHORTCUTS }), index };
  return pickerLines(picker, { theme, columns, rows }).lines.map((line) => stripAnsi(line).trimEnd());
}

test("a choice with a second row has two rows, cut to the window, and many shortcuts get their own row", () => {
  const lines = shown(60, 24);
  expect(lines.slice(1, 6)).toEqual([
    `Resume a session${" ".repeat(32)}1–6 of 10000`,
    `❯ fix part 0${" ".repeat(45)}id0`,
    "  ~/src/shop · main · 0 prompts",
    `  fix part 1 of the shop of the shop of the shop of th…  id1`,
    "  ~/src/shop · main · 1 prompts",
  ]);
  expect(lines.at(-1)).toBe("  ctrl+r rename · ctrl+p pin · ctrl+a archive");
  expect(lines).toHaveLength(16);
});

test("the selected choice stays in view, and the lines about it are below in a high window, beside in a wide one", () => {
  const high = shown(80, 40, 9_999);
  expect(high).toContain("❯ fix part 9999".padEnd(74).concat("id9999"));
  expect(high).toContain("  last: prompt of 9999");
  const wide = shown(120, 40, 5_000);
  expect(wide.find((line) => line.startsWith("  fix part") && line.includes("│"))).toContain("id");
  expect(wide.some((line) => line.endsWith("│ last: prompt of 5000"))).toBe(true);
  expect(shown(80, 24).some((line) => line.includes("last: prompt"))).toBe(false);
});

test("beside the lines about a choice too, the values of labels of a few words begin in one column", () => {
  const labels = ["Theme", "Earlier prompts as suggestions", "permissions.disableBypassPermissionsMode", "Bell"];
  const about = ["what it is", "its key", "its file", "its place"];
  const choices = [...labels, ...labels, ...labels].map((label) => ({ label, detail: "auto", input: "", about }));
  const { lines } = pickerLines(openPicker({ title: "Settings", choices }), {
    ...{ theme: themeFor(0), columns: 120, rows: 40 },
  });
  const columns = lines.flatMap((line) => (/Theme|Earlier|Bell/.test(line) ? [line.indexOf("auto")] : []));
  expect(new Set(columns).size).toBe(1);
});

test("of a list without lines about its choices, what a narrow row cuts off is told below the list", () => {
  const details = ["for a dark background", "blue and orange instead of green and red", ""];
  const choices = details.map((detail, at) => ({ label: `theme-${at}-of-this-terminal`, detail, input: "" }));
  const lines = (columns: number, index: number) =>
    pickerLines({ ...openPicker({ title: "Theme", choices }), index }, { theme, columns, rows: 24 }).lines.map((line) =>
      stripAnsi(line).trim(),
    );
  expect(lines(40, 1).join(" ")).toContain("theme-1-of-this-terminal blue and orange instead of green and red");
  expect(lines(40, 0)).toHaveLength(lines(40, 1).length);
  expect(lines(80, 1)).toHaveLength(lines(40, 1).length - 3);
});

test("a page of a list is what is in view: PgDn and PgUp go so far", () => {
  const choices = Array.from({ length: 1_000 }, (_, at) => ({ label: `choice ${at}`, detail: "", input: "" }));
  const picker = openPicker({ title: "Choose", choices });
  for (const rows of [12, 24, 50]) {
    const { lines, preview = NO_PREVIEW } = pickerLines(picker, { theme, columns: 80, rows });
    const inView = lines.filter((line) => line.includes("choice ")).length;
    const first = (...keys: readonly string[]) => {
      const moved = pressKeys({ ...emptyUi, picker }, { ...CONTEXT, preview }, ...keys).ui.picker ?? picker;
      const shown = pickerLines(moved, { theme, columns: 80, rows }).lines.find((line) => line.includes("choice "));
      return Number(/choice (\d+)/.exec(shown ?? "")?.[1]);
    };
    expect([first(PAGE_DOWN), first(PAGE_DOWN, PAGE_DOWN), first(PAGE_DOWN, PAGE_DOWN, PAGE_UP)]).toEqual([
      ...[inView, 2 * inView, inView],
    ]);
    const index = (...keys: readonly string[]) =>
      pressKeys({ ...emptyUi, picker }, { ...CONTEXT, preview }, ...keys).ui.picker?.index;
    expect([index(PAGE_DOWN, PAGE_UP, PAGE_UP), index(...Array(300).fill(PAGE_DOWN))]).toEqual([0, 999]);
  }
});
