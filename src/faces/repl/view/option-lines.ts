import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { QuestionOption } from "../layers/question-options.ts";
import { revealLine } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";

/** The minimum width for a text next to its lead; if there is less room, the text is shown below. */
const MIN_COLUMNS_BESIDE = 4;

type Option = Pick<QuestionOption, "key" | "label" | "isYes" | "rules" | "words">;
type Style = { readonly theme: Theme; readonly columns: number };

/** The answers with their keys, and every rule that each answer would add. */
export type OptionLines = { readonly lines: readonly string[]; readonly rules: readonly string[] };

/**
 * The answers in two rows, yes and no, if they fit; otherwise in as many rows as they need. Rules follow their answer,
 * or are listed below the answers.
 */
export function optionLines(options: readonly Option[], choice: string, style: Style): OptionLines {
  const { columns, theme } = style;
  const spelled = options.map((option, at) => {
    // Rules that several answers share are listed once, after the last of them.
    const isNamedLater = options.slice(at + 1).some((later) => isSameRules(later.rules, option.rules));
    const isNamed = option.rules.length > 0 && !isNamedLater;
    return { ...option, label: isNamed ? `${option.label}: ${joined(option.rules)}` : option.label };
  });
  const inRows = rowsOf(spelled, choice, style);
  if (inRows?.length === groupsOf(options).length) return { lines: inRows, rules: wordLines(options, style) };
  const lines =
    rowsOf(options, choice, style) ??
    options.flatMap(({ key, label }) => {
      const [head = "", ...rest] = wrapText(`${key} ${label}`, columns - 4);
      return [mark(head, key === choice, theme), ...rest.map((line) => `    ${line}`)];
    });
  return { lines, rules: [...ruleLines(options, style), ...wordLines(options, style)] };
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

/** A line such as `4  Commands may change and delete files in …`. */
function wordLines(options: readonly Option[], style: Style): readonly string[] {
  const groups = Map.groupBy(
    options.filter(({ words }) => words !== undefined),
    ({ words }) => words,
  );
  return [...groups].flatMap(([words = "", group]) =>
    indented(`  ${group.map(({ key }) => key).join(", ")}: `, revealLine(words), style),
  );
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

export function joined(rules: readonly string[]): string {
  return rules.map(ruleWords).join(", ");
}

/** The host of a rule about pages, without patterns. */
const PAGES_OF = /^WebFetch\(domain:([\w.-]+)\)$/;
const WEB_WORDS: ReadonlyMap<string, string> = new Map([
  ["WebFetch(documentation)", "pages of known documentation sites"],
  ["WebSearch", "all web searches"],
]);

/** A rule in words for people: rules about edits and the web in plain words, other rules as written. */
function ruleWords(rule: string): string {
  const host = PAGES_OF.exec(rule)?.[1];
  const words = host === undefined ? WEB_WORDS.get(rule) : `pages of ${host}`;
  return words ?? editWords(rule);
}

function editWords(rule: string): string {
  const path = /^Edit\(\/(.*)\)$/.exec(rule)?.[1];
  if (path === "**") return "all edits in this project";
  const folder = path?.endsWith("/**") ? path.slice(0, -3) : undefined;
  const named = folder ?? path;
  // An absolute path (`//x`), or a path with special characters.
  if (named === undefined || named === "" || /^\/|[*?[\]{}!\\]/.test(named)) return revealLine(rule);
  return folder === undefined ? `edits of ${revealLine(named)}` : `all edits in ${revealLine(folder)}/`;
}

function isSameRules(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((rule, at) => rule === b[at]);
}
