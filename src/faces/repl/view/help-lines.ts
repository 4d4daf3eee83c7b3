import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import { keyHelp } from "../keymap/key-help.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { Room } from "../layers/layer.ts";
import { dialogRows } from "./layout.ts";

/** The minimum width for a description next to the keys; if there is less room, it follows after a colon. */
const MIN_WORD_COLUMNS = 20;

/** The keys, wrapped; if they need more rows than available, one page of them, and the last row says so. */
export function helpLines(keymap: Keymap, page: number, { theme, columns, rows }: Room): readonly string[] {
  const help = keyHelp(keymap);
  const width = Math.max(...help.map(({ keys }) => keys.length));
  const lines = help.flatMap(({ keys, does }) => {
    if (columns < width + 4 + MIN_WORD_COLUMNS) {
      const [first = "", ...rest] = wrapText(`${keys}: ${does}`, columns - 4);
      return [`  ${first}`, ...rest.map((line) => `    ${theme.dim(line)}`)];
    }
    const lead = `  ${padText(keys, width)}  `;
    const [first = "", ...rest] = wrapText(does, columns - lead.length);
    return [lead + theme.dim(first), ...rest.map((line) => " ".repeat(lead.length) + theme.dim(line))];
  });
  const room = dialogRows(rows);
  if (lines.length <= room) return lines;
  const body = Math.max(1, room - 1);
  const pages = Math.ceil(lines.length / body);
  const at = ((page % pages) + pages) % pages;
  const note = theme.warning(truncateText(`  … ${at + 1} of ${pages} · PgDn PgUp`, columns));
  return [...lines.slice(at * body, (at + 1) * body), note];
}
