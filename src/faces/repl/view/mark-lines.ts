import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { joinedHints } from "../keymap/key-hint.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { Marking } from "../layers/ui-state.ts";
import { dialogRows, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";

/** The rows for the rule, the title and the hint. */
const ROWS_BESIDE = 3;
/** The columns at the beginning of a row's line that are free for the cursor and the mark. */
const FREE_COLUMNS = 4;

/** The visible part of a list of items to mark. Before the first move, the list begins with the lines above it. */
export function markLines(marking: Marking, { theme, columns, rows: windowRows, maxRows }: Room): Block {
  const { title, lines, rows, index, isMoved } = marking;
  const all = [...lines.map((line) => plainText(line)), ...rows.map((_, at) => rowLine(marking, at, theme))];
  const height = Math.max(1, Math.min(maxRows, dialogRows(windowRows)) - ROWS_BESIDE);
  const wanted = isMoved ? lines.length + index - Math.floor(height / 2) : 0;
  const from = Math.max(0, Math.min(wanted, all.length - height));
  const shown = all.slice(from, from + height);
  const place = all.length > shown.length ? `${from + 1}–${from + shown.length} of ${all.length}` : "";
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      spread(theme.strong(plainText(title)), theme.dim(place), columns),
      ...shown.map((line) => truncateText(line, columns)),
      theme.dim(truncateText(`  ${hint(marking, theme)}`, columns)),
    ],
  };
}

function rowLine({ rows, marks, index }: Marking, at: number, theme: Theme): string {
  const row = rows[at];
  const line = plainText(row?.line ?? "");
  if (!row || Object.keys(row.keys).length === 0) return line;
  const mark = marks[row.id]?.slice(0, 1) ?? " ";
  const cursor = at === index ? theme.accent(GLYPHS.choice) : " ";
  const text = line.slice(FREE_COLUMNS);
  return `${cursor} ${mark === " " ? mark : theme.warning(mark)} ${at === index ? theme.strong(text) : text}`;
}

/** The keys of the selected row, and the number of marks. */
function hint({ rows, index, marks, accepts, needsNoMark }: Marking, theme: Theme): string {
  const key = hintsOf(theme, "list");
  const keys = Object.entries(rows[index]?.keys ?? {}).map(([key, verb]) => `${key} ${verb}`);
  const count = Object.keys(marks).length;
  const moves = keys.length > 0 ? [key("", "list.previous", "list.next"), ...keys] : [];
  const marked = count === 0 ? [] : [plural(count, "mark")];
  const accept = count > 0 || needsNoMark ? [key(accepts, "list.accept")] : [];
  return joinedHints(...moves, ...marked, ...accept, key("closes", "list.close"));
}
