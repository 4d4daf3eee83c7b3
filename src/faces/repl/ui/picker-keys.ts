import type { Choice } from "../../../contracts/command.ts";
import { cleanPaste } from "../editor/pastes.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { type Handled, type Picker, stay, type Ui } from "./ui-state.ts";

const MAX_FILTER_CHARS = 60;
const PAGE_ROWS = 10;

/** A list to choose from, at the choice that is in force. */
export function openPicker(list: Omit<Picker, "index" | "filter">): Picker {
  const current = list.choices.findIndex(({ isCurrent }) => isCurrent);
  return { ...list, index: Math.max(0, current), filter: "" };
}

/** The choices that hold every word of the filter, anywhere in their line. */
export function shownChoices({ choices, filter }: Pick<Picker, "choices" | "filter">): readonly Choice[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices;
  return choices.filter(({ label, detail }) => {
    const line = `${label} ${detail}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

/** What a key does to a list. */
export function pickerKey(ui: Ui, picker: Picker, event: KeyEvent): Handled {
  const found = shownChoices(picker);
  const change = (changes: Partial<Picker>) => stay({ ...ui, picker: { ...picker, ...changes } });
  const narrow = (filter: string) => change({ filter: filter.slice(0, MAX_FILTER_CHARS), index: 0 });
  const at = (next: number) => change({ index: found.length === 0 ? 0 : (next + found.length) % found.length });
  const near = (next: number) => change({ index: Math.max(0, Math.min(found.length - 1, next)) });
  if (event.type === "text") return narrow(picker.filter + event.text);
  if (event.type === "paste") return narrow(picker.filter + cleanPaste(event.text).replace(/\s+/g, " "));
  switch (event.name) {
    case "up":
      return at(picker.index - 1);
    case "down":
      return at(picker.index + 1);
    case "tab":
      return at(picker.index + (event.shift ? -1 : 1));
    case "pageup":
      return near(picker.index - PAGE_ROWS);
    case "pagedown":
      return near(picker.index + PAGE_ROWS);
    case "home":
      return near(0);
    case "end":
      return near(found.length - 1);
    case "backspace":
      return narrow(event.ctrl || event.alt ? "" : [...picker.filter].slice(0, -1).join(""));
    case "enter":
      return choose(ui, found[picker.index]?.input);
    case "char": {
      const shortcut = event.ctrl ? picker.shortcuts?.find(({ letter }) => letter === event.char) : undefined;
      return shortcut ? choose(ui, shortcut.input) : stay(ui);
    }
    default:
      return stay(ui);
  }
}

/** With nothing to choose the list stays. */
function choose(ui: Ui, input: string | undefined): Handled {
  if (input === undefined) return stay(ui);
  return { ui: { ...ui, picker: undefined }, effects: [{ type: "submit", text: input, remembered: "" }] };
}
