import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { truncateWords } from "@quoll/terminal-text/truncate-words";
import type { Choice } from "../../../contracts/command-result.ts";
import { joinedHints } from "../keymap/key-help.ts";
import { shownSuggestions } from "../layers/field-suggestions.ts";
import type { Block, Room } from "../layers/layer.ts";
import { selectedChoice, shortcutKey, shownChoices } from "../layers/picker.ts";
import { type FieldInput, NO_PREVIEW, type Picker } from "../layers/ui-state.ts";
import { withCode } from "./inline-code.ts";
import { MARK_COLUMNS, panelRows, SPREAD_GAP, spread, wrapIndented } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { fittingHints, hintRows, hintsOf } from "./theme-hints.ts";
import { sampleLines } from "./theme-sample.ts";

/** The rows for the rule, title and filter of a list. */
const ROWS_BESIDE = 3;
/** More shortcuts than this get a row of their own. */
const MOST_HINTED = 2;
const MAX_SHORTCUT_ROWS = 3;
const LEAST_ROWS = 3;
/** In a lower window the list of themes gets all rows. */
const MIN_SAMPLED_ROWS = 20;
const MIN_LABEL_COLUMNS = 24;
/** Details begin in one column if all fit beyond the longest label, or if this share of the labels fits into this share of the width. */
const FITTING_SHARE = 0.75;
const LABEL_SHARE = 0.4;
/** From this width on, a label of a few words fits too. */
const WORDS_COLUMNS = 60;
const WORD_LABEL_COLUMNS = 32;
const DETAIL_GAP = 2;
const LEAST_DETAIL_COLUMNS = 16;
/** The minimum width of a label: `spread` drops a right side that leaves less. */
const LEAST_LABEL_COLUMNS = 12;
/** From this width on, the lines about a choice are shown next to the list. */
const SIDE_COLUMNS = 110;
/** In a list of one row a choice, more lines about a choice than this are shown next to the list. */
const MOST_BELOW = 3;
const MIN_ABOUT_ROWS = 30;
const LOW_ROWS = 20;
const HIGH_ROWS = 40;
/** The line between the list and the lines about a choice, and the blanks next to it. */
const ASIDE_GAP = 3;
const MAX_DOTS = 32;
const MAX_TITLE_ROWS = 3;
const MAX_SUGGESTIONS = 8;
/** The rows in addition to the suggestions for a field. */
const ROWS_BESIDE_FIELD = 7;

