import type { DiffHunk } from "../../../contracts/display.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Target } from "../target-file.ts";

const MAX_NAMED_LINES = 5;

/**
 * Checks that a change affects only lines that the model has seen.
 * @param hunks The change, with old line numbers.
 * @throws {ToolFailedError} a changed line, or both neighbours of new lines, were not shown.
 */
export function refuseUnseen(hunks: readonly DiffHunk[], seen: ReadonlySet<number>, target: Target): void {
  const unseen = [...new Set(hunks.flatMap((hunk) => unseenOf(hunk, seen)))];
  if (unseen.length === 0) return;
  const names = unseen.slice(0, MAX_NAMED_LINES).join(", ");
  const more = unseen.length > MAX_NAMED_LINES ? " …" : "";
  const lines = `${unseen.length === 1 ? "line" : "lines"} ${names}${more}`;
  throw new ToolFailedError(
    `${target.shown} was not read, and Grep did not show ${lines}, which this would change or add to. Read it first.`,
  );
}

/** Of new lines, the line before them: the next one may not exist. */
function unseenOf({ oldStart, lines }: DiffHunk, seen: ReadonlySet<number>): readonly number[] {
  const unseen: number[] = [];
  let line = oldStart;
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "removed" && !seen.has(line)) unseen.push(line);
    if (kind === "added" && !hasSeenBeside(lines, at, line, seen)) unseen.push(Math.max(1, line - 1));
    if (kind !== "added") line += 1;
  }
  return unseen;
}

/** New lines are allowed in the place of seen lines, or next to one. */
function hasSeenBeside(lines: DiffHunk["lines"], at: number, line: number, seen: ReadonlySet<number>): boolean {
  const isReplacing = lines.slice(0, at).findLast(({ kind }) => kind !== "added")?.kind === "removed";
  return isReplacing || seen.has(line) || seen.has(line - 1);
}

/** The numbers of the seen lines after a change, and of the lines in its result. */
export function linesAfter(hunks: readonly DiffHunk[], seen: ReadonlySet<number>): readonly number[] {
  const kept: number[] = [...seen].map((line) => {
    const before = hunks.filter(({ oldStart, lines }) => oldStart + countOf(lines, "added") <= line);
    return line + before.reduce((sum, { lines }) => sum + countOf(lines, "removed") - countOf(lines, "added"), 0);
  });
  const inHunk = (line: number) =>
    hunks.some((hunk) => line >= hunk.oldStart && line < hunk.oldStart + countOf(hunk.lines, "added"));
  const outside = [...seen].flatMap((line, at) => (inHunk(line) ? [] : (kept[at] ?? [])));
  const shown = hunks.flatMap(({ newStart, lines }) =>
    Array.from({ length: countOf(lines, "removed") }, (_, at) => newStart + at),
  );
  return [...outside, ...shown];
}

/** The lines of a hunk without one kind: without "added" this is the old side, without "removed" the new side. */
function countOf(lines: DiffHunk["lines"], without: "added" | "removed"): number {
  return lines.filter(({ kind }) => kind !== without).length;
}
