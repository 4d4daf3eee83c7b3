import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import { plural } from "@quoll/terminal-text/plural";
import type { DiffHunk } from "../../../contracts/display.ts";
import { numbered } from "../target-file.ts";

const MAX_LINES = 60;
const MAX_LINE_CHARS = 500;

type Line = { readonly number: number; readonly text: string; readonly isChanged: boolean };

/**
 * The changed lines in Read's format, with gaps marked: with context if all of it is at most 60
 * lines, else the first 60 changed lines.
 */
export function changedLines(hunks: readonly DiffHunk[]): string {
  const all = hunks.flatMap(newLines);
  const wanted = all.length <= MAX_LINES ? all : all.filter(({ isChanged }) => isChanged);
  const lines = wanted.slice(0, MAX_LINES);
  const shown = lines.flatMap((line, at) => {
    const previous = lines[at - 1];
    const isBehindGap = previous !== undefined && line.number > previous.number + 1;
    return [...(isBehindGap ? ["…"] : []), numbered(line.number, short(line.text))];
  });
  const left = wanted.length - lines.length;
  return [...shown, ...(left > 0 ? [`… ${plural(left, "more line")} changed`] : [])].join("\n");
}

function newLines({ newStart, lines }: DiffHunk): readonly Line[] {
  return lines
    .filter(({ kind }) => kind !== "removed")
    .map(({ kind, text }, at) => ({ number: newStart + at, text, isChanged: kind === "added" }));
}

function short(text: string): string {
  return text.length > MAX_LINE_CHARS ? `${withoutCutEnd(text.slice(0, MAX_LINE_CHARS))}… [cut]` : text;
}