/** A list to choose from, with its filter, and the lines about the selected choice. */
export function pickerLines(listed: Picker, { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">): Block {
  const picker = withWholeWords(listed, columns);
  const { title, filter } = picker;
  const scale = picker.isScale && scaleLine(picker, { theme, columns });
  if (scale) {
    const heading = [theme.dim("─".repeat(columns)), truncateText(theme.strong(plainText(title)), columns)];
    return { lines: [...heading, scale, theme.dim(truncateText(`  ${hint(picker, theme, columns - 2)}`, columns))] };
  }
  const choices = shownChoices(picker);
  const rowsEach = picker.choices.some(({ second }) => second !== undefined) ? 2 : 1;
  const longest = Math.max(0, ...picker.choices.map(({ about = [] }) => about.length));
  // A few lines are below, and the list has the whole width.
  const isBeside = longest > (rowsEach === 1 ? MOST_BELOW : 0) && columns >= SIDE_COLUMNS;
  // In a low window, choices with two rows need the rows, and their second row says enough.
  const isBelow = !isBeside && (rowsEach === 1 || rows >= MIN_ABOUT_ROWS);
  const below = !isBelow ? 0 : Math.min(aboutRows(picker.choices, columns - MARK_COLUMNS), mostAbout(rows));
  const sample = choices[picker.index]?.theme && rows >= MIN_SAMPLED_ROWS ? sampleLines(theme, columns) : [];
  const titles = atMost(wrapIndented(withCode(plainText(title), theme), columns), MAX_TITLE_ROWS);
  const hints = hintLines(picker, { theme, columns });
  // In a high window an empty row sets the lines about the choice apart.
  const gap = below > 0 && rows >= MIN_ABOUT_ROWS ? [""] : [];
  const beside = ROWS_BESIDE + hints.length + (titles.length - 1) + gap.length + below + sample.length;
  const max = Math.floor(Math.max(LEAST_ROWS * rowsEach, panelRows(rows) - beside) / rowsEach);
  const from = Math.max(0, Math.min(picker.index - Math.floor(max / 2), choices.length - max));
  const listColumns = isBeside ? Math.floor(columns * 0.55) : columns;
  const inView = choices.slice(from, from + max);
  const shown =
    rowsEach === 1
      ? choiceLines(inView, picker.index - from, picker, { theme, columns: listColumns })
      : inView.flatMap((choice, at) => twoRows(choice, from + at === picker.index, { theme, columns: listColumns }));
  const more = choices.length > inView.length ? `${from + 1}–${from + inView.length} of ${choices.length}` : "";
  const typed = filter === "" ? [] : [truncateText(`${theme.accent(GLYPHS.prompt)} ${joinedLines(filter)}`, columns)];
  const key = hintsOf(theme, "list");
  const ways = [key("", "list.deleteBackward"), key("", "list.clearFilter")].filter(Boolean).join(", or ");
  const none = shown.length === 0 ? [theme.dim(truncateText(`  no match: ${ways}`, columns))] : [];
  const list = [...shown, ...none];
  const about = choices[picker.index]?.about ?? [];
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      ...titleLines(titles, more, { theme, columns }),
      ...typed,
      ...(isBeside && choices.length > 0
        ? withAside(list, about, { theme, columns, listColumns, max: max * rowsEach })
        : list),
      ...gap,
      ...aboutLines(about, below, { theme, columns }),
      ...sample,
      ...hints,
    ],
    preview: { ...NO_PREVIEW, rows: Math.max(1, inView.length) },
  };
}

function hintLines(picker: Picker, { theme, columns }: Style): readonly string[] {
  const { shortcuts = [], ...plain } = picker;
  const isOwnRow = shortcuts.length > MOST_HINTED;
  const first = hint(isOwnRow ? plain : picker, theme, columns - MARK_COLUMNS);
  const own = isOwnRow ? hintRows(columns - MARK_COLUMNS, shortcuts.map(shortcutHint)).slice(0, MAX_SHORTCUT_ROWS) : [];
  return [first, ...own].map((line) => theme.dim(truncateText(`  ${line}`, columns)));
}

/** A long title is wrapped; `more` is shown beside a short one. */
function titleLines(titles: readonly string[], more: string, { theme, columns }: Style): readonly string[] {
  const [first = "", ...rest] = titles.map((line) => truncateText(theme.strong(line), columns));
  return [titleLine(first, rest.length === 0 ? theme.dim(more) : "", columns), ...rest];
}

/** `right` is omitted if both don't fit. */
function titleLine(left: string, right: string, columns: number): string {
  const isRoom = textWidth(left) + SPREAD_GAP + textWidth(right) <= columns;
  return spread(left, isRoom ? right : "", columns);
}

/** So many choices decide how many rows the lines about a choice get. */
const MOST_MEASURED = 500;
const MEASURED = new WeakMap<readonly Choice[], { readonly columns: number; readonly rows: number }>();

/** The rows that the lines about a choice take when they are wrapped, at most. */
function aboutRows(choices: readonly Choice[], columns: number): number {
  const known = MEASURED.get(choices);
  if (known?.columns === columns) return known.rows;
  const rowsOf = ({ about = [] }: Choice) =>
    about.reduce((sum, line) => sum + wrapIndented(plainText(line), columns).length, 0);
  const rows = Math.max(0, ...choices.slice(0, MOST_MEASURED).map(rowsOf));
  MEASURED.set(choices, { columns, rows });
  return rows;
}

/** The maximum number of rows below a list for the lines about a choice. */
function mostAbout(rows: number): number {
  return rows < LOW_ROWS ? 2 : rows < HIGH_ROWS ? 6 : 9;
}

