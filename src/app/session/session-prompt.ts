import { nearestNames } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { DEFAULT_STYLE, type OutputStyle, type OutputStyles } from "../../contracts/output-style.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { rememberSetting } from "../../services/config/remember-rules.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** The texts that a session's settings add to its system prompt. */
export type PromptAdditions = {
  readonly style?: Pick<OutputStyle, "name" | "text">;
  readonly language?: string;
};

type Place = Pick<ProjectEnvironment, "settings" | "own" | "project" | "isTrusted" | "ownSettingsFile">;

/**
 * Reads the output style and the language of the settings, once for the whole session: the system prompt stays as it is.
 * @param warn Receives one line where the style of the settings is not there.
 */
export async function promptAdditions(
  { isBare }: Pick<SessionConfig, "isBare">,
  place: Place,
  warn: (line: string) => void,
): Promise<PromptAdditions> {
  const { outputStyle: name = DEFAULT_STYLE, language } = place.settings;
  const spoken = language === undefined ? {} : { language };
  if (isBare || isDefault(name)) return spoken;
  const styles = await stylesOf(place, warn);
  const style = styles.find((one) => isSame(one.name, name));
  if (!style) warn(`${missing(name, styles)} The default style is used.`);
  return { ...spoken, ...(style && { style: { name: style.name, text: style.text } }) };
}

/** The output styles of a session, for commands and programs. */
export function sessionStyles(place: Place, { style }: PromptAdditions, warn: (line: string) => void): OutputStyles {
  return {
    current: style?.name ?? DEFAULT_STYLE,
    list: () => stylesOf(place, warn),
    async choose(name) {
      const styles = await stylesOf(place, warn);
      const style = styles.find((one) => isSame(one.name, name));
      if (!style && !isDefault(name)) throw new UserFacingError(missing(name, styles));
      await rememberSetting(place.ownSettingsFile, "outputStyle", style?.name ?? DEFAULT_STYLE);
    },
  };
}

async function stylesOf({ own, project, isTrusted }: Place, warn: (line: string) => void) {
  const { listOutputStyles } = await import("../../services/context/output-styles.ts");
  return listOutputStyles({ home: own.home, projectRoot: isTrusted ? project.root : undefined }, warn);
}

function missing(name: string, styles: readonly OutputStyle[]): string {
  const names = [DEFAULT_STYLE, ...styles.map((style) => style.name)];
  const near = nearestNames(name, names);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${names.join(", ")}.`;
  return `There is no output style ${JSON.stringify(name)}. ${hint}`;
}

function isDefault(name: string): boolean {
  return isSame(name, DEFAULT_STYLE);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
