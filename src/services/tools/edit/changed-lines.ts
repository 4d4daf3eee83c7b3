import { plural } from "@quoll/terminal-text/plural";
import type { DiffHunk } from "../../../contracts/tool.ts";
import { numbered } from "../target-file.ts";

const MAX_LINES = 20;
const MAX_LINE_CHARS = 500;

/** The new state of what was changed, as Read would show it: at most 20 lines, gaps marked. */
export function changedLines(hunks: readonly DiffHunk[]): string {
  const shown: string[] = [];
  let left = 0;
  for (const [index, { newStart, lines }] of hunks.entries()) {
    const current = lines.filter(({ kind }) => kind !== "removed");
    const room = Math.max(0, MAX_LINES - shown.length);
    if (index > 0 && room > 0 && current.length > 0) shown.push("…");
    shown.push(
      ...current.slice(0, room).map(({ text }, at) => {
        const short = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}… [cut]` : text;
        return numbered(newStart + at, short);
      }),
    );
    left += Math.max(0, current.length - room);
  }
  if (left > 0) shown.push(`… ${plural(left, "more line")} changed or beside a change`);
  return shown.join("\n");
}
