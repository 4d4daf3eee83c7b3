import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ThemeChoice } from "../contracts/theme.ts";
import { continuing } from "./complete.ts";

const ABOUT: Readonly<Record<string, string>> = {
  auto: "dark or light, by the terminal's background",
  dark: "for a dark background",
  light: "for a light background",
  "dark-high-contrast": "stronger colours on black",
  "light-high-contrast": "stronger colours on white",
  "dark-colorblind": "blue and orange instead of green and red",
  "light-colorblind": "blue and orange instead of green and red",
  ansi: "the terminal's own 16 colours",
};

/** Chooses the colours of the screen. */
export const themeCommand: Command = {
  name: "theme",
  summary: "Choose the colours of the screen",
  argumentHint: "[name]",
  interactive: true,
  needsNoServers: true,
  async complete(typed, { themes }) {
    const all = (await themes?.list())?.themes ?? [];
    return continuing(
      typed,
      all.map((theme) => ({ value: theme.name, summary: detailOf(theme) })),
    );
  },
  async run(argument, { themes }) {
    if (!themes) throw new UserFacingError("This screen has no colours to choose.");
    const wanted = argument.trim();
    if (wanted !== "") {
      const { name } = await themes.choose(wanted);
      return { kind: "text", lines: [`The theme is ${name} now. Lines above keep their colours.`] };
    }
    const { current, themes: all, problems } = await themes.list();
    return {
      kind: "choose",
      title: "Theme",
      choices: all.map((theme) => ({
        label: theme.name,
        detail: detailOf(theme),
        input: `/theme ${theme.name}`,
        theme,
        isCurrent: theme.name === current,
      })),
      lines: [`The theme is ${current}. /theme NAME changes it: ${all.map(({ name }) => name).join(", ")}`],
      ...(problems.length > 0 && { after: problems }),
    };
  },
};

function detailOf({ name, extends: base }: ThemeChoice): string {
  return ABOUT[name] ?? `your own, on ${base}`;
}
