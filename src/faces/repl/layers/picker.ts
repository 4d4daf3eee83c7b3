import type { Choice } from "../../../contracts/command-result.ts";
import type { Picker, PickerList, PickerPlace } from "./ui-state.ts";

/** The depth of remembered lists: deeper lists are forgotten. */
const MOST_PLACES = 4;

/** A list to choose from, with the current choice selected; a list that was opened before keeps its position. */
export function openPicker(list: PickerList, places: readonly PickerPlace[] = []): Picker {
  const place = places.findLast(({ title }) => title === list.title);
  const filter = place?.filter ?? list.filter ?? "";
  const found = shownChoices({ choices: list.choices, filter });
  const left = found.findIndex(({ input }) => input === place?.input);
  const current = found.findIndex(({ isCurrent }) => isCurrent);
  return { ...list, index: Math.max(0, left < 0 ? current : left), filter };
}

/** Replaces the choices of a list; the same choice stays selected. */
export function withChoices(picker: Picker, choices: readonly Choice[]): Picker {
  const selected = selectedChoice(picker)?.input;
  const index = shownChoices({ ...picker, choices }).findIndex(({ input }) => input === selected);
  return { ...picker, choices, index: Math.max(0, index) };
}

/** Remembers the position in a list when another list opens. */
export function withPlace(places: readonly PickerPlace[], picker: Picker): readonly PickerPlace[] {
  const { title, filter } = picker;
  const others = places.filter((one) => one.title !== title);
  return [...others, { title, filter, input: selectedChoice(picker)?.input }].slice(-MOST_PLACES);
}

/** The key of a list's shortcut: Ctrl with a letter, or a named key. */
export function shortcutKey(letter: string): string {
  return letter.length === 1 ? `ctrl+${letter}` : letter;
}

/** The selected choice; undefined if no choice matches the filter. */
export function selectedChoice(picker: Picker): Choice | undefined {
  return shownChoices(picker)[picker.index];
}

/**
 * The choices that contain every word of the filter: first those whose label matches, then those with a word in the
 * lines about them.
 */
export function shownChoices({ choices, filter }: Pick<Picker, "choices" | "filter">): readonly Choice[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices;
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const inLine = choices.filter(({ label, detail }) => matches(`${label} ${detail}`));
  const inAbout = choices.filter(
    (one) => one.about && !inLine.includes(one) && matches([one.label, one.detail, ...one.about].join(" ")),
  );
  return [...inLine, ...inAbout];
}