type Style = Pick<Room, "theme" | "columns">;

/**
 * Where no choice has lines about it, what a row cuts off is shown in such lines. A scale shows its details in full, and lists
 * of two rows a choice have lines of their own.
 */
function withWholeWords(picker: Picker, columns: number): Picker {
  const { choices, isScale } = picker;
  if (isScale || choices.some(({ about, second }) => about !== undefined || second !== undefined)) return picker;
  const known = WHOLE.get(choices);
  if (known?.columns === columns) return { ...picker, choices: known.choices };
  const detailColumn = detailColumnOf(choices, columns);
  const whole = choices.map((choice) => {
    const about = cutWords(choice, columns, detailColumn);
    return about.length === 0 ? choice : { ...choice, about };
  });
  WHOLE.set(choices, { columns, choices: whole });
  return { ...picker, choices: whole };
}

const WHOLE = new WeakMap<readonly Choice[], { readonly columns: number; readonly choices: readonly Choice[] }>();

/** The label and the detail of a choice whose row has no room for them. A brief detail that fits says enough. */
function cutWords(choice: Choice, columns: number, detailColumn: number | undefined): readonly string[] {
  const { detail, brief = detail } = choice;
  const text = joinedLines(choice.label);
  const leadColumns = MARK_COLUMNS + textWidth(text);
  const start = Math.max(detailColumn ?? columns, leadColumns + DETAIL_GAP);
  const isColumn = columns - start >= LEAST_DETAIL_COLUMNS;
  const room = isColumn ? columns - start : columns - Math.min(MIN_LABEL_COLUMNS, leadColumns) - SPREAD_GAP;
  const shown = textWidth(detail) <= room ? detail : brief;
  const isLabelCut = !isColumn && leadColumns + (shown === "" ? 0 : SPREAD_GAP + textWidth(shown)) > columns;
  return [...(isLabelCut ? [text] : []), ...(textWidth(shown) > room ? [detail] : [])];
}

type ListStyle = Style & { readonly detailColumn: number | undefined };

/**
 * The column at which the details of a list begin; undefined for a list of long labels, whose details are at the right.
 */
function detailColumnOf(choices: readonly Choice[], columns: number): number | undefined {
  const widths = choices.map(({ label }) => textWidth(joinedLines(label)));
  const beyond = MARK_COLUMNS + Math.max(0, ...widths) + DETAIL_GAP;
  if (choices.every(({ detail }) => beyond + textWidth(detail) <= columns)) return beyond;
  const widest = Math.max(columns * LABEL_SHARE, columns < WORDS_COLUMNS ? 0 : WORD_LABEL_COLUMNS);
  const fitting = widths.filter((width) => width <= widest);
  const most = Math.ceil(widths.length * FITTING_SHARE);
  if (fitting.length < most) return undefined;
  // In a narrow window a few long labels must not take the room of all details.
  const label = columns < WORDS_COLUMNS ? fitting.toSorted((a, b) => a - b)[most - 1] : Math.max(0, ...fitting);
  return MARK_COLUMNS + (label ?? 0) + DETAIL_GAP;
}

function choiceLines(
  choices: readonly Choice[],
  selected: number,
  picker: Pick<Picker, "choices">,
  { theme, columns }: Style,
): readonly string[] {
  const style = { theme, columns, detailColumn: detailColumnOf(picker.choices, columns) };
  return choices.map((choice, at) => choiceLine(choice, at === selected, style));
}

/** A choice with its second row. */
function twoRows({ label, brief = "", second = "" }: Choice, isSelected: boolean, style: Style): readonly string[] {
  const { theme, columns } = style;
  const room = columns - MARK_COLUMNS - textWidth(brief) - SPREAD_GAP;
  const isRoom = brief !== "" && room >= LEAST_LABEL_COLUMNS;
  const text = truncateText(joinedLines(label), isRoom ? room : columns - MARK_COLUMNS);
  const lead = isSelected ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
  const indent = " ".repeat(MARK_COLUMNS);
  return [
    spread(lead, isRoom ? theme.dim(brief) : "", columns),
    theme.dim(truncateText(`${indent}${plainText(second)}`, columns)),
  ];
}

