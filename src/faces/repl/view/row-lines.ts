import { formatCount, formatDuration, formatSeconds, formatUsd } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { MAX_UNITS_PER_COLUMN, textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { FirstSteps } from "../../../contracts/first-steps.ts";
import { totalInputTokens } from "../../../contracts/message.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import type { Row } from "../../../protocol/transcript/transcript.ts";
import type { MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import { withCode } from "./inline-code.ts";
import { MARK_COLUMNS, wrapIndented } from "./layout.ts";
import { linkedAddresses } from "./linked-files.ts";
import { modeSentence, shortModel } from "./shown-facts.ts";
import { filledRow, GLYPHS, type Theme } from "./theme.ts";
import { opensTranscript } from "./theme-hints.ts";
import { settledTodoLines } from "./todo-lines.ts";
import { explorationLines, toolLines } from "./tool-lines.ts";
import { welcomeIndent, welcomeLines } from "./welcome.ts";

export type RowStyle = {
  readonly theme: Theme;
  readonly columns: number;
  readonly markdown: MarkdownRenderer;
  /** How changes are shown; if absent, depending on the window's width. */
  readonly diff?: DiffLayout | undefined;
};

const MAX_USER_LINES = 20;
/** A turn without a request that ended at once shows no time. */
const MIN_SHOWN_MS = 1_000;
const INDENT = " ".repeat(MARK_COLUMNS);

/** A settled row as lines of at most `columns`, with the blank line that separates it from the previous row. */
export function rowLines(row: Row, before: Row | undefined, style: RowStyle): readonly string[] {
  const lines = linesOf(row, style);
  return lines.length > 0 && needsGap(row, before) ? ["", ...lines] : lines;
}

function needsGap(row: Row, before: Row | undefined): boolean {
  if (!before) return false;
  if (row.kind === "markdown") return row.first ? startsAfterGap(before) : row.chunk.gap;
  // A welcome that only separates sessions, and an empty footer, are blank lines themselves.
  if (before.kind === "welcome" && before.isLater && before.mode === "default") return false;
  if (row.kind === "user") return before.kind !== "footer" || footerParts(before).length > 0;
  if (row.kind === "answer") return false;
  return before.kind === "user" || before.kind === "welcome" || (before.kind === "answer" && row.kind !== "footer");
}

/** Text directly follows the tool rows that led to it; other rows are separated from it. */
function startsAfterGap(before: Row): boolean {
  return before.kind !== "tool" && before.kind !== "explorations" && before.kind !== "thinking";
}

function linesOf(row: Row, style: RowStyle): readonly string[] {
  const { theme, columns, markdown } = style;
  switch (row.kind) {
    case "welcome":
      return openingLines(row, theme, columns);
    case "user":
      return userLines(row.text, style);
    case "markdown":
      return markedLines(markdown.lines(row.chunk, theme, columns - MARK_COLUMNS), row.first, theme);
    case "thinking":
      return [thinkingHead(row, theme)];
    case "tool":
      return toolLines(row.tool, style);
    case "explorations":
      return explorationLines(row.tools, style);
    case "todos":
      return settledTodoLines(row.todos, theme, columns);
    case "notice":
      return noticeLines(row, style);
    case "answer":
      return row.lines
        .flatMap((line) => wrapIndented(answerLine(plainText(line), theme), columns - MARK_COLUMNS))
        .map(indent);
    case "whole":
      return row.lines.map((line) => truncateText(line, columns));
    case "footer":
      return [footerLine(row, style)];
  }
}

/** A prompt in full. */
export function promptText(text: string, { theme, columns }: RowStyle): readonly string[] {
  const lines = wrapIndented(plainText(text), columns - MARK_COLUMNS);
  return promptRows(lines, theme);
}

/** The beginning of a prompt, in one row. */
export function promptHead(text: string, { theme, columns }: RowStyle): string {
  const room = columns - MARK_COLUMNS;
  const [first = "", ...more] = plainText(text.trim().slice(0, room * MAX_UNITS_PER_COLUMN)).split("\n");
  const line = truncateText(more.length > 0 ? `${first} …` : first, room);
  return promptRows([line], theme)[0] ?? "";
}

/** The lines of a prompt on the theme's band; without a band, they are bold. */
function promptRows(lines: readonly string[], theme: Theme, note?: string): readonly string[] {
  const hasBand = theme.band("x") !== "x";
  const { accent, dim } = theme.onTints ?? theme;
  const rows = lines.map((line, at) => {
    const text = hasBand ? line : theme.strong(line);
    return at === 0 ? `${accent(GLYPHS.prompt)} ${text}` : indent(text);
  });
  const noted = note === undefined ? rows : [...rows, indent(dim(note))];
  return noted.map((row) => filledRow(row, theme.band));
}

/** Puts the mark before the first line, and the other lines below it. */
export function markedLines(lines: readonly string[], first: boolean, theme: Theme): readonly string[] {
  return lines.map((line, at) => (first && at === 0 ? `${theme.accent(GLYPHS.text)} ${line}` : indent(line)));
}

function indent(line: string): string {
  return line === "" ? "" : INDENT + line;
}

function userLines(text: string, { theme, columns }: RowStyle): readonly string[] {
  const lines = plainText(text)
    .split("\n")
    .slice(0, MAX_USER_LINES + 1)
    .flatMap((line) => wrapIndented(line.slice(0, columns * (MAX_USER_LINES + 1)), columns - MARK_COLUMNS));
  const total = countLines(text);
  const shown = lines.slice(0, MAX_USER_LINES);
  const left = Math.max(total, lines.length) - shown.length;
  return promptRows(shown, theme, left > 0 ? `… ${plural(left, "more line")}` : undefined);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Thinking, folded. */
export function thinkingHead(row: { readonly durationMs: number }, theme: Theme): string {
  return theme.dim(`${GLYPHS.info} ${thinkingText(row)}`);
}

export function thinkingText({ durationMs }: { readonly durationMs: number }): string {
  return `thought for ${formatSeconds(durationMs)}`;
}

/** An indented line is a row of data, such as a rule, in which a backtick is a part of the data. */
function answerLine(line: string, theme: Theme): string {
  return linkedAddresses(/^\s/.test(line) ? line : withCode(line, theme), theme);
}

const NOTICE_GLYPHS = { info: GLYPHS.info, warning: GLYPHS.warning, error: GLYPHS.failed } as const;

function noticeLines(
  { level, text, hasMore = false }: Row & { kind: "notice" },
  { theme, columns }: RowStyle,
): readonly string[] {
  const paint = { info: theme.dim, warning: theme.warning, error: theme.failed }[level];
  const whole = hasMore ? text + opensTranscript(theme) : text;
  const around = level === "info" ? theme.dim : undefined;
  const lines = wrapText(linkedAddresses(withCode(plainText(whole), theme, around), theme), columns - MARK_COLUMNS);
  const body = around ?? ((line: string) => line);
  return lines.map((line, at) => (at === 0 ? `${paint(NOTICE_GLYPHS[level])} ${body(line)}` : indent(body(line))));
}

type Footer = Row & { kind: "footer" };

/** The result of a turn; empty if there is nothing to report. */
export function footerParts({ report, files, added, removed }: Footer): readonly string[] {
  const tokens = totalInputTokens(report.usage) + report.usage.outputTokens;
  const changes = [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].filter((part) => part !== "");
  const parts = [
    files > 0 ? [plural(files, "file"), ...changes].join(" ") : "",
    tokens > 0 || report.durationMs >= MIN_SHOWN_MS ? formatDuration(report.durationMs) : "",
    tokens > 0 ? `${report.usage.estimated ? "~" : ""}${formatCount(tokens)} tok` : "",
    tokens > 0 ? formatUsd(report.costUsd, report.usage.estimated) : "",
  ];
  return parts.filter((part) => part !== "");
}

function footerLine(footer: Footer, { theme, columns }: RowStyle): string {
  const told = [...footerParts(footer)];
  // The cost comes last and is cut first.
  while (told.length > 1 && textWidth(told.join(" · ")) > columns) told.shift();
  const text = truncateText(told.join(" · "), columns);
  return " ".repeat(columns - textWidth(text)) + theme.dim(text);
}

/** The welcome, with the permission mode unless it is the usual one, and the first steps of a new person. */
function openingLines(row: Row & { kind: "welcome" }, theme: Theme, columns: number): readonly string[] {
  const { version, cwd, mode, first, isLater } = row;
  const mark = " ".repeat(isLater ? MARK_COLUMNS : welcomeIndent(columns));
  const welcome = { version, cwd, ...(!first && { model: shortModel(row.model) }) };
  return [
    ...(isLater ? [""] : welcomeLines(welcome, theme, columns)),
    ...(mode === "default" ? [] : [truncateText(mark + modeSentence(mode, theme), columns)]),
    ...(first ? ["", ...firstStepLines(first, theme, columns)] : []),
  ];
}

const STEP_INDENT = "  ";
/** The width of the longest label (`Model`, `Look`, `Try`), and the gap after it. */
const LABEL_COLUMNS = 7;
/** In a narrower window, which is usually low too, the least useful line is omitted. */
const MIN_LOOK_COLUMNS = 60;

/** The first steps of a new person, below the welcome. */
function firstStepLines({ model, look, examples }: FirstSteps, theme: Theme, columns: number): readonly string[] {
  const rows = [
    ["Model", [model]],
    ...(columns < MIN_LOOK_COLUMNS ? [] : ([["Look", [look]]] as const)),
    ["Try", examples.map((input) => `\`${input}\``)],
  ] as const;
  const room = columns - STEP_INDENT.length - LABEL_COLUMNS;
  return rows.flatMap(([label, texts]) =>
    texts
      .flatMap((text) => wrapText(withCode(plainText(text), theme), room))
      .map((line, at) => STEP_INDENT + theme.dim(padText(at === 0 ? label : "", LABEL_COLUMNS)) + line),
  );
}
