import { diffArrays } from "diff";
import type { DiffHunk, DiffLine } from "../../contracts/display.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { diffTexts, splitLines, type TextDiff } from "../../platform/diff-hunks.ts";

/** Context lines for each hunk: a secret of several lines (a private key) is recognised only if most of it is visible. */
const LINES_AROUND = 100;
/** Replaces the further lines of a secret. */
const HIDDEN_LINE = "…";

/** The diff for people and models: with placeholders for secrets. Parts are applied from the real diff. */
export function shownDiff(before: string, after: string, redactor: Redactor | undefined): TextDiff {
  const { diff, take } = diffTexts(before, after);
  if (!redactor) return { diff, take };
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  const hunks = diff.hunks.map((hunk) => redactHunk(hunk, oldLines, newLines, redactor));
  return { diff: { ...diff, hunks }, take };
}

function redactHunk(
  hunk: DiffHunk,
  oldLines: readonly string[],
  newLines: readonly string[],
  redactor: Redactor,
): DiffHunk {
  const count = (left: DiffLine["kind"]) => hunk.lines.filter(({ kind }) => kind !== left).length;
  const old = hiddenLines(oldLines, hunk.oldStart - 1, count("added"), redactor);
  const now = hiddenLines(newLines, hunk.newStart - 1, count("removed"), redactor);
  if (old.size + now.size === 0) return hunk;
  let oldAt = hunk.oldStart - 1;
  let newAt = hunk.newStart - 1;
  const lines = hunk.lines.map(({ kind, text }): DiffLine => {
    const shown = (kind !== "added" ? old.get(oldAt) : undefined) ?? (kind !== "removed" ? now.get(newAt) : undefined);
    if (kind !== "added") oldAt += 1;
    if (kind !== "removed") newAt += 1;
    return { kind, text: shown ?? text };
  });
  return { ...hunk, lines };
}

/** For a section of lines with context: the replacement of each line that contains a secret, by index. */
function hiddenLines(
  lines: readonly string[],
  start: number,
  count: number,
  redactor: Redactor,
): ReadonlyMap<number, string> {
  const from = Math.max(0, start - LINES_AROUND);
  const raw = lines.slice(from, start + count + LINES_AROUND);
  const text = raw.join("");
  const redacted = redactor.redact(text);
  if (redacted === text) return new Map();
  const shown = splitLines(redacted);
  const hidden = new Map<number, string>();
  let at = from;
  let pending: number[] = [];
  for (const { added, removed, value } of diffArrays([...raw], shown)) {
    if (removed) {
      pending = value.map((_, index) => at + index);
      for (const index of pending) hidden.set(index, HIDDEN_LINE);
    } else if (added) {
      for (const [index, line] of value.entries()) {
        const place = pending[index];
        if (place !== undefined) hidden.set(place, line.replace(/\r?\n$/, ""));
      }
    }
    if (!added) at += value.length;
    if (!removed) pending = [];
  }
  return hidden;
}
