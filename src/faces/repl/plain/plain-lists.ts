import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Choice } from "../../../contracts/command-result.ts";
import { shownChoices } from "../layers/picker.ts";
import type { FieldInput, Marking, Picker } from "../layers/ui-state.ts";
import { ROLES, spokenLine, withRole } from "./spoken-text.ts";

/** The number of choices that are told at once. */
export const PAGE_CHOICES = 20;

/** The choices of a list in the order of their numbers: those that were told keep theirs, and new ones follow. */
export function numberedChoices(picker: Picker, told: readonly Choice[]): readonly Choice[] {
  const found = shownChoices(picker);
  // Equal choices are taken one by one: the same rule may stand in two files.
  const left = Map.groupBy(found, nameOf);
  const known = told.flatMap((choice) => left.get(nameOf(choice))?.shift() ?? []);
  const isKnown = new Set(known);
  return [...known, ...found.filter((one) => !isKnown.has(one))];
}

function nameOf({ input, label }: Choice): string {
  return `${input}\n${label}`;
}

export function isSameChoice(a: Choice, b: Choice): boolean {
  return a.input === b.input && a.label === b.label;
}

/** A list as numbered lines. @param from The first told choice, from 0. */
export function listLines(picker: Picker, found: readonly Choice[], from: number): readonly string[] {
  const { title, filter, shortcuts = [], isYesNo } = picker;
  const page = found.slice(from, from + PAGE_CHOICES);
  const left = found.length - from - page.length;
  const about = filter === "" ? plural(found.length, "choice") : `${found.length} that match ${filter}`;
  // A shortcut with its own input concerns the whole list.
  const own = shortcuts
    .map((shortcut) => `"${shortcutWords(shortcut)}${shortcut.input === undefined ? " 1" : ""}"`)
    .join(", ");
  return [
    `${ROLES.question}: ${spokenLine(title)}, ${about}.`,
    ...page.map((choice, at) => choiceLine(choice, from + at)),
    [
      `Type a number${isYesNo ? "" : ", or words to search"}, then enter.`,
      ...(left > 0 ? [`"more" tells ${Math.min(left, PAGE_CHOICES)} of ${left} more.`] : []),
      ...(own === "" ? [] : [`Also: ${own}.`]),
      filter === "" ? "Enter alone closes the list." : "Enter alone goes back to all choices.",
    ].join(" "),
  ];
}

/** The words that stand for a list's key: its label without a current value, or the key's own name, as of `delete`. */
export function shortcutWords({ letter, label }: NonNullable<Picker["shortcuts"]>[number]): string {
  return letter.length === 1 ? label.replace(/:.*/, "") : letter;
}

function choiceLine({ label, detail, second = "", isCurrent }: Choice, at: number): string {
  // Some lists number their choices themselves.
  const own = label.trim() === `${at + 1}` ? "" : label;
  const told = [own, detail, second].map((text) => spokenLine(joinedLines(text))).filter((text) => text !== "");
  return `${at + 1}${isCurrent ? ", current" : ""}: ${told.join(", ")}`;
}

/** A field of a form. */
export function fieldLines({ title, text, problem, canBeEmpty, taskId }: FieldInput): readonly string[] {
  const enter =
    text !== "" ? `Enter alone keeps ${joinedLines(text)}.` : canBeEmpty ? "Enter alone leaves it empty." : "";
  return [
    ...(problem === undefined ? [] : withRole("error", [joinedLines(problem)])),
    [`${ROLES.question}: ${spokenLine(title)}.`, taskId === undefined ? enter : "", '"cancel" goes back.']
      .filter((part) => part !== "")
      .join(" "),
  ];
}

/** A list of items to mark, numbered. */
export function markLines({ title, lines, rows, marks, needsNoMark }: Marking): readonly string[] {
  const markable = rows.filter(isMarkable);
  const verbs = [...new Set(markable.flatMap(({ keys }) => Object.values(keys)))];
  const how = verbs.map((verb) => `"${verb} 1 2"`).join(", ");
  return [
    `${ROLES.question}: ${spokenLine(title)}`,
    ...lines.map(spokenLine).filter((line) => line !== ""),
    ...rows.map((row) => {
      const line = spokenLine(row.line);
      if (!isMarkable(row)) return line;
      const mark = marks[row.id];
      return `${markable.indexOf(row) + 1}${mark === undefined ? "" : `, ${mark}`}: ${line}`;
    }),
    `${how === "" ? "" : `Type ${how}, then enter. `}Enter alone ${needsNoMark ? "goes on" : "closes the list"}.`,
  ];
}

/** The rows that can be marked, in the order of their numbers. */
export function isMarkable({ keys }: Marking["rows"][number]): boolean {
  return Object.keys(keys).length > 0;
}
