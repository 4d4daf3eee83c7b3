import { join } from "node:path";
import type { ScreenSetting } from "../../contracts/terminal-settings.ts";
import type { ReplTerminal } from "../../faces/repl/repl-props.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { earlyScreenSetting, screenMode } from "../../platform/screen-mode.ts";
import { hasTerminalLinks } from "../../platform/terminal-links.ts";
import { notificationForm, passThroughOf } from "../../platform/terminal-notification.ts";

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
  const isPlain =
    screenMode(variables, {
      isPlain: plain === true,
      setting: setting ?? earlyScreenSetting(join(directories(variables).config, "settings.json")),
    }) === "plain";
  return {
    ...{ stdin, stdout, stderr, isPlain, hasLinks: hasTerminalLinks(variables) },
    // Plain lines have colours only for somebody who asks.
    ...(isPlain && !FORCE_COLOR && { colorLevel: 0, hasStyles: false }),
    ...{ notification: notificationForm(variables), passThrough: passThroughOf(variables) },
    ...{ asksColors: TERM !== "linux", colorFgBg: COLORFGBG },
  };
}
