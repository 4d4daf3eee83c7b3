import type { Choice } from "../../../contracts/command.ts";
import type { Picker, PickerList } from "./ui-state.ts";

/** A list to choose from, with the current choice selected. */
export function openPicker(list: PickerList): Picker {
  const current = list.choices.findIndex(({ isCurrent }) => isCurrent);
  return { ...list, index: Math.max(0, current), filter: "" };
}

/** The choices whose line contains every word of the filter. */
export function shownChoices({ choices, filter }: Pick<Picker, "choices" | "filter">): readonly Choice[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices;
  return choices.filter(({ label, detail }) => {
    const line = `${label} ${detail}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}
