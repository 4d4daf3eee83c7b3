import { ERASE_BELOW } from "./erase-below.ts";
import type { ReplTerminal } from "./repl-props.ts";
import { GLYPHS, terminalTheme } from "./view/theme.ts";
import { type Welcome, welcomeLines } from "./view/welcome.ts";

/** What stands on the screen before the REPL does. */
export type FirstPaint = {
  /** Takes it away; written together with the frame that replaces it. */
  readonly erase: string;
  /** Takes it away and puts the terminal back: the REPL will not come. Does nothing after the first call. */
  dispose(): void;
  /** Told what puts the terminal back from something that covers this for a while; undefined once nothing does. */
  cover(uncover: (() => void) | undefined): void;
};

const NOTHING_PAINTED: FirstPaint = { erase: "", dispose: () => undefined, cover: () => undefined };

/**
 * Shows welcome and prompt at once, without Ink and before settings, session and model are known. From here on the
 * terminal is raw: what is typed waits in it for the REPL, and is not lost.
 */
export function paintFirst(terminal: ReplTerminal, welcome: Welcome): FirstPaint {
  const { stdin, stdout } = terminal;
  if (terminal.isDumb) return NOTHING_PAINTED;
  const columns = stdout.columns || 80;
  const theme = terminalTheme(terminal);
  const above = [...welcomeLines(welcome, theme, columns), "", theme.dim("─".repeat(columns))];
  stdin.setRawMode(true);
  // The cursor is left where the REPL will have it: behind the prompt's mark.
  stdout.write(
    `${[...above, `${theme.accent(GLYPHS.prompt)} `, theme.dim("  starting")].join("\r\n")}\u001b[1A\r\u001b[2C`,
  );
  const erase = `\u001b[${above.length}A\r${ERASE_BELOW}`;
  let isThere = true;
  let uncover: (() => void) | undefined;
  return {
    erase,
    cover(next) {
      uncover = next;
    },
    dispose() {
      if (!isThere) return;
      isThere = false;
      uncover?.();
      try {
        stdin.setRawMode(false);
        stdout.write(erase);
      } catch {
        // The terminal is gone: there is nothing left to put back.
      }
    },
  };
}