function choiceLine(choice: Choice, isSelected: boolean, { theme, columns, detailColumn }: ListStyle): string {
  const { label, detail, brief = detail } = choice;
  const text = joinedLines(label);
  const lead = isSelected ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
  const leadColumns = MARK_COLUMNS + textWidth(text);
  const start = Math.max(detailColumn ?? columns, leadColumns + DETAIL_GAP);
  if (columns - start >= LEAST_DETAIL_COLUMNS) {
    const shown = textWidth(detail) <= columns - start ? detail : brief;
    return `${lead}${" ".repeat(start - leadColumns)}${theme.dim(truncateWords(plainText(shown), columns - start))}`;
  }
  const labelColumns = Math.max(LEAST_LABEL_COLUMNS, Math.min(MIN_LABEL_COLUMNS, leadColumns));
  const room = columns - labelColumns - 2;
  const right = plainText(textWidth(detail) <= room ? detail : brief);
  return spread(lead, theme.dim(truncateWords(right, Math.max(1, room))), columns);
}

/** Exactly `count` rows, so that the list does not move when another choice is selected. */
function aboutLines(about: readonly string[], count: number, { theme, columns }: Style): readonly string[] {
  const lines = about.flatMap((line) =>
    wrapIndented(withCode(plainText(line), theme, theme.dim), columns - MARK_COLUMNS),
  );
  const shown = atMost(lines, count);
  return Array.from({ length: count }, (_, at) => {
    const line = shown[at];
    return line === undefined ? "" : theme.dim(truncateText(`${" ".repeat(MARK_COLUMNS)}${line}`, columns));
  });
}

function atMost(lines: readonly string[], count: number): readonly string[] {
  return lines.length > count ? [...lines.slice(0, count - 1), `${lines[count - 1] ?? ""} …`] : lines;
}

type Aside = Style & { readonly listColumns: number; readonly max: number };

/** The list at the left, the lines about the selected choice at the right. */
function withAside(
  list: readonly string[],
  about: readonly string[],
  { theme, columns, listColumns, max }: Aside,
): readonly string[] {
  const room = columns - listColumns - ASIDE_GAP;
  const words = about.flatMap((line) => wrapIndented(withCode(plainText(line), theme, theme.dim), room)).slice(0, max);
  return Array.from({ length: Math.max(list.length, words.length) }, (_, at) => {
    const line = list[at] ?? "";
    const blank = " ".repeat(Math.max(0, listColumns - textWidth(line)));
    return `${line}${blank} ${theme.dim(`│ ${truncateText(words[at] ?? "", room)}`)}`;
  });
}

/** The choices in a row; undefined if the window is too narrow. */
function scaleLine({ choices, index }: Picker, { theme, columns }: Style): string | undefined {
  const steps = choices.map(({ label }, at) => {
    const text = joinedLines(label);
    return at === index ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : text;
  });
  const lines = ["──", "─"].map((line) => `  ${steps.join(` ${theme.dim(line)} `)}`);
  const line = lines.find((one) => textWidth(one) <= columns);
  const detail = choices[index]?.detail ?? "";
  return line && titleLine(line, theme.dim(plainText(detail)), columns);
}

function hint(picker: Picker, theme: Theme, columns: number): string {
  const { shortcuts = [], isYesNo, isScale } = picker;
  const key = hintsOf(theme, "list");
  const moves = (words: string) => key(words, "list.previous", "list.next");
  const [enter, esc] = [key("", "list.accept"), key("", "list.close")];
  const goes = selectedChoice(picker)?.isDraft ? "fills the prompt" : "go";
  const ends = [key(goes, "list.accept"), key("back", "list.close")];
  // A scale runs from left to right, so the horizontal keys are named first.
  const isUpDown = moves("") === "↑↓";
  if (isScale && isUpDown) return joinedHints("← → choose", ...ends);
  if (isYesNo || isScale) return joinedHints(moves("choose"), ...ends);
  const own = shortcuts.map(shortcutHint);
  const hints = [
    [moves("choose"), "type to filter", ...ends, ...own],
    ["type to filter", ...ends, ...own],
    [moves(""), "type to filter", enter, esc, ...own],
    ["type filters", enter, esc, ...own],
    ["type filters", enter, esc, ...own.map((word) => word.replace(/:.*$/, ""))],
    [enter, esc, ...own.map((word) => word.replace(/:.*$/, ""))],
    ["type filters", enter, esc],
  ].map((parts) => joinedHints(...parts));
  return hints.find((one) => textWidth(one) <= columns) ?? hints.at(-1) ?? "";
}

