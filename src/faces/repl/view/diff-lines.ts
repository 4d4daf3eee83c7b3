import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText } from "@quoll/terminal-text/wrap-text";
import type { DiffHunk } from "../../../contracts/tool.ts";
import { plural } from "./layout.ts";
import type { Theme } from "./theme.ts";

/** One line of a diff with its number: that of the old file for what was removed, of the new file for the rest. */
type Numbered = { readonly number: number; readonly kind: "same" | "added" | "removed"; readonly text: string };

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
  const room = Math.max(4, columns - digits - 3);
  const lines: string[] = [];
  for (const [at, hunk] of perHunk.entries()) {
    if (at > 0 && context) lines.push(theme.dim(`${" ".repeat(digits)} ⋮`));
    for (const line of hunk) lines.push(...draw(line));
  }
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), theme.dim(`… ${plural(lines.length - maxLines, "more line")}`)];

  function draw({ number, kind, text }: Numbered): readonly string[] {
    const safe = plainText(text).replaceAll("\n", " ");
    const parts = overflow === "cut" ? [truncateText(safe, room)] : hardWrapText(safe, room);
    const paint = kind === "added" ? theme.added : kind === "removed" ? theme.removed : theme.dim;
    return parts.map((part, at) => {
      const gutter = at === 0 ? String(number).padStart(digits) : " ".repeat(digits);
      return `${theme.dim(gutter)} ${paint(`${SIGNS[kind]} ${part}`.trimEnd())}`;
    });
  }
}

function number({ oldStart, newStart, lines }: DiffHunk): readonly Numbered[] {
  let old = oldStart;
  let now = newStart;
  return lines.map(({ kind, text }) => {
    const at = kind === "removed" ? old : now;
    if (kind !== "added") old += 1;
    if (kind !== "removed") now += 1;
    return { number: at, kind, text };
  });
}
