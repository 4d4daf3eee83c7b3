import { diffArrays } from "diff";
import type { DiffHunk, DiffLine } from "../contracts/display.ts";
import type { FilePart } from "../contracts/session-changes.ts";

const CONTEXT_LINES = 3;
/** Above this many changed lines the exact minimum is not computed: the whole changed section counts as replaced. */
const MAX_EDIT_LENGTH = 400;
const MAX_DIFFED_LINES = 20_000;
/** Most lines of all hunks that a screen gets. */
const MAX_SHOWN_LINES = 1_000;

type Run = { readonly kind: DiffLine["kind"]; readonly lines: readonly string[] };

export type Diff = { readonly hunks: readonly DiffHunk[]; readonly added: number; readonly removed: number };

/** A diff whose hunks can be applied separately. */
export type TextDiff = {
  readonly diff: Diff;
  /**
   * The old text with only the hunks at these indices applied; undefined if a hunk is not shown completely, because its
   * effect would be unknown.
   */
  readonly take: ((indices: readonly number[]) => string) | undefined;
};

/** The number of equal lines at the start, and of further ones at the end. */
export function commonEnds(
  a: readonly string[],
  b: readonly string[],
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/**
 * The diff of two texts by lines, with 3 lines of context. The cost is limited: common text at the start and end
 * is skipped, and a middle part that differs too much counts as replaced. Hunks beyond 1,000 lines are left out; `added`
 * and `removed` count all lines.
 */
export function diffTexts(before: string, after: string): TextDiff {
  const a = splitLines(before);
  const b = splitLines(after);
  const { head, tail } = commonEnds(a, b);
  if (head === a.length && head === b.length) return { diff: { hunks: [], added: 0, removed: 0 }, take: () => before };
  const runs: Run[] = [
    { kind: "same", lines: a.slice(Math.max(0, head - CONTEXT_LINES), head) },
    ...middleRuns(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    { kind: "same", lines: a.slice(a.length - tail, a.length - tail + CONTEXT_LINES) },
  ];
  const total = (kind: DiffLine["kind"]) =>
    runs.reduce((sum, run) => sum + (run.kind === kind ? run.lines.length : 0), 0);
  const whole = toHunks(runs, Math.max(0, head - CONTEXT_LINES) + 1);
  const hunks = limit(whole.hunks);
  const isShown =
    hunks.length === whole.hunks.length && hunks.at(-1)?.lines.length === whole.hunks.at(-1)?.lines.length;
  const start = a.slice(0, Math.max(0, head - CONTEXT_LINES));
  const end = a.slice(a.length - tail + CONTEXT_LINES);
  const take = (indices: readonly number[]) =>
    [...start, ...takenLines(runs, whole.hunkOfRun, new Set(indices)), ...(tail > CONTEXT_LINES ? end : [])].join("");
  return {
    diff: { hunks, added: total("added"), removed: total("removed") },
    take: isShown ? take : undefined,
  };
}

/** For each changed run, the new side if its hunk is applied, the old side otherwise. */
function takenLines(runs: readonly Run[], hunkOfRun: readonly number[], taken: ReadonlySet<number>): readonly string[] {
  return runs.flatMap(({ kind, lines }, index) => {
    if (kind === "same") return lines;
    const isTaken = taken.has(hunkOfRun[index] ?? -1);
    return isTaken === (kind === "added") ? lines : [];
  });
}

/** Lines with their line ends, so that a changed line end is a change. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function middleRuns(a: string[], b: string[]): readonly Run[] {
  const whole: Run[] = [
    { kind: "removed", lines: a },
    { kind: "added", lines: b },
  ];
  if (a.length === 0 || b.length === 0 || a.length + b.length > MAX_DIFFED_LINES) return whole;
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDIT_LENGTH });
  return (
    changes?.map(({ added, removed, value }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      lines: value,
    })) ?? whole
  );
}

type Hunks = {
  readonly hunks: readonly DiffHunk[];
  /** For each run, the index of the hunk that contains its last line. */
  readonly hunkOfRun: readonly number[];
};

/** Cuts long equal sections, which separate the hunks. */
function toHunks(runs: readonly Run[], firstLine: number): Hunks {
  const hunkOfRun: number[] = [];
  const hunks: { oldStart: number; newStart: number; lines: DiffLine[] }[] = [];
  let oldLine = firstLine;
  let newLine = firstLine;
  let hunk: (typeof hunks)[number] | undefined;
  for (const { kind, lines } of runs) {
    lines.forEach((line, at) => {
      const isNear = at < CONTEXT_LINES && hunk !== undefined;
      const isAhead = lines.length - at <= CONTEXT_LINES;
      if (kind !== "same" || isNear || isAhead) {
        if (!hunk) {
          hunk = { oldStart: oldLine, newStart: newLine, lines: [] };
          hunks.push(hunk);
        }
        hunk.lines.push({ kind, text: line.replace(/\r?\n$/, "") });
      } else hunk = undefined;
      if (kind !== "added") oldLine += 1;
      if (kind !== "removed") newLine += 1;
    });
    hunkOfRun.push(hunks.length - 1);
  }
  return { hunks, hunkOfRun };
}

function limit(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  let room = MAX_SHOWN_LINES;
  return hunks.flatMap((hunk) => {
    if (room <= 0) return [];
    const lines = hunk.lines.slice(0, room);
    room -= lines.length;
    return [{ ...hunk, lines }];
  });
}

/** The diff of two texts, and each hunk with its exact text; `parts` is absent if a hunk is not complete. */
export function partedDiff(before: string, after: string): Diff & { readonly parts?: readonly FilePart[] } {
  const { diff, take } = diffTexts(before, after);
  if (!take) return diff;
  const [old, now] = [splitLines(before), splitLines(after)];
  const parts = diff.hunks.map(({ oldStart, newStart, lines }): FilePart => {
    const text = (from: readonly string[], start: number, other: "added" | "removed") =>
      from.slice(start - 1, start - 1 + lines.filter(({ kind }) => kind !== other).length).join("");
    return { before: text(old, oldStart, "added"), after: text(now, newStart, "removed"), line: newStart };
  });
  return { ...diff, parts };
}

/**
 * A text without one change: the part's lines as they were before. The part may have moved, if its lines are there once.
 * @returns undefined if the text does not hold the part.
 */
export function withoutPart(text: string, { before, after, line }: FilePart): string | undefined {
  const lines = splitLines(text);
  const part = splitLines(after);
  // A file without this text has nothing that could have moved.
  if (part.length === 0) return text === "" ? before : undefined;
  const isAt = (at: number) => part.every((one, offset) => lines[at + offset] === one);
  const places = isAt(line - 1) ? [line - 1] : lines.flatMap((_, at) => (isAt(at) ? [at] : []));
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  return [...lines.slice(0, at), before, ...lines.slice(at + part.length)].join("");
}
