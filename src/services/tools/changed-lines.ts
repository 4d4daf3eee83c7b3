import { plural } from "@quoll/terminal-text/plural";
import type { DiffHunk, DiffLine } from "../../contracts/display.ts";
import { lineAround } from "./line-around.ts";
import { numbered } from "./target-file.ts";

const MAX_LINES = 60;

type Line = {
  readonly number: number;
  readonly text: string;
  readonly isChanged: boolean;
  /** Where the line begins to differ from the one in whose place it stands. */
  readonly at: number;
};

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
    return [...(isBehindGap ? ["…"] : []), numbered(line.number, lineAround(line.text, line.at))];
  });
  const left = wanted.length - lines.length;
  return [...shown, ...(left > 0 ? [`… ${plural(left, "more line")} changed`] : [])].join("\n");
}

function newLines({ newStart, lines }: DiffHunk): readonly Line[] {
  const found: Line[] = [];
  /** The removed lines whose replacements follow. */
  let replaced: string[] = [];
  let previous: DiffLine["kind"] = "same";
  for (const { kind, text } of lines) {
    if (kind === "same" || (kind === "removed" && previous === "added")) replaced = [];
    if (kind === "removed") replaced.push(text);
    else {
      const at = kind === "same" ? 0 : firstDifference(replaced.shift() ?? "", text);
      found.push({ number: newStart + found.length, text, isChanged: kind === "added", at });
    }
    previous = kind;
  }
  return found;
}

function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < after.length && before[at] === after[at]) at += 1;
  return at;
}
