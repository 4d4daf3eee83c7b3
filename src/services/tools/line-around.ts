import { withoutCutEnd, withoutCutStart } from "@quoll/terminal-text/cut-word";
import { count } from "./target-file.ts";

/** Longer lines are cut for the model. */
export const MAX_LINE_CHARS = 500;
/** Characters of a cut line before the place. */
const CHARS_BEFORE = 200;

/** A line, cut to the surroundings of a place in it (in UTF-16 units) if it is long. */
export function lineAround(text: string, at: number): string {
  if (text.length <= MAX_LINE_CHARS) return text.toWellFormed();
  const start = Math.max(0, Math.min(at - CHARS_BEFORE, text.length - MAX_LINE_CHARS));
  const end = start + MAX_LINE_CHARS;
  const piece = text.slice(start, end).toWellFormed();
  const from = start > 0 ? withoutCutStart(piece) : piece;
  const shown = end < text.length ? withoutCutEnd(from) : from;
  const cut = [
    start > 0 ? `${count(start + piece.length - from.length)} characters before` : "",
    end < text.length ? `${count(text.length - end + from.length - shown.length)} after` : "",
  ];
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""} [cut: ${cut.filter((part) => part !== "").join(", ")}]`;
}