function shortcutHint({ letter, label }: NonNullable<Picker["shortcuts"]>[number]): string {
  return `${shortcutKey(letter)} ${label}`;
}

/** The title of a list, form or text that waits until the person pauses. */
export function heldLines(title: string, { theme, columns }: Room): readonly string[] {
  const words = ["You are typing: pause for a second to open this.", "Pause a second to open this."];
  const fitting = words.find((one) => textWidth(one) + 2 <= columns) ?? words.at(-1) ?? "";
  return [
    theme.dim("─".repeat(columns)),
    truncateText(theme.strong(joinedLines(title)), columns),
    theme.warning(truncateText(`${GLYPHS.info} ${fitting}`, columns)),
  ];
}

/** A form field. In a hidden field each character is shown as a dot, so that a person sees that keys arrive. */
export function hiddenLines(field: FieldInput, { theme, columns, rows }: Room): Block {
  const { title, text, isShown = false } = field;
  const most = Math.max(1, Math.min(isShown ? columns : MAX_DOTS, columns - MARK_COLUMNS - 1));
  const dots = isShown ? joinedLines(text).slice(-most) : "•".repeat(Math.min(most, [...text].length));
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(`${joinedLines(title)}${isShown ? "" : " (not shown)"}`), columns),
      `${theme.accent(GLYPHS.prompt)} ${dots}`,
      ...(field.problem === undefined
        ? []
        : wrapIndented(withCode(plainText(field.problem), theme, theme.warning), columns - MARK_COLUMNS).map(
            (line, at) => theme.warning(`${at === 0 ? GLYPHS.info : " "} ${line}`),
          )),
      ...suggestionLines(field, { theme, columns, rows }),
      theme.dim(truncateText(`  ${fieldHint(field, theme, columns - MARK_COLUMNS)}`, columns)),
    ],
    cursor: { x: MARK_COLUMNS + textWidth(dots), y: 2 },
  };
}

function fieldHint(field: FieldInput, theme: Theme, columns: number): string {
  const key = hintsOf(theme, "hidden");
  const enter = field.taskId !== undefined ? "sends" : field.hasMore ? "next field" : "saves";
  const between =
    field.taskId === undefined && shownSuggestions(field).length > 0
      ? [key("choose", "hidden.previous", "hidden.next"), key("completes", "hidden.complete")]
      : [key("clears", "hidden.clear")];
  return fittingHints(columns, key(enter, "hidden.accept"), ...between, key("back", "hidden.cancel"));
}

/** Suggestions for a field, one row each; the visible rows follow the selection. */
function suggestionLines(
  field: FieldInput,
  { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">,
): readonly string[] {
  const all = shownSuggestions(field);
  const max = Math.max(1, Math.min(MAX_SUGGESTIONS, rows - ROWS_BESIDE_FIELD));
  const from = Math.max(0, Math.min((field.mark ?? 0) - max + 1, all.length - max));
  const shown = all.slice(from, from + max);
  const left = all.length - shown.length;
  return shown.map((value, at) => {
    const name = joinedLines(value);
    const lead = from + at === field.mark ? `${theme.accent(GLYPHS.choice)} ${theme.strong(name)}` : `  ${name}`;
    const more = left > 0 && at === shown.length - 1 ? theme.dim(`+${left} more`) : "";
    return spread(truncateText(lead, columns), more, columns);
  });
}
