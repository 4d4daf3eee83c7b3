import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { joinedHints } from "../keymap/key-hint.ts";
import type { Block, Room } from "../layers/layer.ts";
import { NO_PREVIEW, type TextView } from "../layers/ui-state.ts";
import { scrolledLines } from "./box.ts";
import { dialogRows, wrapIndented } from "./layout.ts";
import type { Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";
import { type Watched, watchLines } from "./watch-lines.ts";

/** The rows for the rule, the title and the hint. */
const ROWS_BESIDE = 3;

/** The lines of a view are wrapped once for each width, not for each key. */
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
  // The conversation of an agent is shown like the main conversation.
  const most = taskId === undefined ? Math.min(maxRows, dialogRows(room.rows)) : maxRows;
  const rows = Math.max(1, most - ROWS_BESIDE);
  const all = transcript
    ? watchLines({ ...about, transcript }, { ...room, columns: columns - 1 })
    : wrapped(lines, columns - 1);
  const pages = hintsOf(theme, "view")("", "view.pageDown", "view.pageUp");
  const shown = scrolledLines(all, scroll, { rows, width: columns, theme, pages });
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(plainText(title)), columns),
      ...shown.lines,
      theme.dim(truncateText(`  ${hint(theme, taskId !== undefined)}`, columns)),
    ],
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}

function hint(theme: Theme, isWatched: boolean): string {
  const key = hintsOf(theme, "view");
  const lines = key("", "view.lineUp", "view.lineDown");
  const pages = key("", "view.pageUp", "view.pageDown");
  const scrolls = lines + pages === "" ? "" : [lines, pages, "scroll"].filter(Boolean).join(" ");
  if (!isWatched) return joinedHints(scrolls, key("closes", "view.close"));
  const task = hintsOf(theme, "watch");
  return joinedHints(
    scrolls,
    key("follows it", "view.bottom"),
    task("message", "strip.message"),
    task("stops it", "strip.stop"),
    key("back", "view.close"),
  );
}
