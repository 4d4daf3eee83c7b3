import type { ReplTerminal } from "../repl-props.ts";
import { GLYPHS } from "../view/theme.ts";
import { type Welcome, welcomeLines } from "../view/welcome.ts";
import { EarlyKeys } from "./early-keys.ts";
import { ERASE_BELOW } from "./erase-below.ts";
import { ScreenTheme } from "./screen-theme.ts";

/** The prompt's mark and the space after it. */
const PROMPT_COLUMNS = 2;

/** The screen before the REPL draws. */
export type FirstPaint = {
  /** The sequence that erases the first paint, written together with the frame that replaces it. */
  readonly erase: string;
  /** Erases the first paint and restores the terminal, because the REPL will not start. Later calls do nothing. */
  dispose(): void;
  /** The typed text that is drawn after the prompt's mark. */
  readonly shown: string;
  /** Ends the reading of keys. @returns the keys that were typed so far, for the REPL. */
  takeKeys(): string;
  /** Receives the function that restores the terminal from a temporary screen; undefined if there is none. */
  cover(uncover: (() => void) | undefined): void;
};

const NOTHING_PAINTED: FirstPaint = {
  erase: "",
  shown: "",
  dispose: () => undefined,
  takeKeys: () => "",
  cover: () => undefined,
};

/** Keeps the typed keys for the REPL. */
function keepKeys(stdin: ReplTerminal["stdin"], keys: EarlyKeys) {
  let uncover: (() => void) | undefined;
  return {
    takeKeys: () => keys.end(),
    cover(next: (() => void) | undefined) {
      uncover = next;
      if (next) keys.pause();
      else keys.listen();
    },
    dispose() {
      keys.pause();
      uncover?.();
      stdin.setRawMode(false);
    },
  };
}

/**
 * Shows the welcome and the prompt at once, before settings, session and model are known. From here on
 * the terminal is in raw mode; typed letters are shown, and all keys are kept for the REPL.
 * @param interrupt Called when the person presses Ctrl+C.
 */
export function paintFirst(terminal: ReplTerminal, welcome: Welcome, interrupt: () => void): FirstPaint {
  const { stdin, stdout } = terminal;
  if (terminal.isPlain) return NOTHING_PAINTED;
  if (terminal.isFull) {
    // Nothing is drawn on the normal screen, which stays unchanged.
    stdin.setRawMode(true);
    const keys = new EarlyKeys({ stdin, columns: 0, echo: () => undefined, interrupt });
    return { erase: "", shown: "", ...keepKeys(stdin, keys) };
  }
  const columns = stdout.columns || 80;
  const theme = new ScreenTheme(terminal, undefined).current;
  const above = [...welcomeLines(welcome, theme, columns), "", theme.dim("─".repeat(columns))];
  stdin.setRawMode(true);
  // The cursor stays where the REPL will have it: after the prompt's mark.
  stdout.write(
    `${[...above, `${theme.accent(GLYPHS.prompt)} `, theme.dim("  starting")].join("\r\n")}\u001b[1A\r\u001b[2C`,
  );
  const keys = new EarlyKeys({
    stdin,
    interrupt,
    columns: columns - PROMPT_COLUMNS,
    echo: (text) => stdout.write(`\r\u001b[${PROMPT_COLUMNS}C${text}\u001b[K`),
  });
  const erase = `\u001b[${above.length}A\r${ERASE_BELOW}`;
  const kept = keepKeys(stdin, keys);
  let isThere = true;
  return {
    ...kept,
    erase,
    get shown() {
      return keys.shown;
    },
    dispose() {
      if (!isThere) return;
      isThere = false;
      try {
        kept.dispose();
        stdout.write(erase);
      } catch {
        // The terminal has been closed, so there is nothing to restore.
      }
    },
  };
}
