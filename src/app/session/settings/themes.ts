import { dirname, join } from "node:path";
import type { Themes } from "../../../contracts/command.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import { builtInTheme, THEME_NAMES, type ThemeChoice } from "../../../contracts/theme.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type ThemeEnvironment = Pick<ProjectEnvironment, "settings" | "userSettingsFile" | "live">;

/** The folder of the person's theme files, next to their settings. */
const folderOf = ({ userSettingsFile }: Pick<ThemeEnvironment, "userSettingsFile">) =>
  join(dirname(userSettingsFile), "themes");

/** The colours of the screen, saved in the user's settings for all projects. */
export function sessionThemes(environment: ThemeEnvironment): Themes {
  const { settings, userSettingsFile, live } = environment;
  let current = settings.terminal?.theme ?? "auto";
  const files = () => import("../../../services/config/io/theme-files.ts");
  return {
    async list() {
      const { themes, problems } = await (await files()).listThemes(folderOf(environment));
      return { current, themes: [...THEME_NAMES.flatMap((name) => builtInTheme(name) ?? []), ...themes], problems };
    },
    async use(name) {
      const theme = await (await files()).findTheme(folderOf(environment), name);
      current = name;
      return theme;
    },
    async choose(name) {
      const theme = await (await files()).findTheme(folderOf(environment), name);
      const { rememberSetting } = await import("../../../services/config/remember-rules.ts");
      await rememberSetting({ file: userSettingsFile, what: "the setting" }, ["terminal", "theme"], name);
      current = name;
      await live.written();
      return theme;
    },
  };
}

/** A theme by its name. @throws {UserFacingError} (as a rejection) there is no such theme, or its file can't be used. */
export async function themeNamed(
  environment: Pick<ThemeEnvironment, "userSettingsFile">,
  name: string,
): Promise<ThemeChoice> {
  const { findTheme } = await import("../../../services/config/io/theme-files.ts");
  return findTheme(folderOf(environment), name);
}

/**
 * The theme of the settings. An unusable theme is reported, and replaced by `auto`. For a built-in theme, no file is
 * read.
 */
export async function chosenTheme(
  environment: ThemeEnvironment,
  notify: (line: string) => void,
): Promise<ThemeChoice | undefined> {
  const name = environment.settings.terminal?.theme;
  if (name === undefined) return undefined;
  const known = builtInTheme(name);
  if (known) return known;
  try {
    return await themeNamed(environment, name);
  } catch (error) {
    notify(errorMessage(error));
    return undefined;
  }
}
