import sliceAnsi from "slice-ansi";
import { MAX_UNITS_PER_COLUMN, textWidth } from "./text-width.ts";

export type TruncatePosition = "end" | "middle" | "start";

/** Cuts one line to `columns` with an ellipsis in place of the rest. Styles are kept. */
export function truncateText(text: string, columns: number, position: TruncatePosition = "end"): string {
  if (columns <= 0) return "";
  if (text.length <= columns * MAX_UNITS_PER_COLUMN) return cut(text, columns, position);
  const room = columns * MAX_UNITS_PER_COLUMN;
  const head = text.slice(0, room);
  const tail = text.slice(-room);
  if (position === "end") return mark(`${head} `, columns, (shown) => slice(shown, 0, columns - 1), "", "…");
  if (position === "start") return mark(tail, columns, (shown) => lastColumns(shown, columns - 1), "…", "");
  const left = Math.ceil((columns - 1) / 2);
  return `${slice(head, 0, left)}…${lastColumns(tail, columns - 1 - left)}`;
}

function cut(text: string, columns: number, position: TruncatePosition): string {
  const width = textWidth(text);
  if (width <= columns) return text;
  if (position === "end") return `${slice(text, 0, columns - 1)}…`;
  if (position === "start") return `…${slice(text, width - columns + 1, width)}`;
  const left = Math.ceil((columns - 1) / 2);
  return `${slice(text, 0, left)}…${slice(text, width - (columns - 1 - left), width)}`;
}

function mark(text: string, columns: number, take: (text: string) => string, before: string, after: string): string {
  return columns === 1 ? "…" : `${before}${take(text)}${after}`;
}

function lastColumns(text: string, columns: number): string {
  const width = textWidth(text);
  return slice(text, Math.max(0, width - columns), width);
}

/** Never wider than `to - from` as `textWidth` counts: `slice-ansi` counts marks of some scripts differently. */
function slice(text: string, from: number, to: number): string {
  if (to <= from) return "";
  let end = to;
  let sliced = sliceAnsi(text, from, end);
  while (end > from && textWidth(sliced) > to - from) {
    end -= 1;
    sliced = end > from ? sliceAnsi(text, from, end) : "";
  }
  return sliced;
}

/** Adds spaces up to `columns`; a longer text is left as it is. */
export function padText(text: string, columns: number, align: "left" | "right" = "left"): string {
  const missing = columns - textWidth(text);
  if (missing <= 0) return text;
  return align === "left" ? text + " ".repeat(missing) : " ".repeat(missing) + text;
}
