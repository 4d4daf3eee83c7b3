import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Theme } from "./theme.ts";

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
