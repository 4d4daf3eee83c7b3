import { revealText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";

const MAX_COLUMNS = 100;

/** A stranger's words on one short line: nothing in them drives the terminal, and nothing vanishes. */
export function oneLine(text: string): string {
  return truncateText(revealText(text).replaceAll("\n", "␊"), MAX_COLUMNS);
}
