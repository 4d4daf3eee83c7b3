import type { Preview } from "../../../contracts/display.ts";

/** The selected hunks of a change. */
export type HunkMarks = {
  readonly count: number;
  /** The current hunk, from 0. */
  readonly at: number;
  /** The deselected hunks. */
  readonly left: ReadonlySet<number>;
};

/** Marks with all hunks selected; undefined if there are fewer than two hunks. */
export function marksFor(preview: Preview): HunkMarks | undefined {
  if (preview.kind !== "diff" || preview.hunks.length < 2) return undefined;
  return { count: preview.hunks.length, at: 0, left: new Set() };
}

export function toggleHunk(marks: HunkMarks): HunkMarks {
  const left = new Set(marks.left);
  if (!left.delete(marks.at)) left.add(marks.at);
  return { ...marks, left };
}

export function takeAllHunks(marks: HunkMarks): HunkMarks {
  return { ...marks, left: new Set() };
}

export function leaveAllHunks(marks: HunkMarks): HunkMarks {
  return { ...marks, left: new Set(Array.from({ length: marks.count }, (_, index) => index)) };
}

/** The indices of the selected hunks, in order. */
export function takenHunks({ count, left }: HunkMarks): readonly number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => !left.has(index));
}

/**
 * The current hunk after scrolling, when `scroll` is the first of `rows` shown lines: it stays current while its header
 * is visible, otherwise the nearest hunk with a visible header becomes current. `anchors` are the lines of the headers.
 */
export function hunkInSight(at: number, anchors: readonly number[], scroll: number, rows: number): number {
  const isSeen = (line: number | undefined) => line !== undefined && line >= scroll && line < scroll + rows;
  const line = anchors[at];
  if (line === undefined || isSeen(line)) return at;
  const seen = anchors.flatMap((anchor, index) => (isSeen(anchor) ? [index] : []));
  const nearest = line < scroll ? seen[0] : seen.at(-1);
  return (
    nearest ??
    Math.max(
      0,
      anchors.findLastIndex((anchor) => anchor < scroll),
    )
  );
}
