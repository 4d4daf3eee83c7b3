import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { QuestionOption } from "../ui/question-options.ts";
import { revealLine } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";

/** In less room than this beside its lead, a text stands below it. */
const MIN_COLUMNS_BESIDE = 4;

type Option = Pick<QuestionOption, "key" | "label" | "isYes" | "rules">;
type Style = { readonly theme: Theme; readonly columns: number };

/** Answers with their keys, and what each of them would allow from then on, every rule of it. */
export type OptionLines = { readonly lines: readonly string[]; readonly rules: readonly string[] };

/** The answers in two rows, yes and no, where they fit; else one to a row. Rules stand behind their answer, or below. */
export function optionLines(options: readonly Option[], choice: string, style: Style): OptionLines {
  const { columns, theme } = style;
  const spelled = options.map((option, at) => {
    // The same rules are named once, behind the last answer that they belong to.
    const isNamedLater = options.slice(at + 1).some((later) => isSameRules(later.rules, option.rules));
    const isNamed = option.rules.length > 0 && !isNamedLater;
    return { ...option, label: isNamed ? `${option.label}: ${joined(option.rules)}` : option.label };
  });
  const inRows = rowsOf(spelled, choice, style);
  if (inRows) return { lines: inRows, rules: [] };
  const lines =
    rowsOf(options, choice, style) ??
    options.flatMap((option) => {
      const [head = "", ...rest] = wrapText(`${option.key} ${option.label}`, columns - 4);
      return [mark(head, option.key === choice, theme), ...rest.map((line) => `    ${line}`)];
    });
  return { lines, rules: ruleLines(options, style) };
}

function rowsOf(options: readonly Option[], choice: string, { theme, columns }: Style): readonly string[] | undefined {
  // What the first key does stands first, be it a yes or not.
  const first = options.filter(({ isYes }, at) => isYes || at === 0);
  const rest = options.filter((option) => !first.includes(option));
  const rows = [first, rest].filter((row) => row.length > 0);
  const width = (row: readonly Option[]) =>
    row.reduce((sum, { key, label }) => sum + 3 + textWidth(`${key} ${label}`), 0) + (row.length - 1);
  if (rows.some((row) => width(row) > columns)) return undefined;
  return rows.map((row) => row.map(({ key, label }) => mark(`${key} ${label}`, key === choice, theme)).join(" "));
}

function mark(text: string, isChosen: boolean, theme: Theme): string {
  return isChosen ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
}

/** `2, 3  Bash(npm test *)` */
function ruleLines(options: readonly Option[], { theme, columns }: Style): readonly string[] {
  const groups: { keys: string[]; rules: readonly string[] }[] = [];
  for (const { key, rules } of options) {
    if (rules.length === 0) continue;
    const group = groups.find((one) => isSameRules(one.rules, rules));
    if (group) group.keys.push(key);
    else groups.push({ keys: [key], rules });
  }
  return groups.flatMap(({ keys, rules }) =>
    indented(`  ${keys.join(", ")} allow${keys.length > 1 ? "" : "s"} `, joined(rules), { theme, columns }),
  );
}

/** Wrapped behind a dim lead. */
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

export function joined(rules: readonly string[]): string {
  return rules.map(revealLine).join(", ");
}

function isSameRules(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((rule, at) => rule === b[at]);
}
