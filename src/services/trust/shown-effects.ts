import { revealText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { type Approvable, KIND_NAMES } from "../../contracts/approval.ts";

/** The longest line that is shown in full. */
const MAX_SHOWN_CHARS = 4_000;
/** Characters shown of both ends of a longer one. */
const END_CHARS = 1_900;
/** Most items of one kind that a person is asked about. */
export const MAX_APPROVABLE_ITEMS = 200;

/** Most lines of the items of one kind. */
const MAX_LINES_OF_KIND = 400;

/** The items that a person is asked about, and one line for each kind that is left out. */
type Reach = { readonly items: readonly Approvable[]; readonly problems: readonly string[] };

/** The lines of an item in full, on one line each. An item with a line that is too long to be shown can't be approved. */
export function shownEffects(lines: readonly string[]): Pick<Approvable, "lines" | "obstacle"> {
  const shown = lines.map(effectLine);
  if (lines.every((line) => oneLineOf(line).length <= MAX_SHOWN_CHARS)) return { lines: shown };
  const obstacle = `it is longer than ${MAX_SHOWN_CHARS} characters, so it can't be shown in full`;
  return { lines: [...shown, `can't be approved, and stays off: ${obstacle}`], obstacle };
}

/** A line as a question shows it: in full, or both ends with the count of hidden characters. */
export function effectLine(text: string): string {
  const line = oneLineOf(text);
  if (line.length <= MAX_SHOWN_CHARS) return line;
  const hidden = line.length - 2 * END_CHARS;
  return `${line.slice(0, END_CHARS).toWellFormed()} […${hidden} characters hidden…] ${line.slice(-END_CHARS).toWellFormed()}`;
}

/** Items and problems without the kinds of which there are more than a person can judge: these are not asked about. */
export function withinReach(items: readonly Approvable[]): Reach {
  const kinds = [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, ofKind]) => ({
    kind,
    problem: problemOf(kind, ofKind),
  }));
  const left = new Set(kinds.flatMap(({ kind, problem }) => (problem === undefined ? [] : [kind])));
  return {
    items: items.filter(({ kind }) => !left.has(kind)),
    problems: kinds.flatMap(({ problem }) => problem ?? []),
  };
}

function problemOf(kind: Approvable["kind"], items: readonly Approvable[]): string | undefined {
  const declared = `declares ${plural(items.length, KIND_NAMES[kind])}`;
  if (items.length > MAX_APPROVABLE_ITEMS)
    return `${declared}: more than ${MAX_APPROVABLE_ITEMS} can't be approved, so unapproved items stay off`;
  const lines = items.reduce((sum, item) => sum + item.lines.length, 0);
  if (lines <= MAX_LINES_OF_KIND) return undefined;
  return `${declared} with ${plural(lines, "effect")}: more than ${MAX_LINES_OF_KIND} can't be approved, so unapproved items stay off`;
}

function oneLineOf(text: string): string {
  return revealText(text).replaceAll("\n", "␊");
}
