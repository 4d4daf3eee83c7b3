import { splitColumns } from "./text-columns.ts";
import { type Line, linesOf, type Run } from "./text-lines.ts";

/** Wider pages are written closer together. */
const MAX_COLUMNS = 160;
/** A larger distance of two lines, in heights of their font, is written as an empty line. */
const PARAGRAPH_GAP = 1.75;

/** The text of a page as lines whose words stand where they are on the page, so that tables stay tables. */
export function layoutText(runs: readonly Run[]): string {
  return splitColumns(linesOf(runs)).map(blockText).join("\n\n");
}

function blockText(lines: readonly Line[]): string {
  const segments = lines.flatMap((line) => line.segments);
  let [left, right, chars, width] = [Number.POSITIVE_INFINITY, 0, 0, 0];
  for (const { x, end, text } of segments) {
    left = Math.min(left, x);
    right = Math.max(right, end);
    chars += text.length;
    width += end - x;
  }
  const columnWidth = Math.max(width / Math.max(chars, 1), (right - left) / MAX_COLUMNS, 0.1);
  const written: string[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    if (last && line.y - last.y > PARAGRAPH_GAP * Math.max(line.size, last.size)) written.push("");
    written.push(lineText(line, left, columnWidth));
    last = line;
  }
  return written.join("\n");
}

function lineText({ segments }: Line, left: number, columnWidth: number): string {
  let text = "";
  for (const segment of segments) {
    const column = Math.round((segment.x - left) / columnWidth);
    // A gap that is wide on the page stays wide where the text before it is too long for its place.
    const blanks = Math.max(column - text.length, text === "" ? 0 : 2);
    text += " ".repeat(blanks) + segment.text;
  }
  return text;
}
