import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
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

/** The keys of the transcript viewer, below a rule. */
export function viewerHelp(keymap: Keymap, columns: number, theme: Theme): readonly string[] {
  // The arrows have another meaning while words are typed.
  const own = keymap.filter(({ context }) => context === "viewer");
  const lines = ROWS.map((actions) => {
    const keys = actions.map((action) => keyNamesOf(own, action)).join(" · ");
    const does = actions.map((action) => KEY_ACTIONS[action]).join(" · ");
    return truncateText(`  ${padText(keys, KEY_COLUMNS)}  ${theme.dim(does)}`, columns);
  });
  return [theme.dim("─".repeat(columns)), ...lines];
}
