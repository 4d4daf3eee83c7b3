import type { Command } from "commander";

/** How the person wants the screen drawn; without either, the settings and the terminal decide. */
export type ScreenOptions = {
  /** The screen is drawn in plain lines. */
  readonly plain?: true;
  /** The screen is drawn on the terminal's second screen. */
  readonly fullscreen?: true;
};

/** Adds the options of commands that open a screen. */
export function withScreenOptions(command: Command): Command {
  return command
    .option("--plain", "plain lines without redraws, for screen readers and simple terminals")
    .option("--fullscreen", "draw on a separate screen, with its own scrolling");
}
