import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { QuestionOption } from "../layers/question-options.ts";
import { SPREAD_GAP, spread } from "./layout.ts";
import { revealLine } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";

/** The minimum width for a text next to its lead; if there is less room, the text is shown below. */
const MIN_COLUMNS_BESIDE = 4;

/** The answers with their keys, and every rule that each answer would add. */
type OptionLines = { readonly lines: readonly string[]; readonly rules: readonly string[] };

type Option = Pick<QuestionOption, "key" | "label" | "short" | "isYes" | "rules" | "grant">;
type Style = { readonly theme: Theme; readonly columns: number };

/** The answers one below the other. `hint` stands at the end of the last row, or in a row of its own. */
export function answerLines(
  options: readonly Option[],
  choice: string,
  hints: readonly string[],
  style: Style,
): readonly string[] {
  const { columns, theme } = style;
  const rows = options.flatMap((option) => oneAnswer(option, option.key === choice, style));
  const last = rows.at(-1) ?? "";
  const beside = hints.find((hint) => textWidth(last) + SPREAD_GAP + textWidth(hint) <= columns);
  if (beside !== undefined) return [...rows.slice(0, -1), spread(last, theme.dim(beside), columns)];
  return [...rows, ...hints.slice(-1).map((hint) => theme.dim(truncateText(`  ${hint}`, columns)))];
}

export function oneAnswer(
  { key, label }: Pick<Option, "key" | "label">,
  isChosen: boolean,
  { columns, theme }: Style,
): readonly string[] {
  const [head = "", ...rest] = wrapText(`${key} ${revealLine(label)}`, columns - 4);
  const style = isChosen ? theme.strong : (text: string) => text;
  return [mark(head, isChosen, theme), ...rest.map((line) => `    ${style(line)}`)];
}

/** For a low window: yes and no in a row each, in a few words, and the rules that each answer would add. */
export function briefAnswers(options: readonly Option[], choice: string, style: Style): OptionLines {
  const brief = options.map((option) => ({ ...option, label: option.short }));
  const lines =
    rowsOf(brief, choice, style) ?? brief.flatMap((option) => oneAnswer(option, option.key === choice, style));
  const rules = grantsByAnswer(options, ({ grant }) => grant).flatMap(({ keys, text }) =>
    indented(`  ${keys.join(", ")} allow${keys.length > 1 ? "" : "s"} `, text, style),
  );
  return { lines, rules };
}

/** Separates yes from no. The answer with the first key comes first. */
function groupsOf(options: readonly Option[]): readonly (readonly Option[])[] {
  const first = options.filter(({ isYes }, at) => isYes || at === 0);
  const rest = options.filter((option) => !first.includes(option));
  return [first, rest].filter((group) => group.length > 0);
}

/** @returns undefined if an answer is too long for a row. */
function rowsOf(options: readonly Option[], choice: string, { theme, columns }: Style): readonly string[] | undefined {
  const width = (row: readonly Option[]) =>
    row.reduce((sum, { key, label }) => sum + 3 + textWidth(`${key} ${label}`), 0) + (row.length - 1);
  const rows: Option[][] = [];
  for (const group of groupsOf(options)) {
    let row: Option[] = [];
    rows.push(row);
    for (const option of group) {
      if (width([option]) > columns) return undefined;
      if (row.length > 0 && width([...row, option]) > columns) {
        row = [];
        rows.push(row);
      }
      row.push(option);
    }
  }
  return rows.map((row) =>
    row.map(({ key, label }) => mark(`${key} ${revealLine(label)}`, key === choice, theme)).join(" "),
  );
}

function mark(text: string, isChosen: boolean, theme: Theme): string {
  return isChosen ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
}

/** The permissions that answers would give, in the words of `shown`; answers with the same ones share an entry. */
export function grantsByAnswer<One extends Pick<Option, "key" | "rules">>(
  options: readonly One[],
  shown: (option: One) => string,
): readonly { readonly keys: readonly string[]; readonly text: string }[] {
  const groups = Map.groupBy(
    options.filter(({ rules }) => rules.length > 0),
    shown,
  );
  return [...groups].map(([text, group]) => ({ keys: group.map(({ key }) => key), text: revealLine(text) }));
}

/** Wrapped after a dim lead. */
export function indented(lead: string, text: string, { theme, columns }: Style): readonly string[] {
  const room = columns - lead.length;
  if (room < MIN_COLUMNS_BESIDE) {
    const below = wrapText(text, columns - 2).map((row) => `  ${row}`);
    return [theme.dim(truncateText(lead.trimEnd(), columns)), ...below];
  }
  const indent = room < 20 ? 4 : lead.length;
  const rows = wrapText(text, columns - Math.max(indent, lead.length));
  return rows.map((row, at) => `${at === 0 ? theme.dim(lead) : " ".repeat(indent)}${row}`);
}
