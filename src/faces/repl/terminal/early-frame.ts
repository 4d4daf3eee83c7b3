import { textWidth } from "@quoll/terminal-text/text-width";
import type { Size, Snapshot } from "../repl-screen-state.ts";
import { ERASE_BELOW } from "./erase-below.ts";

type Painted = {
  readonly text: string;
  /** The sequence that erases the frame. */
  readonly erase: string;
};

/**
 * The sequence that draws the printed rows and the frame without the code that writes one frame over another.
 * The cursor ends in its place in the frame.
 * @returns undefined if they don't fit into the window, because then they could not be erased.
 */
export function earlyFrame({ printed, frame }: Snapshot, { columns, rows }: Size): Painted | undefined {
  const above = printedLines({ printed });
  const lines = [...above, ...frame.lines];
  if (frame.lines.length === 0 || lines.length >= rows || lines.some((line) => textWidth(line) > columns))
    return undefined;
  const row = above.length + (frame.cursor?.y ?? frame.lines.length - 1);
  const column = frame.cursor?.x ?? 0;
  const place = `\r${steps(lines.length - 1 - row, "A")}${steps(column, "C")}`;
  return { text: lines.join("\r\n") + place, erase: `\r${steps(row, "A")}${ERASE_BELOW}` };
}

/** The printed rows, line by line. */
export function printedLines({ printed }: Pick<Snapshot, "printed">): readonly string[] {
  return printed.slice().flatMap(({ text }) => text.split("\n"));
}

function steps(count: number, direction: "A" | "C"): string {
  return count > 0 ? `\u001b[${count}${direction}` : "";
}
