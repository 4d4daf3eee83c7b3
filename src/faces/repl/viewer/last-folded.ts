import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { type RowStyle, rowLines } from "../view/row-lines.ts";
import { wholeRowLines } from "./block-lines.ts";

const FOLDED: ReadonlySet<Row["kind"]> = new Set(["user", "thinking", "tool", "explorations"]);
/** Older rows are no longer visible. */
const MAX_ROWS = 200;

/**
 * All lines of the newest row of which the screen shows only a part; undefined if there is none, or if it was already
 * unfolded.
 */
export function lastFolded({ settled }: Transcript, style: RowStyle): readonly string[] | undefined {
  for (let at = settled.length - 1; at >= Math.max(0, settled.length - MAX_ROWS); at -= 1) {
    const row = settled.at(at);
    if (row?.kind === "whole") return undefined;
    const whole = row && FOLDED.has(row.kind) ? wholeRowLines(row, style) : [];
    if (row && whole.length > rowLines(row, undefined, style).length) return whole;
  }
  return undefined;
}
