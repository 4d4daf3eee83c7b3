import type { Environment } from "../env.ts";

/** A setting of git for one run. */
export type GitSetting = readonly [key: string, value: string];

/** Keep the settings of a repository from starting programs: no hooks, file system monitor or maintenance. */
export const HARMLESS_SETTINGS: readonly GitSetting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** Git asks nobody, starts no editor or pager, and reaches no network: a partial clone would fetch missing objects. */
export const HARMLESS_VARIABLES: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
};

/** Variables that git needs to find the person's own settings. */
export const SETTINGS_VARIABLES: readonly string[] = ["HOME", "XDG_CONFIG_HOME", "PATH", "TMPDIR"];

export type GitEnvironmentParts = {
  readonly fixed: Readonly<Record<string, string>>;
  /** The names of the variables that git gets from `environment`. */
  readonly passedOn: readonly string[];
  /** These settings win over those of files. */
  readonly settings: readonly GitSetting[];
};

/** The environment of a run of git that gets nothing else of this process. */
export function gitEnvironment(
  environment: Environment,
  { fixed, passedOn, settings }: GitEnvironmentParts,
): Record<string, string> {
  const env: Record<string, string> = { ...fixed };
  for (const name of passedOn) {
    const value = environment[name];
    if (value) env[name] = value;
  }
  settings.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  env["GIT_CONFIG_COUNT"] = String(settings.length);
  return env;
}
