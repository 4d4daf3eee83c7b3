import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import type { DiffHunk } from "../../../contracts/display.ts";
import { numberedLines } from "../view/numbered-lines.ts";
import { spokenLine } from "./spoken-text.ts";

const KINDS = { added: "Added", removed: "Removed" } as const;

/**
 * The changed lines of a file, one line each: `Removed line 3: …`, `Added line 3: …`. A removed line has its number in
 * the old file, an added one in the new file. Unchanged lines are left out, because the numbers tell the place.
 * @param shown Makes a line safe to print.
 */
export function changedLines(
  hunks: readonly DiffHunk[],
  { most = Number.POSITIVE_INFINITY, shown = plainText }: { most?: number; shown?: (text: string) => string } = {},
): readonly string[] {
  const lines = hunks.flatMap((hunk) => hunkLines(hunk, shown));
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `${plural(lines.length - most, "more changed line")}.`];
}

function hunkLines(hunk: DiffHunk, shown: (text: string) => string): readonly string[] {
  return numberedLines(hunk).flatMap(({ kind, number, text }) =>
    kind === "same" ? [] : [`${KINDS[kind]} line ${number}: ${text.trim() === "" ? "blank" : shown(text)}`],
  );
}

/** `2 lines added, 1 removed` */
export function amountsText(added: number, removed: number): string {
  if (added > 0 && removed > 0) return `${plural(added, "line")} added, ${removed} removed`;
  if (removed > 0) return `${plural(removed, "line")} removed`;
  return `${plural(added, "line")} added`;
}

/** A line of a unified diff in words. */
export function unifiedLine(line: string): string {
  const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)?.[1];
  if (start !== undefined) return `From line ${start}:`;
  const [, file, path] = /^(---|\+\+\+) (\S.*)$/.exec(line) ?? [];
  if (path !== undefined) return `${file === "---" ? "Old file" : "New file"}: ${plainText(path)}`;
  const [, sign, text = ""] = /^([+-])(.*)$/.exec(line) ?? [];
  if (sign === undefined) return line.startsWith(" ") ? plainText(line).trimEnd() : spokenLine(line);
  return `${sign === "+" ? KINDS.added : KINDS.removed}: ${text.trim() === "" ? "blank" : plainText(text)}`;
}
