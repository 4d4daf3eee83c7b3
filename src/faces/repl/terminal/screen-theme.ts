import { autoPalette, type Palette } from "../../../contracts/auto-palettes.ts";
import { type Background, backgroundOf, backgroundOfVariable } from "../../../contracts/background.ts";
import type { ThemeChoice } from "../../../contracts/theme.ts";
import type { Report } from "../input/decode-keys.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { ReplTerminal } from "../repl-props.ts";
import { type Theme, terminalTheme } from "../view/theme.ts";

/** Asks for the background (xterm's OSC 11). Terminals that don't know the question ignore it. */
export const ASK_BACKGROUND = "\u001b]11;?\u001b\\";
/**
 * Asks for the background, and for reports of changes between dark and light (mode 2031 of Contour, kitty, Ghostty and
 * tmux).
 */
export const FOLLOW_BACKGROUND = `\u001b[?2031h${ASK_BACKGROUND}`;

type Terminal = Parameters<typeof terminalTheme>[0] &
  Pick<ReplTerminal, "colorFgBg" | "background" | "remember" | "answered">;
/** The palette of a theme; undefined: of `auto`. @param reported The colour of the background, if the terminal reported it. */
type PaletteOf = (
  choice: ThemeChoice | undefined,
  background: Background | undefined,
  reported: string | undefined,
) => Palette;
type Options = {
  /** True if signs of running work stand still. */
  readonly isStill?: boolean | undefined;
  /** The palettes of all themes. By default, there is only `auto`: the first paint loads no more. */
  readonly paletteOf?: PaletteOf;
};
type Drawn = { readonly choice: ThemeChoice | undefined; readonly background: Background | undefined };

/** The colours of the screen: the person's choice on the background that the terminal reports. */
export class ScreenTheme {
  readonly #terminal: Terminal;
  readonly #isStill: boolean;
  readonly #paletteOf: PaletteOf;
  #choice: ThemeChoice | undefined;
  #background: Background | undefined;
  /** The colour of the background; undefined until the terminal reports it, and after a change. */
  #reported: string | undefined;
  #keymap: Keymap | undefined;
  /** The last theme: text drawn in it stays cached while the theme is the same. */
  #last: (Drawn & { readonly theme: Theme }) | undefined;

  constructor(terminal: Terminal, choice: ThemeChoice | undefined, { isStill = false, paletteOf }: Options = {}) {
    this.#terminal = terminal;
    this.#isStill = isStill;
    this.#paletteOf = paletteOf ?? ((_, background) => autoPalette(background));
    this.#choice = choice;
    this.#background = backgroundOfVariable(terminal.colorFgBg) ?? terminal.background;
  }

  get current(): Theme {
    return this.of(this.#choice);
  }

  /** The colours of a theme on this terminal, for a preview. */
  of(choice: ThemeChoice | undefined): Theme {
    const background = this.#background;
    if (this.#last?.choice !== choice || this.#last?.background !== background || !this.#last) {
      const palette = this.#paletteOf(choice, background, this.#reported);
      const theme = { ...terminalTheme(this.#terminal, palette), isStill: this.#isStill };
      this.#last = { choice, background, theme: this.#keymap ? { ...theme, keymap: this.#keymap } : theme };
    }
    return this.#last.theme;
  }

  choose(choice: ThemeChoice): void {
    this.#choice = choice;
  }

  /** From now on, hints name the keys of this keymap. */
  nameKeys(keymap: Keymap): void {
    this.#keymap = keymap;
    this.#last = undefined;
  }

  /** Handles an answer of the terminal. */
  report(report: Extract<Report, { readonly about: "background" | "scheme" }>): void {
    const told = report.about === "scheme" ? report.scheme : backgroundOf(report.color);
    if (told === undefined) return;
    const kept = told === this.#background ? this.#reported : undefined;
    const reported = report.about === "background" ? report.color : kept;
    if (reported !== this.#reported) this.#last = undefined;
    this.#reported = reported;
    if (told !== this.#terminal.background) this.#terminal.remember?.(told);
    this.#terminal.answered?.({ background: told });
    this.#background = told;
  }
}
