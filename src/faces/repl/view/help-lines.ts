import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { KeyDescription } from "../../../contracts/command.ts";
import type { Keymap } from "../keymap/keymap.ts";
import { shortKeys } from "../keymap/short-keys.ts";
import type { Room } from "../layers/layer.ts";
import { dialogRows } from "./layout.ts";
import type { Theme } from "./theme.ts";

const INDENT = "  ";
const GAP = 2;

/**
 * The most used keys, one in a row, side by side where that is too high for the window. If they need more rows than
 * available, one page of them, and the last row says so.
 */
export function helpLines(keymap: Keymap, page: number, { theme, columns, rows }: Room): readonly string[] {
  const help = shortKeys(keymap);
  const room = dialogRows(rows);
  const lines =
    help.length <= room
      ? listed(help, theme, columns)
      : (sideBySide(help, theme, columns) ?? listed(help, theme, columns));
  const cut = lines.map((line) => truncateText(line, columns));
  if (cut.length <= room) return cut;
  const body = Math.max(1, room - 1);
  const pages = Math.ceil(cut.length / body);
  const at = ((page % pages) + pages) % pages;
  const note = theme.warning(truncateText(`  … ${at + 1} of ${pages} · PgDn PgUp`, columns));
  return [...cut.slice(at * body, (at + 1) * body), note];
}

/** Where the words don't fit beside the longest keys, they follow each key after a colon. */
function listed(help: readonly KeyDescription[], theme: Theme, columns: number): readonly string[] {
  const width = Math.max(...help.map(({ keys }) => textWidth(keys)));
  const isNarrow = help.some(({ does }) => INDENT.length + width + GAP + textWidth(does) > columns);
  if (isNarrow) return help.map(({ keys, does }) => `${INDENT}${keys}: ${theme.dim(does)}`);
  return help.map(({ keys, does }) => `${INDENT}${padText(keys, width + GAP)}${theme.dim(does)}`);
}

/** Two lists beside each other; undefined if the window is too narrow for them. */
function sideBySide(help: readonly KeyDescription[], theme: Theme, columns: number): readonly string[] | undefined {
  const half = Math.ceil(help.length / 2);
  const left = listed(help.slice(0, half), theme, columns);
  const right = listed(help.slice(half), theme, columns);
  const width = Math.max(...left.map(textWidth));
  if (width + Math.max(...right.map(textWidth)) > columns) return undefined;
  return left.map((line, at) => (right[at] === undefined ? line : padText(line, width) + right[at]));
}
