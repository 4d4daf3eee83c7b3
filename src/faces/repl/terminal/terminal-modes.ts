import { LEAVE_SCREEN } from "@quoll/terminal-text/leave-screen";
import type { ReplTerminal } from "../repl-props.ts";
import { FOLLOW_BACKGROUND } from "./screen-theme.ts";

/**
 * Turns on bracketed paste, focus reports and kitty keys with disambiguation (a terminal that does not support them
 * ignores this).
 */
const ENTER = "\u001b[?2004h\u001b[?1004h\u001b[>1u";

/**
 * Asks for the flags of kitty's protocol, then for the terminal's name (secondary device attributes). Each terminal answers
 * the last question: what it was asked before, it has answered by then, or never does.
 */
const ASK_KEYS = "\u001b[?u\u001b[>c";
/**
 * Turns on xterm's modifyOtherKeys, which reports keys with modifiers as separate sequences; tmux and mintty support it
 * too. The sequence is not sent to other terminals, because some treat it as a style.
 */
export const OTHER_KEYS = "\u001b[>4;2m";
/** Matches the beginning of the device attributes of xterm, mintty and tmux. */
export const KNOWS_OTHER_KEYS = /^(?:41|77|84);/;

/**
 * Switches the terminal to the modes that the REPL needs.
 * @returns a function that restores the modes: immediately, and any number of times.
 */
export function enterTerminal({
  stdin,
  stdout,
  isPlain = false,
  editsLines = false,
  asksColors = true,
}: ReplTerminal): () => void {
  let isEntered = true;
  // A terminal that cannot move its cursor echoes and edits a line itself.
  if (stdin.isTTY && (!isPlain || editsLines)) stdin.setRawMode(true);
  if (!isPlain) stdout.write(ENTER + (asksColors ? FOLLOW_BACKGROUND + ASK_KEYS : ""));
  return () => {
    if (!isEntered) return;
    isEntered = false;
    try {
      if (stdin.isTTY) stdin.setRawMode(false);
      if (!isPlain) stdout.write(LEAVE_SCREEN);
    } catch {
      // The terminal has been closed, so there is nothing to restore.
    }
  };
}
