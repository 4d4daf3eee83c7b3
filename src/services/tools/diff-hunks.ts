import { diffArrays } from "diff";
import type { DiffHunk, DiffLine } from "../../contracts/tool.ts";

const CONTEXT_LINES = 2;
/** Above this many changed lines the exact minimum is not looked for: the changed stretch is shown as replaced whole. */
const MAX_EDIT_LENGTH = 400;
const MAX_DIFFED_LINES = 20_000;
/** Lines of all hunks together that a screen is given. */
const MAX_SHOWN_LINES = 1_000;

type Run = { readonly kind: DiffLine["kind"]; readonly lines: readonly string[] };

export type Diff = { readonly hunks: readonly DiffHunk[]; readonly added: number; readonly removed: number };

/**
 * The difference of two texts by lines, with 2 lines around each change. Cost is bounded: what both texts start and end with
 * is passed over, and a middle that differs too much counts as replaced whole. Hunks past 1,000 lines are left out; `added`
 * and `removed` count everything.
 */
export function diffHunks(before: string, after: string): Diff {
  const a = splitLines(before);
  const b = splitLines(after);
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  if (head === a.length && head === b.length) return { hunks: [], added: 0, removed: 0 };
  const runs: Run[] = [
    { kind: "same", lines: a.slice(Math.max(0, head - CONTEXT_LINES), head) },
    ...middleRuns(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    { kind: "same", lines: a.slice(a.length - tail, a.length - tail + CONTEXT_LINES) },
  ];
  const total = (kind: DiffLine["kind"]) =>
    runs.reduce((sum, run) => sum + (run.kind === kind ? run.lines.length : 0), 0);
  const first = Math.max(0, head - CONTEXT_LINES) + 1;
  return { hunks: limit(toHunks(runs, first)), added: total("added"), removed: total("removed") };
}

/** Lines with their line ends, so that a change of these alone is a change. */
function splitLines(text: string): string[] {
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

/** Cuts long equal stretches, which is what parts one hunk from the next. */
function toHunks(runs: readonly Run[], firstLine: number): readonly DiffHunk[] {
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
  }
  return hunks;
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
