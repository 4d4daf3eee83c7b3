import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SCREEN_SETTINGS, type ScreenSetting } from "../../contracts/terminal-settings.ts";
import type { ReplTerminal } from "../../faces/repl/repl-props.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { screenMode } from "../../platform/screen-mode.ts";
import { hasTerminalLinks } from "../../platform/terminal-links.ts";

export type OwnTerminal = ReplTerminal & { readonly isPlain: boolean };

type Wishes = {
  /** `--plain` was given. */
  readonly plain?: true | undefined;
  /** The setting, once the settings are read; before, a look into the user's file decides. */
  readonly setting?: ScreenSetting | undefined;
};

/** The terminal of this process, as far as its variables describe it, and how the person wants it drawn. */
export function ownTerminal({ plain = undefined, setting }: Wishes = {}): OwnTerminal {
  const { stdin, stdout, stderr } = process;
  const variables = environment();
  const { TERM, COLORFGBG, FORCE_COLOR } = variables;
  const isPlain = screenMode(variables, { isPlain: plain === true, setting: setting ?? earlySetting() }) === "plain";
  return {
    ...{ stdin, stdout, stderr, isPlain, hasLinks: hasTerminalLinks(variables) },
    // Plain lines have colours only for somebody who asks.
    ...(isPlain && !FORCE_COLOR && { colorLevel: 0, hasStyles: false }),
    ...{ asksColors: TERM !== "linux", colorFgBg: COLORFGBG },
  };
}

const IN_FILE = new RegExp(`^(?!\\s*//).*"screen"\\s*:\\s*"(${SCREEN_SETTINGS.join("|")})"`, "m");

/**
 * The user's setting before the settings are read, so that nothing is drawn that the person does not want. A file that
 * sets it in another way only costs a screen that is drawn and taken away again.
 */
function earlySetting(): ScreenSetting | undefined {
  try {
    const text = readFileSync(join(directories(environment()).config, "settings.json"), "utf8");
    const found = IN_FILE.exec(text)?.[1];
    return SCREEN_SETTINGS.find((one) => one === found);
  } catch {
    return undefined;
  }
}
