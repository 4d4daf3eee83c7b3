import type { Choice } from "../../../contracts/command-result.ts";
import { setText } from "../editor/editor-state.ts";
import { cleanPaste } from "../editor/pastes.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { pickerLines } from "../view/picker-lines.ts";
import { commandLayer } from "./command-layer.ts";
import type { Action, Layer } from "./layer.ts";
import { selectedChoice, shortcutKey, shownChoices, withPlace } from "./picker.ts";
import { beginCommand, changeDraft } from "./prompt-layer.ts";
import { type Handled, type Picker, running, stay, type Ui, type UiContext } from "./ui-state.ts";

const MAX_FILTER_CHARS = 60;

/** A list to choose from; typing filters the list by its labels, unless it is a yes-or-no list. */
export function pickerLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { picker } = ui;
  if (!picker) return undefined;
  const shortcuts = picker.shortcuts ?? [];
  const layer: Layer = {
    contexts: ["list", "app"],
    draft: picker.filter === "" ? "empty" : "typed",
    bindings: shortcuts.map(({ letter }) => ({ context: "list", key: shortcutKey(letter), action: "list.shortcut" })),
    place: "whole",
    isPanel: true,
    handle: (action) =>
      (canBeginCommand(picker) ? beginCommand(ui, action, context.nowMs) : undefined) ??
      handle(ui, picker, action, context),
    lines: (room) => pickerLines(picker, room),
  };
  return commandLayer(layer, picker.title, ui, context);
}

/** A `/` filters a list that contains paths or commands. */
function canBeginCommand({ filter, choices }: Picker): boolean {
  return filter === "" && !choices.some(({ label, detail }) => label.startsWith("/") || detail.startsWith("/"));
}

function handle(ui: Ui, picker: Picker, action: Action, { nowMs, preview }: UiContext): Handled {
  const found = shownChoices(picker);
  const change = (changes: Partial<Picker>) => stay({ ...ui, picker: { ...picker, ...changes } });
  const narrow = (filter: string) =>
    picker.isYesNo || picker.isScale ? stay(ui) : change({ filter: filter.slice(0, MAX_FILTER_CHARS), index: 0 });
  const around = (next: number) => change({ index: found.length === 0 ? 0 : (next + found.length) % found.length });
  const near = (next: number) => change({ index: Math.max(0, Math.min(found.length - 1, next)) });
  const page = (step: 1 | -1) => near(afterPage(picker.index, step, { count: found.length, rows: preview.rows }));
  if (action.type === "text") return narrow(picker.filter + action.text);
  if (action.type === "paste") return narrow(picker.filter + cleanPaste(action.text).replace(/\s+/g, " "));
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "list.previous": () => around(picker.index - 1),
    "list.next": () => around(picker.index + 1),
    "list.pageUp": () => page(-1),
    "list.pageDown": () => page(1),
    "list.top": () => near(0),
    "list.bottom": () => near(found.length - 1),
    "list.deleteBackward": () => narrow([...picker.filter].slice(0, -1).join("")),
    "list.clearFilter": () => narrow(""),
    "list.close": () => close(ui, picker),
    "list.accept": () => accept(ui, picker, found[picker.index], nowMs),
    "list.shortcut": () => choose(ui, picker, shortcutInput(picker, action.key)),
  };
  return perform[action.name]?.() ?? stay(ui);
}

/**
 * The choice in the middle of the page that follows the page in view, which `pickerLines` draws around the selected choice.
 * At the ends, the selection goes to the first or the last choice.
 */
function afterPage(
  index: number,
  step: 1 | -1,
  { count, rows }: { readonly count: number; readonly rows: number },
): number {
  const half = Math.floor(rows / 2);
  const last = Math.max(0, count - rows);
  const top = Math.max(0, Math.min(last, index - half));
  if (step > 0) return top === last ? count - 1 : top + rows + half;
  return top === 0 ? 0 : top - rows + half;
}

/** A list that was opened from another list returns to it. */
function close(ui: Ui, { back }: Picker): Handled {
  return running({ ...ui, picker: undefined, marking: ui.marking && { ...ui.marking, isSent: false } }, back);
}

function shortcutInput(picker: Picker, key: string): string | undefined {
  const shortcut = picker.shortcuts?.find(({ letter }) => key === shortcutKey(letter));
  return shortcut && (shortcut.input ?? selectedChoice(picker)?.also?.[shortcut.letter]);
}

/** A command from the help goes before the draft. */
function accept(ui: Ui, picker: Picker, choice: Choice | undefined, nowMs: number): Handled {
  if (!choice?.isDraft) return choose(ui, picker, choice?.input);
  const editor = setText(ui.editor, `${choice.input} ${ui.editor.text}`);
  return stay(changeDraft({ ...ui, picker: undefined }, editor, nowMs));
}

/**
 * Enter does nothing when no choice matches. A choice also closes the list of items to mark from which it was opened.
 */
function choose(ui: Ui, picker: Picker, input: string | undefined): Handled {
  if (input === undefined) return stay(ui);
  const pickerPlaces = withPlace(ui.pickerPlaces, picker);
  return running({ ...ui, picker: undefined, pickerPlaces, marking: undefined }, input || undefined);
}
