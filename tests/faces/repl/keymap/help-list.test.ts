import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { BUILTIN_COMMANDS } from "../../../../src/commands/builtin-commands.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { helpList } from "../../../../src/faces/repl/keymap/keys-list.ts";
import { openPicker, selectedChoice, shownChoices } from "../../../../src/faces/repl/layers/picker.ts";
import { emptyUi, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { MARK_COLUMNS } from "../../../../src/faces/repl/view/layout.ts";
import { pickerLines } from "../../../../src/faces/repl/view/picker-lines.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../../../support/press-keys.ts";

const commands = BUILTIN_COMMANDS.map(({ name, summary, argumentHint = "", aliases }) => ({
  ...{ name, summary, argumentHint },
  ...(aliases && { aliases }),
}));

test.each(["undo", "rewind", "revert", "go back"])("the help finds the way back by the words %s", (filter) => {
  const { choices } = helpList({ keymap: [], commands, rows: [] });
  const found = shownChoices({ choices, filter }).map(({ input }) => input);
  expect(found).toContain("/rewind");
});

test.each(["new", "plugin", "stats", "quit", "checkpoint"])(
  "the help finds a command by its other name %s",
  (filter) => {
    const { choices } = helpList({ keymap: [], commands, rows: [] });
    const command = commands.find(({ aliases }) => aliases?.includes(filter));
    expect(shownChoices({ choices, filter }).map(({ input }) => input)).toContain(`/${command?.name}`);
  },
);

const keymap = DEFAULT_KEYMAP;
const rows = [{ label: "WebFetch", detail: "Reads a page (read)", input: "" }];
const LIST = helpList({ keymap, commands, rows });
const ranked = (filter: string) => shownChoices({ choices: LIST.choices, filter }).map(({ input }) => input);

test.each([
  ["undo", "/rewind"],
  ["/undo", "/rewind"],
  ["model", "/model"],
  ["rewind", "/rewind"],
  ["mod", "/model"],
  ["quit", "/exit"],
  ["permissions add", "/permissions"],
])("the help puts the command of the name %s first", (filter, command) => {
  expect(ranked(filter)[0]).toBe(command);
});

test("the help ranks beginnings of names before names and aliases that contain the word, and descriptions last", () => {
  const named = (name: string, summary: string, aliases: readonly string[] = []) =>
    ({ name, summary, aliases, argumentHint: "[set n]" }) as const;
  const all = [named("a", "set it"), named("b", "b", ["reset"]), named("c", "c", ["set"]), named("offset", "o")];
  const { choices } = helpList({ keymap: [], commands: [...all, named("settle", "s")], rows: [] });
  const found = shownChoices({ choices, filter: "set" }).map(({ input }) => input);
  expect(found).toEqual(["/c", "/settle", "/b", "/offset", "/a"]);
});

test("Enter in the help puts the command into the prompt and runs nothing", () => {
  const context: UiContext = {
    ...{ isBusy: false, isStopping: false, nowMs: 10_000, columns: 80, commands: [], mode: "default", modes: [] },
    ...{ preview: { from: 0, maxScroll: 0, rows: 0, anchors: [], isReadable: true, isSeen: true } },
    ...{ canEdit: false, questionCount: 0, keymap },
  };
  const { ui, effects } = pressKeys({ ...emptyUi, picker: openPicker(LIST) }, context, ..."undo", "\r");
  expect([effects, ui.picker, ui.editor.text]).toEqual([[], undefined, "/rewind "]);
  const tool = pressKeys({ ...emptyUi, picker: openPicker(LIST) }, context, ..."WebFetch", "\r");
  expect([tool.effects, tool.ui.picker, tool.ui.editor.text]).toEqual([[], undefined, ""]);
});

test("a row of the help names other names of its command once", () => {
  const exit = LIST.choices.find(({ input }) => input === "/exit");
  expect(exit?.about?.join(" ").match(/\/quit/g)).toHaveLength(1);
});

test("the help opens with the words of its argument as filter", () => {
  const picker = openPicker(helpList({ keymap, commands, rows, filter: "WebFetch" }));
  expect(selectedChoice(picker)?.label).toBe("WebFetch");
});

test("the descriptions of the help begin in one column, and the arguments and all keys are in the lines about a row", () => {
  const { lines } = pickerLines(openPicker(LIST), { theme: themeFor(0, true), columns: 120, rows: 1_000 });
  // The rule and the title come before the list.
  const starts = LIST.choices.map(({ label, detail }, at) =>
    stripAnsi(lines[at + 2] ?? "").indexOf(detail.slice(0, 20), MARK_COLUMNS + label.length),
  );
  expect(new Set(starts).size).toBe(1);
  expect(starts[0]).toBeLessThan(30);
  const about = (start: string) => LIST.choices.find(({ label }) => label.startsWith(start))?.about?.[0] ?? "";
  expect(about("/batch")).toContain("--files");
  expect(about("shift+enter")).toContain("ctrl+j · alt+enter");
});

test("a row of a key says when it acts, but not for the keys of the prompt", () => {
  const of = (label: string) => LIST.choices.flatMap((one) => (one.label === label ? [one.detail] : []));
  expect(of("ctrl+s")[0]).toBe("stashes the draft; again restores it");
  expect(of("ctrl+w")).toEqual(["cuts the previous word"]);
  expect(of("ctrl+b · ctrl+x ctrl+b")).toEqual([
    "moves the running work to the background; else left · when a turn runs",
  ]);
  expect(of("wheel up")).toEqual(["full screen: scrolls a line up · everywhere"]);
  expect(of("ctrl+r").at(-1)).toBe("redoes what was undone · in vim's normal mode");
});
