import { didYouMean } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { DEFAULT_STYLE, isSameStyle, type OutputStyle, type OutputStyles } from "../../contracts/output-style.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { ignoresCase, realPathOrSelf } from "../../platform/paths.ts";
import { isSecret } from "../../services/permission/judge/secrets.ts";
import { compileRules } from "../../services/permission/rules/compile-rules.ts";
import { isKeptBack } from "../../services/permission/rules/path-rules.ts";
import { contentFolders, STYLE_FOLDERS } from "../content-folders.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** The texts that a session's settings add to its system prompt. */
export type PromptAdditions = {
  /** Changes with `/output-style`. */
  style?: Pick<OutputStyle, "name" | "text" | "keepsCoding"> | undefined;
  readonly language?: string;
};

export type StyleDeps = {
  redactor(): Promise<Redactor>;
  /** Receives one line for each file or name that can't be used. */
  notify(line: string): void;
};

/**
 * Reads the output style and the language from the settings once for the whole session, because the system prompt must
 * not change.
 * @throws {UserFacingError} (exit 2) a rule is invalid.
 */
export async function promptAdditions(
  { isBare }: Pick<SessionConfig, "isBare">,
  environment: ProjectEnvironment,
  deps: StyleDeps,
): Promise<PromptAdditions> {
  const { outputStyle: name = DEFAULT_STYLE, language } = environment.settings;
  const spoken = language === undefined ? {} : { language };
  if (isBare || isDefault(name)) return spoken;
  const styles = await stylesOf(environment, deps);
  const style = styles.find((one) => isSameStyle(one.name, name));
  if (!style) deps.notify(`${missing(name, styles)} The default style is used.`);
  return { ...spoken, ...(style && { style: { name: style.name, text: style.text, keepsCoding: style.keepsCoding } }) };
}

type StyledSession = StyleDeps & {
  /** Puts these texts into the system prompt. @throws {UserFacingError} (as a rejection) a turn runs. */
  setAdditions(additions: PromptAdditions): Promise<void>;
};

/** The output styles of a session, for commands and programs. */
export function sessionStyles(
  environment: ProjectEnvironment,
  additions: PromptAdditions,
  session: StyledSession,
): OutputStyles {
  const use = async (name: string) => {
    const style = styleNamed(name, await stylesOf(environment, session));
    await session.setAdditions({ ...additions, style });
    additions.style = style;
    return style;
  };
  return {
    get current() {
      return additions.style?.name ?? DEFAULT_STYLE;
    },
    list: () => stylesOf(environment, session),
    async use(name) {
      await use(name);
    },
    async choose(name) {
      const style = await use(name);
      const { rememberSetting } = await import("../../services/config/remember-rules.ts");
      await rememberSetting(
        { file: environment.ownSettingsFile, what: "the setting" },
        ["outputStyle"],
        style?.name ?? DEFAULT_STYLE,
      );
      await environment.live.written();
    },
  };
}

/**
 * Finds a style by its name; undefined for the default style.
 * @throws {UserFacingError} if there is no such style; the message names the nearest style.
 */
export function styleNamed(name: string, styles: readonly OutputStyle[]): OutputStyle | undefined {
  const style = styles.find((one) => isSameStyle(one.name, name));
  if (!style && !isDefault(name)) throw new UserFacingError(missing(name, styles));
  return style;
}

async function stylesOf(
  environment: ProjectEnvironment,
  { redactor, notify }: StyleDeps,
): Promise<readonly OutputStyle[]> {
  const { listOutputStyles } = await import("../../services/context/output-styles.ts");
  const { own, isTrusted, settings, workspace } = environment;
  const { rules } = compileRules(environment.rules, {
    roots: workspace.roots,
    home: realPathOrSelf(own.home),
    realPath: realPathOrSelf,
    isCaseInsensitive: workspace.roots.some(ignoresCase),
    isTrusted,
    managedRulesOnly: settings.managedRulesOnly,
  });
  const chosenByProject = settings.isStyleOfProject && settings.outputStyle;
  return listOutputStyles(contentFolders({}, environment, STYLE_FOLDERS), chosenByProject, {
    isHidden: (path) => isSecret(path) || isKeptBack(path, rules),
    redact: async (text) => (await redactor()).redact(text),
    notify,
  });
}

function missing(name: string, styles: readonly OutputStyle[]): string {
  const names = [DEFAULT_STYLE, ...styles.map((style) => style.name)];
  const hint = didYouMean(name, names, `The styles are ${names.join(", ")}.`);
  return `There is no output style ${JSON.stringify(name)}. ${hint}`;
}

function isDefault(name: string): boolean {
  return isSameStyle(name, DEFAULT_STYLE);
}
