import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Block, Room } from "../layers/layer.ts";
import { NO_PREVIEW, type TextView } from "../layers/ui-state.ts";
import { scrolledLines } from "./box.ts";
import { dialogRows, wrapIndented } from "./layout.ts";
import { type Watched, watchLines } from "./watch-lines.ts";

const HINT = "  ↑↓ PgUp PgDn scroll · esc closes";
const WATCH_HINT = "  ↑↓ PgUp PgDn scroll · end follows it · m message · x stops it · esc back";

/** The rule, the title and the hint. */
const ROWS_BESIDE = 3;

/** The lines of a view are wrapped once for a width, not for each key. */
const wrappedLines = new WeakMap<readonly string[], { readonly columns: number; readonly lines: readonly string[] }>();

function wrapped(lines: readonly string[], columns: number): readonly string[] {
  const known = wrappedLines.get(lines);
  if (known?.columns === columns) return known.lines;
  const made = lines.flatMap((line) => wrapIndented(plainText(lastOverwrite(line)), columns));
  wrappedLines.set(lines, { columns, lines: made });
  return made;
}

/** The visible part of a text or of a watched agent's conversation, with its title. */
export function viewLines(view: TextView, about: Omit<Watched, "transcript">, room: Room): Block {
  const { title, lines, scroll, taskId, transcript } = view;
  const { theme, columns, maxRows } = room;
  // The conversation of an agent is watched like one's own.
  const most = taskId === undefined ? Math.min(maxRows, dialogRows(room.rows)) : maxRows;
  const rows = Math.max(1, most - ROWS_BESIDE);
  const all = transcript
    ? watchLines({ ...about, transcript }, { ...room, columns: columns - 1 })
    : wrapped(lines, columns - 1);
  const shown = scrolledLines(all, scroll, { rows, width: columns, theme });
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(plainText(title)), columns),
      ...shown.lines,
      theme.dim(truncateText(taskId === undefined ? HINT : WATCH_HINT, columns)),
    ],
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}
