import type { DiffHunk, Display } from "../../contracts/display.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { splitLines } from "../../platform/diff-hunks.ts";
import { shownDiff } from "./shown-diff.ts";

type DiffDisplay = Extract<Display, { kind: "diff" }>;

/**
 * The diff of a write and of the hook that changed the file right after it, as one.
 * @param texts The file as the call wrote it, and as the hook left it.
 * @returns `display` itself if its hunks are incomplete, or of a notebook's cell.
 */
export function diffAfterHook(
  display: DiffDisplay,
  { before, after }: { readonly before: string; readonly after: string },
  redactor: Redactor,
): DiffDisplay {
  const { hunks, added, removed, isOfCell } = display;
  const changed = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== "same").length;
  if (isOfCell || changed !== added + removed) return display;
  return { ...display, ...shownDiff(withoutHunks(before, hunks), after, redactor).diff };
}

/** The text from before the hunks, whose lines hold no line ends. */
function withoutHunks(text: string, hunks: readonly DiffHunk[]): string {
  const lines = splitLines(text);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  for (const { newStart, lines: shown } of hunks.toReversed()) {
    const now = lines.slice(newStart - 1, newStart - 1 + shown.filter(({ kind }) => kind !== "removed").length);
    let at = 0;
    const old = shown.flatMap(({ kind, text: line }) => {
      if (kind === "removed") return [`${line}${lineEnd}`];
      at += 1;
      return kind === "same" ? [now[at - 1] ?? ""] : [];
    });
    lines.splice(newStart - 1, now.length, ...old);
  }
  return lines.join("");
}
