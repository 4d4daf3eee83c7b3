import { join } from "node:path";

/** The absolute paths of each layer's files. Tests replace all of them. */
export type SettingsPaths = {
  readonly user: string;
  readonly project: string;
  /** The user's own file for this project, which contains "always" answers: no repository can contain this file. */
  readonly own: string;
  readonly managed: string;
  /** Settings of a similar tool in the project: only deny and ask rules are read. */
  readonly foreign: readonly string[];
};

export type SettingsFolders = {
  /** Our configuration folder. */
  readonly config: string;
  readonly projectRoot: string;
  readonly projectId: string;
  /** A value of `process.platform`. */
  readonly platform: string;
};

const MANAGED_FILE = "/etc/quoll/managed-settings.json";
const MANAGED_FILE_MACOS = "/Library/Application Support/Quoll/managed-settings.json";

export function settingsPaths({ config, projectRoot, projectId, platform }: SettingsFolders): SettingsPaths {
  return {
    user: join(config, "settings.json"),
    project: join(projectRoot, ".quoll", "settings.json"),
    own: join(config, "projects", `${projectId}.json`),
    managed: platform === "darwin" ? MANAGED_FILE_MACOS : MANAGED_FILE,
    foreign: ["settings.json", "settings.local.json"].map((name) => join(projectRoot, ".claude", name)),
  };
}
