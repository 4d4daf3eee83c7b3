import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import { KEY_ACTIONS } from "../keymap/key-actions.ts";
import { keyNamesOf } from "../keymap/key-help.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { Theme } from "../view/theme.ts";

const ROWS = [
  ["viewer.lineUp", "viewer.lineDown"],
  ["viewer.pageUp", "viewer.pageDown"],
  ["viewer.top", "viewer.bottom"],
  ["viewer.previousTurn", "viewer.nextTurn"],
  ["viewer.previousBlock", "viewer.nextBlock"],
  ["viewer.search"],
  ["viewer.nextMatch", "viewer.previousMatch"],
  ["viewer.copy"],
  ["viewer.takeBack"],
  ["viewer.close"],
] as const;
const KEY_COLUMNS = 26;
const MIN_WORD_COLUMNS = 12;

/** The keys of the transcript viewer, below a rule. */
export function viewerHelp(keymap: Keymap, columns: number, theme: Theme): readonly string[] {
  // The arrows have another meaning while words are typed.
  const own = keymap.filter(({ context }) => context === "viewer");
  const lines = ROWS.flatMap((actions) => {
    const keys = actions.map((action) => keyNamesOf(own, action)).join(" · ");
    const does = actions.map((action) => KEY_ACTIONS[action]).join(" · ");
    const lead = `  ${padText(keys, KEY_COLUMNS)}  `;
    const [first = "", ...more] = wrapText(does, Math.max(MIN_WORD_COLUMNS, columns - textWidth(lead)));
    const rows = [lead + theme.dim(first), ...more.map((row) => " ".repeat(textWidth(lead)) + theme.dim(row))];
    return rows.map((row) => truncateText(row, columns));
  });
  return [theme.dim("─".repeat(columns)), ...lines];
}
