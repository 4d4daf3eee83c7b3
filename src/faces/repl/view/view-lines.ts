import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Block, Room } from "../layers/layer.ts";
import { NO_PREVIEW, type Ui } from "../layers/ui-state.ts";
import { scrolledLines } from "./box.ts";
import { wrapIndented } from "./layout.ts";

/** The rule, the title and the hint. */
const ROWS_BESIDE = 3;

/** The visible part of a text, with its title. */
export function viewLines({ title, lines, scroll }: NonNullable<Ui["view"]>, room: Room): Block {
  const { theme, columns, maxRows } = room;
  const wrapped = lines.flatMap((line) => wrapIndented(plainText(line), columns - 1));
  const rows = Math.max(1, maxRows - ROWS_BESIDE);
  const shown = scrolledLines(wrapped, scroll, { rows, width: columns, theme });
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(plainText(title)), columns),
      ...shown.lines,
      theme.dim(truncateText("  ↑↓ PgUp PgDn scroll · esc closes", columns)),
    ],
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}
