import { join } from "node:path";
import type { TerminalAnswers } from "../../contracts/machine-views.ts";
import type { TerminalSettings } from "../../contracts/settings.ts";
import type { ReplTerminal } from "../../faces/repl/repl-props.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { fileLinks } from "../../platform/file-links.ts";
import { earlyScreenSetting, screenMode } from "../../platform/screen-mode.ts";
import { rememberBackground, rememberedBackground } from "../../platform/terminal-background.ts";
import {
  colorLevel,
  hasTerminalLinks,
  imageProtocol,
  notificationForm,
  passThroughOf,
} from "../../platform/terminal-facts.ts";
import type { ScreenOptions } from "../screen-options.ts";

export type OwnTerminal = ReplTerminal & {
  readonly isPlain: boolean;
  readonly isFull: boolean;
  /** The terminal's answers so far. */
  answers(): TerminalAnswers;
};

type Wishes = {
  readonly options?: ScreenOptions;
  /** The settings, once they are read; before that, the user's file is read directly. */
  readonly settings?: TerminalSettings;
  /** The folder of relative paths; without it, paths are no links. */
  readonly cwd?: () => string;
};

/** The terminal of this process, as far as its variables and earlier starts describe it, and how the person wants it drawn. */
export function ownTerminal({ options = {}, settings, cwd }: Wishes = {}): OwnTerminal {
  const { stdin, stdout } = process;
  const variables = environment();
  const { TERM, COLORFGBG } = variables;
  const known = { state: directories(variables).state, env: variables };
  const flag = options.plain ? "plain" : options.fullscreen ? "full" : undefined;
  const early = () => earlyScreenSetting(join(directories(variables).config, "settings.json"));
  const mode = screenMode(variables, { flag, setting: settings ? settings.screen : early() });
  const isPlain = mode === "plain";
  let answers: TerminalAnswers = {};
  return {
    answers: () => answers,
    answered: (answer) => {
      answers = { ...answers, ...answer };
    },
    stdin,
    stdout,
    isPlain,
    editsLines: isPlain && TERM !== "dumb",
    isFull: mode === "full",
    hasMouse: settings?.mouse ?? true,
    // The streams of the runtime ask the terminal when this signal comes.
    lookUpSize: () => void process.emit("SIGWINCH", "SIGWINCH"),
    // Made at its first use: each stream takes a hundredth of the start.
    get stderr() {
      return process.stderr;
    },
    colorLevel: colorLevel(stdout, variables),
    hasLinks: hasTerminalLinks(variables),
    ...(cwd && {
      fileAddress: fileLinks({
        kind: settings?.fileLinks ?? "file",
        cwd,
        isRemote: Boolean(variables["SSH_CONNECTION"] || variables["SSH_TTY"]),
      }),
    }),
    ...(settings && shownImages(settings.images)),
    notification: notificationForm(variables),
    passThrough: passThroughOf(variables),
    asksColors: TERM !== "linux",
    colorFgBg: COLORFGBG,
    background: rememberedBackground(known),
    remember: (told) => void rememberBackground(known, told),
  };
}

/** The images that this terminal shows, if it is known to show any. @param choice The setting `terminal.images`. */
export function shownImages(choice: TerminalSettings["images"]): Pick<ReplTerminal, "images"> {
  const protocol = choice === "never" ? undefined : imageProtocol(environment());
  if (!protocol) return {};
  return {
    images: {
      protocol,
      shrink: async (image, most) => (await import("../../platform/shrink-image.ts")).shrinkImage(image, most),
    },
  };
}
