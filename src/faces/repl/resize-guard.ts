import { textWidth } from "@quoll/terminal-text/text-width";
import type { Frame } from "./view/live-frame.ts";

/**
 * What to write before Ink erases its frame, when the window got narrower.
 *
 * Terminals wrap the lines of the old frame anew, so that it takes more rows than Ink knows of, and a part of it would
 * stay behind. This erases all of them and leaves the cursor where Ink will look for it, over as many blank rows.
 * (xterm's own reflow is off by default: there a few lines above may be lost, instead of a copy left.)
 */
export function eraseReflowed({ lines, cursor }: Frame, columns: number): string {
  const widths = lines.map(textWidth);
  if (!widths.some((width) => width > columns)) return "";
  const rowsOf = (width: number) => Math.max(1, Math.ceil(width / columns));
  const height = (count: number) => widths.slice(0, count).reduce((sum, width) => sum + rowsOf(width), 0);
  const above = cursor ? height(cursor.y) + Math.floor(cursor.x / columns) : height(lines.length);
  const below = lines.length - (cursor?.y ?? lines.length);
  return [
    "\r",
    above > 0 ? `\u001b[${above}A` : "",
    "\u001b[J",
    "\n".repeat(lines.length),
    below > 0 ? `\u001b[${below}A` : "",
  ].join("");
}
