import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { type RowStyle, rowLines } from "../view/row-lines.ts";
import { wholeDrawables, wholeRowLines } from "./block-lines.ts";

const FOLDED: ReadonlySet<Row["kind"]> = new Set(["user", "thinking", "tool", "explorations"]);
/** Older rows are no longer visible. */
const MAX_ROWS = 200;

/**
 * All lines of the newest row of which the screen shows only a part; undefined if there is none, or if it was already
 * unfolded.
 */
export async function lastFolded({ settled }: Transcript, style: RowStyle): Promise<readonly string[] | undefined> {
  for (let at = settled.length - 1; at >= Math.max(0, settled.length - MAX_ROWS); at -= 1) {
    const row = settled.at(at);
    if (row?.kind === "whole") return undefined;
    if (!row || !FOLDED.has(row.kind)) continue;
    if (wholeRowLines(row, style).length <= rowLines(row, undefined, style).length) continue;
    await Promise.all(wholeDrawables(row).map((drawable) => style.markdown.load(drawable)));
    return wholeRowLines(row, style);
  }
  return undefined;
}
