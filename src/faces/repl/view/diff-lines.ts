import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk } from "../../../contracts/tool.ts";
import type { Theme } from "./theme.ts";

/** One line of a diff with its number: that of the old file for what was removed, of the new file for the rest. */
type Numbered = {
  readonly number: number;
  /** Its number in the old file. */
  readonly oldNumber: number;
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
};

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

type Options = {
  readonly theme: Theme;
  readonly columns: number;
  /** Whether unchanged neighbours are shown. */
  readonly context: boolean;
  /** Long lines are cut in a transcript, and wrapped where a person judges them. */
  readonly overflow: "cut" | "wrap";
  readonly maxLines?: number;
};

/** A diff as lines: number, sign, text. The sign says it without colour. */
export function diffLines(hunks: readonly DiffHunk[], options: Options): readonly string[] {
  const { theme, columns, context, overflow, maxLines = Number.POSITIVE_INFINITY } = options;
  const perHunk = hunks.map((hunk) => number(hunk).filter(({ kind }) => context || kind !== "same"));
  const all = perHunk.flat();
  const digits = String(Math.max(0, ...all.map((line) => line.number))).length;
  const isWide = columns >= MIN_SIDE_BY_SIDE_COLUMNS;
  const half = Math.floor((columns - 3) / 2);
  const lines: string[] = [];
  for (const [at, hunk] of perHunk.entries()) {
    if (at > 0 && context) lines.push(theme.dim(`${" ".repeat(digits)} ⋮`));
    if (isWide && hasBothSides(hunk)) lines.push(...pairs(hunk).flatMap(([old, now]) => beside(old, now)));
    else for (const line of hunk) lines.push(...draw(line, columns));
  }
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), theme.dim(`… ${plural(lines.length - maxLines, "more line")}`)];

  function beside(old: Numbered | undefined, now: Numbered | undefined): readonly string[] {
    const left = old ? draw(old, half) : [];
    const right = now ? draw(now, half) : [];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
      `${padText(left[at] ?? "", half)} ${theme.dim("│")} ${right[at] ?? ""}`.trimEnd(),
    );
  }

  function draw({ number, kind, text }: Numbered, width: number): readonly string[] {
    const safe = plainText(text).replaceAll("\n", " ");
    const room = Math.max(4, width - digits - 3);
    const parts = overflow === "cut" ? [truncateText(safe, room)] : hardWrapText(safe, room);
    const paint = kind === "added" ? theme.added : kind === "removed" ? theme.removed : theme.dim;
    return parts.map((part, at) => {
      const gutter = at === 0 ? String(number).padStart(digits) : " ".repeat(digits);
      return `${theme.dim(gutter)} ${paint(`${SIGNS[kind]} ${part}`.trimEnd())}`;
    });
  }
}

/** From here on, old and new stand beside each other. */
const MIN_SIDE_BY_SIDE_COLUMNS = 100;

function hasBothSides(hunk: readonly Numbered[]): boolean {
  return hunk.some(({ kind }) => kind === "added") && hunk.some(({ kind }) => kind === "removed");
}

/** What was removed beside what came instead of it; unchanged lines on both sides. */
function pairs(hunk: readonly Numbered[]): readonly (readonly [Numbered | undefined, Numbered | undefined])[] {
  const rows: (readonly [Numbered | undefined, Numbered | undefined])[] = [];
  let removed: Numbered[] = [];
  let added: Numbered[] = [];
  const flush = () => {
    const height = Math.max(removed.length, added.length);
    for (let at = 0; at < height; at += 1) rows.push([removed[at], added[at]]);
    removed = [];
    added = [];
  };
  for (const line of hunk) {
    if (line.kind === "added") added.push(line);
    else {
      if (line.kind === "same" || added.length > 0) flush();
      if (line.kind === "same") rows.push([{ ...line, number: line.oldNumber }, line]);
      else removed.push(line);
    }
  }
  flush();
  return rows;
}

function number({ oldStart, newStart, lines }: DiffHunk): readonly Numbered[] {
  let old = oldStart;
  let now = newStart;
  return lines.map(({ kind, text }) => {
    const numbered = { number: kind === "removed" ? old : now, oldNumber: old, kind, text };
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
    return numbered;
  });
}
