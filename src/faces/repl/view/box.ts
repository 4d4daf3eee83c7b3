import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Theme } from "./theme.ts";

/** The columns that the edges take, including the space inside. */
export const BORDER_COLUMNS = 4;
const MIN_INNER_COLUMNS = 16;

export function innerColumns(columns: number): number {
  return Math.max(MIN_INNER_COLUMNS, columns - BORDER_COLUMNS);
}

/** A box around lines of at most `innerColumns`; `place` is shown at the right of the title. */
export function boxLines(
  { title, place = "", lines }: { title: string; place?: string; lines: readonly string[] },
  columns: number,
  theme: Theme,
): readonly string[] {
  const width = innerColumns(columns);
  const corner = place === "" ? "" : ` ${place} `;
  const room = width - textWidth(corner);
  const shown = truncateText(title, room - 1);
  const rule = "─".repeat(Math.max(0, room - textWidth(shown)));
  const edge = theme.accent("│");
  return [
    `${theme.accent("╭")} ${theme.strong(shown)} ${theme.accent(`${rule}${corner}╮`)}`,
    ...lines.map((line) => `${edge} ${padText(line, width)} ${edge}`),
    theme.accent(`╰${"─".repeat(width + 2)}╯`),
  ];
}

export type Window = {
  readonly lines: readonly string[];
  readonly from: number;
  readonly maxScroll: number;
  readonly rows: number;
};

type ScrollStyle = {
  readonly rows: number;
  readonly width: number;
  readonly theme: Theme;
  readonly about?: string;
  /** The keys that scroll, the downward key first: `PgDn PgUp`. */
  readonly pages: string;
};

/** `rows` lines starting at `scroll`; if there are more lines, the last row says so. */
export function scrolledLines(
  lines: readonly string[],
  scroll: number,
  { rows, width, theme, about = "", pages }: ScrollStyle,
): Window {
  if (lines.length <= rows) return { lines, from: 0, maxScroll: 0, rows };
  const body = Math.max(1, rows - 1);
  const maxScroll = lines.length - body;
  const from = Math.min(scroll, maxScroll);
  const left = lines.length - from - body;
  const where = `… lines ${from + 1}–${from + body} of ${lines.length}`;
  const notes = [
    `${where}${about === "" ? "" : ` · ${about}`} · ${left > 0 ? `${left} below · ` : ""}${pages}`,
    `${where} · ${left > 0 ? `${left} below · ` : ""}${pages}`,
    `${where} · ${pages}`,
    `${where} · ${pages.split(" ", 1)[0]}`,
    where,
  ];
  const note = notes.find((one) => textWidth(one) <= width) ?? truncateText(where, width);
  return { lines: [...lines.slice(from, from + body), theme.warning(note)], from, maxScroll, rows: body };
}
