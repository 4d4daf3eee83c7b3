import type { ReplTerminal } from "./repl-props.ts";

/** Bracketed paste; kitty keys, disambiguated (a terminal that doesn't know them ignores it). */
const ENTER = "\u001b[?2004h\u001b[>1u";
/** The reverse, then whatever a frame may have left: synchronised output off, cursor shown, styles off. */
const LEAVE = "\u001b[<u\u001b[?2004l\u001b[?2026l\u001b[?25h\u001b[0m";

/** Switches the terminal to what the REPL needs. @returns what puts it back: at once, any number of times. */
export function enterTerminal({ stdin, stdout, isDumb = false }: ReplTerminal): () => void {
  let isEntered = true;
  // A terminal that can move no cursor echoes and corrects a line itself.
  if (stdin.isTTY && !isDumb) stdin.setRawMode(true);
  if (!isDumb) stdout.write(ENTER);
  return () => {
    if (!isEntered) return;
    isEntered = false;
    try {
      if (stdin.isTTY) stdin.setRawMode(false);
      if (!isDumb) stdout.write(LEAVE);
    } catch {
      // The terminal is gone: there is nothing left to put back.
    }
  };
}
