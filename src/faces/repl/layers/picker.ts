import type { Choice } from "../../../contracts/command-result.ts";
import { type RankedTexts, rankedByName, rankedMatches, wordsOf } from "../../../contracts/rank-match.ts";
import type { PickerList } from "../../../protocol/session-port.ts";
import type { Picker, PickerPlace } from "./ui-state.ts";

/** The depth of remembered lists: deeper lists are forgotten. */
const MOST_PLACES = 4;

/** A list to choose from, with the current choice selected; a list that was opened before keeps its position. */
export function openPicker(list: PickerList, places: readonly PickerPlace[] = []): Picker {
  const place = places.findLast(({ title }) => title === list.title);
  const filter = place?.filter ?? list.filter ?? "";
  const found = shownChoices({ choices: list.choices, filter });
  const left = found.findIndex(({ input }) => input === place?.input);
  const current = found.findIndex(({ isCurrent }) => isCurrent);
  // A choice that is gone leaves its place to the next one.
  const first = current < 0 ? found.findIndex(({ isBlocked }) => !isBlocked) : current;
  const gone = place && current < 0 ? Math.min(place.index, found.length - 1) : first;
  return { ...list, index: Math.max(0, left < 0 ? gone : left), filter };
}

/** Replaces the choices of a list; the same choice stays selected. */
export function withChoices(picker: Picker, choices: readonly Choice[]): Picker {
  const selected = selectedChoice(picker)?.input;
  const index = shownChoices({ ...picker, choices }).findIndex(({ input }) => input === selected);
  return { ...picker, choices, index: Math.max(0, index) };
}

/** Remembers the position in a list when another list opens. */
export function withPlace(places: readonly PickerPlace[], picker: Picker): readonly PickerPlace[] {
  const { title, filter, index } = picker;
  const others = places.filter((one) => one.title !== title);
  return [...others, { title, filter, index, input: selectedChoice(picker)?.input }].slice(-MOST_PLACES);
}

/** The key of a list's shortcut: Ctrl with a letter, or a named key. */
export function shortcutKey(letter: string): string {
  return letter.length === 1 ? `ctrl+${letter}` : letter;
}

/** The selected choice; undefined if no choice matches the filter. */
export function selectedChoice(picker: Picker): Choice | undefined {
  return shownChoices(picker)[picker.index];
}

type Filtered = { readonly filter: string; readonly found: readonly Choice[] };
type Searched = { readonly texts: ReadonlyMap<Choice, RankedTexts>; last: Filtered };

/** The texts of long lists, and what was found last: a key and the frame after it ask for the same. */
const SEARCHED = new WeakMap<readonly Choice[], Searched>();

/**
 * The choices that contain every word of the filter: first those whose label matches, then those with a word in the
 * lines about them. Choices with ids are ranked by `rankMatch`, and choices with names by their names.
 */
export function shownChoices({ choices, filter }: Pick<Picker, "choices" | "filter">): readonly Choice[] {
  const words = wordsOf(filter);
  if (words.length === 0) return choices;
  if (choices.some(({ id }) => id !== undefined)) return rankedChoices(choices, filter);
  if (choices.some(({ names }) => names !== undefined))
    return rankedByName(words.map(withoutSlash), choices, namedTexts);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const inLine = choices.filter(({ label, detail }) => matches(`${label} ${detail}`));
  const inAbout = choices.filter(
    (one) => one.about && !inLine.includes(one) && matches([one.label, one.detail, ...one.about].join(" ")),
  );
  return [...inLine, ...inAbout];
}

function rankedChoices(choices: readonly Choice[], filter: string): readonly Choice[] {
  const searched = SEARCHED.get(choices) ?? {
    texts: new Map(choices.map((one) => [one, rankedTexts(one)])),
    last: { filter: "", found: choices },
  };
  SEARCHED.set(choices, searched);
  const { last, texts } = searched;
  if (last.filter === filter) return last.found;
  const textsOf = (choice: Choice) => texts.get(choice) ?? rankedTexts(choice);
  // A longer filter finds some of what its beginning found, in the order of the list.
  const isLonger = last.filter !== "" && filter.startsWith(last.filter);
  const among = isLonger ? new Set(last.found) : undefined;
  const found = rankedMatches(wordsOf(filter), among ? choices.filter((one) => among.has(one)) : choices, textsOf);
  searched.last = { filter, found };
  return found;
}

/** A command may be typed with its slash. */
function withoutSlash(word: string): string {
  return word.replace(/^\/(?=.)/, "");
}

function namedTexts({ names = [], label, detail, about = [] }: Choice) {
  return {
    names: names.map((name) => name.toLowerCase()),
    more: [label, detail, ...about].join("\n").toLowerCase(),
  };
}

function rankedTexts({ label, detail, second = "", about = [], id = "" }: Choice): RankedTexts {
  return {
    title: label.toLowerCase(),
    more: [detail, second, ...about].join("\n").toLowerCase(),
    id: id.toLowerCase(),
  };
}
