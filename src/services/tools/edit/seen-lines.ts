import { ToolFailedError } from "../../../contracts/errors.ts";
import type { DiffHunk } from "../../../contracts/tool.ts";
import { count, type Target } from "../target-file.ts";

/**
 * Checks that a change keeps to lines that the model has seen.
 * @param hunks The change, with old line numbers.
 * @throws {ToolFailedError} a changed line was not shown, or nothing beside new lines was.
 */
export function refuseUnseen(hunks: readonly DiffHunk[], seen: ReadonlySet<number>, target: Target): void {
  for (const { oldStart, lines } of hunks) {
    let line = oldStart;
    for (const [at, { kind }] of lines.entries()) {
      const isSeen = kind === "removed" ? seen.has(line) : hasSeenBeside(lines, at, line, seen);
      if (kind !== "same" && !isSeen)
        throw new ToolFailedError(
          `${target.shown} was not read, and Grep did not show line ${count(line)}, which this would change. Read it first.`,
        );
      if (kind !== "added") line += 1;
    }
  }
}

/** New lines stand in the place of old ones that were seen, or beside one. */
function hasSeenBeside(lines: DiffHunk["lines"], at: number, line: number, seen: ReadonlySet<number>): boolean {
  const isReplacing = lines.slice(0, at).findLast(({ kind }) => kind !== "added")?.kind === "removed";
  return isReplacing || seen.has(line) || seen.has(line - 1);
}

/** The numbers that seen lines have after a change, and those of the lines that its answer shows. */
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

/** Lines of a hunk without those of one kind: without "added" it is the old side, without "removed" the new one. */
function countOf(lines: DiffHunk["lines"], without: "added" | "removed"): number {
  return lines.filter(({ kind }) => kind !== without).length;
}
