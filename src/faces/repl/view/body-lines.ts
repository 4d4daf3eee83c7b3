import { joinedLines } from "@quoll/terminal-text/one-line";
import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { fittedWidths, tableLines } from "@quoll/terminal-text/table-lines";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { ListItem, ListMark, ResultBody } from "../../../contracts/display.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { opensTranscript } from "./theme-hints.ts";

/** A body that is drawn line by line; a diff has its own drawing. */
export type LinedBody = Exclude<ResultBody, { kind: "diff" }>;

type Style = {
  readonly theme: Theme;
  readonly columns: number;
  /** True to show everything, wrapped, instead of the first lines, cut. */
  readonly isWhole?: boolean;
};

/** The maximum number of lines, items and rows of a body that is not shown in full. */
const MOST = { text: 3, list: 5, table: 5 } as const;
const NOUNS = { text: "line", list: "item", table: "row" } as const;
const GAP = 2;
/** The minimum width of a column. */
const MIN_COLUMNS = 6;

const MARKS: Readonly<Record<ListMark, string>> = {
  done: GLYPHS.passed,
  open: GLYPHS.left,
  running: GLYPHS.running,
  failed: GLYPHS.failed,
  warning: GLYPHS.warning,
  added: "+",
  removed: "−",
};

/** The first lines of a body, with the number of those that are folded and the key that shows them; or all lines. */
export function bodyLines(body: LinedBody, style: Style): readonly string[] {
  const { theme, columns, isWhole = false } = style;
  const { kind } = body;
  const parts = partsOf(body);
  // A note about one more line would take as much room as the line.
  const most = isWhole || parts.length <= MOST[kind] + 1 ? parts.length : MOST[kind];
  const drawn = drawnParts(body, most, { theme, columns, isWhole });
  const left = Math.max(parts.length, body.total ?? 0) - most;
  if (left <= 0) return drawn;
  return [
    ...drawn,
    theme.dim(truncateText(`… ${plural(left, `more ${NOUNS[kind]}`)}${opensTranscript(theme)}`, columns)),
  ];
}

/** A body without colours, in full. */
export function bodyTexts(body: LinedBody): readonly string[] {
  switch (body.kind) {
    case "text":
      return body.text.split("\n");
    case "list":
      return body.items.map(itemText);
    case "table":
      return tableLines([body.columns.map(({ name }) => name), ...body.rows], "", rightColumns(body));
  }
}

function partsOf(body: LinedBody): readonly unknown[] {
  switch (body.kind) {
    case "text":
      return shownLines(body.text);
    case "list":
      return body.items;
    case "table":
      return body.rows;
  }
}

/** The lines as a terminal would show them, without blank ones. */
function shownLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => plainText(lastOverwrite(line)).replaceAll("\n", " "));
  return lines.filter((line) => line.trim() !== "");
}

/** The first parts of a body. */
function drawnParts(body: LinedBody, most: number, style: Required<Style>): readonly string[] {
  const { theme, isWhole } = style;
  switch (body.kind) {
    case "text": {
      const lines = shownLines(body.text).slice(0, most);
      return fitted(isWhole ? lines : lines.map(theme.dim), style);
    }
    case "list":
      return fitted(
        body.items.slice(0, most).map((item) => drawnItem(item, style)),
        style,
      );
    case "table":
      return drawnTable(body, most, style);
  }
}

/** Lines that are wrapped if all is shown, and cut otherwise. */
function fitted(lines: readonly string[], { columns, isWhole }: Required<Style>): readonly string[] {
  return lines.flatMap((line) => (isWhole ? hardWrapText(line, columns) : [truncateText(line, columns)]));
}

function itemText({ text, mark, note }: ListItem): string {
  return [...(mark ? [MARKS[mark]] : []), joinedLines(text), ...(note ? [` ${joinedLines(note)}`] : [])].join(" ");
}

/** A long text is cut before its short note. */
function drawnItem({ text, mark, note }: ListItem, { theme, columns, isWhole }: Required<Style>): string {
  const lead = mark ? `${painted(mark, theme)} ` : "";
  const end = note ? `  ${joinedLines(note)}` : "";
  const room = columns - textWidth(lead + end);
  const shown = isWhole || room < columns / 2 ? joinedLines(text) : truncateText(joinedLines(text), room);
  return lead + (mark === "done" ? theme.dim(shown) : shown) + theme.dim(end);
}

function painted(mark: ListMark, theme: Theme): string {
  const paints = { done: theme.passed, running: theme.accent, failed: theme.failed, warning: theme.warning };
  const paint = { ...paints, added: theme.added, removed: theme.removed, open: theme.dim }[mark];
  return paint(MARKS[mark]);
}

type Table = Extract<ResultBody, { kind: "table" }>;

function rightColumns({ columns }: Table): readonly number[] {
  return columns.flatMap(({ align }, at) => (align === "right" ? [at] : []));
}

/** The table in columns. Where they don't fit, cells are cut; in full, each row is shown as `name: cell` lines. */
function drawnTable(table: Table, most: number, { theme, columns, isWhole }: Required<Style>): readonly string[] {
  const head = table.columns.map(({ name }) => joinedLines(name));
  const rows = table.rows.slice(0, most).map((row) => head.map((_, at) => joinedLines(row[at] ?? "")));
  const natural = head.map((name, at) => Math.max(1, ...[name, ...rows.map((row) => row[at] ?? "")].map(textWidth)));
  if (isWhole && natural.reduce((sum, width) => sum + width + GAP, -GAP) > columns) {
    const lines = rows.flatMap((row, at) => [
      ...(at > 0 ? [""] : []),
      ...row.map((cell, column) => `${head[column]}: ${cell}`),
    ]);
    return lines.flatMap((line) => hardWrapText(line, columns));
  }
  // Columns that have no room at all are left out at the right.
  const fits = Math.max(1, Math.floor(columns / (MIN_COLUMNS + GAP)));
  const more = fits < head.length ? " …" : "";
  const widths = fittedWidths(natural.slice(0, fits), columns - more.length) ?? natural.slice(0, 1);
  const right = new Set(rightColumns(table));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, at) => padText(truncateText(cells[at] ?? "", width), width, right.has(at) ? "right" : "left"))
      .join(" ".repeat(GAP))
      .trimEnd();
  return [theme.dim(truncateText(line(head) + more, columns)), ...rows.map((row) => truncateText(line(row), columns))];
}
