import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { HistorySearch } from "../editor/history-search.ts";
import { joinedHints } from "../keymap/key-hint.ts";
import type { Block, Room } from "../layers/layer.ts";
import { dialogRows, MARK_COLUMNS, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";

/** The rows for the rule, the title, the words and the hint. */
const ROWS_BESIDE = 4;
const MAX_ROWS = 12;

/** The search of the history: the typed words, and the matches, newest first. */
export function historyLines(
  search: HistorySearch,
  found: readonly string[],
  { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">,
): Block {
  const max = Math.max(1, Math.min(MAX_ROWS, dialogRows(rows) - ROWS_BESIDE));
  const { index } = search;
  const from = Math.max(0, Math.min(index - Math.floor(max / 2), found.length - max));
  const shown = found.slice(from, from + max).map((entry, at) => {
    const text = truncateText(plainText(joinedLines(entry)), columns - MARK_COLUMNS);
    return from + at === index ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
  });
  const place = search.isEverywhere ? "history of all projects" : "history of this project";
  const count = found.length === 0 ? "no match" : `${index + 1} of ${found.length}`;
  const lead = `${theme.accent(GLYPHS.prompt)} `;
  const words = truncateText(joinedLines(search.words), columns - MARK_COLUMNS - 1, "start");
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      spread(theme.strong(place), theme.dim(count), columns),
      lead + words,
      ...shown,
      theme.dim(truncateText(`  ${hint(search, theme, columns - 2)}`, columns)),
    ],
    cursor: { x: MARK_COLUMNS + textWidth(words), y: 2 },
  };
}

function hint({ isEverywhere }: HistorySearch, theme: Theme, columns: number): string {
  const key = hintsOf(theme, "search");
  const scope = key(isEverywhere ? "this project" : "all projects", "search.scope");
  const short = (...between: readonly string[]) =>
    joinedHints(key("", "search.accept"), ...between, key("", "search.close"));
  const hints = [
    joinedHints(
      key("choose", "search.older", "search.newer"),
      key("takes", "search.accept"),
      scope,
      key("back", "search.close"),
    ),
    short(scope),
    short(),
  ];
  return hints.find((one) => textWidth(one) <= columns) ?? "";
}
