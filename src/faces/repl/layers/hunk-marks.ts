import type { Preview } from "../../../contracts/display.ts";

/** Which parts of a change a person takes. */
export type HunkMarks = {
  readonly count: number;
  /** The one that the keys act on, from 0. */
  readonly at: number;
  /** Those that are left out. */
  readonly left: ReadonlySet<number>;
};

/** All parts taken; undefined where there is nothing to choose between. */
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

/** The indices of what is taken, in order. */
export function takenHunks({ count, left }: HunkMarks): readonly number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => !left.has(index));
}

/**
 * The hunk that the keys act on once `scroll` is the first line of `rows` that are shown: the one it was while that is in sight,
 * else the nearest whose head is. `anchors` are the lines of the heads.
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
