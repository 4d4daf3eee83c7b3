import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { Settings } from "../../../src/contracts/settings.ts";
import { readSettings, type SettingsFlags } from "../../../src/services/config/load-settings.ts";
import { settingsPaths } from "../../../src/services/config/settings-paths.ts";
import type { tempProject } from "../../support/temp-project.ts";

type Project = Awaited<ReturnType<typeof tempProject>>;

/** Every layer lies in the temporary folder; the managed one too. */
export async function load(project: Project, flags: SettingsFlags = {}, isTrusted = false) {
  return (await read(project, flags))(isTrusted);
}

export async function read(project: Project, flags: SettingsFlags = {}) {
  const load = await readLayers(project, flags);
  return (isTrusted: boolean) => {
    const { layers: _, ...merged } = load(isTrusted);
    return merged;
  };
}

/** Like `read`, with the layers. */
export function readLayers(project: Project, flags: SettingsFlags = {}) {
  const root = project.path("repo");
  const places = { config: project.path("config"), projectRoot: root, projectId: "repo-1", platform: "linux" };
  const paths = { ...settingsPaths(places), managed: project.path("managed.json") };
  return readSettings({ paths, projectRoot: root, cwd: root, home: "/home/ann", flags });
}

export async function failure(work: Promise<unknown>): Promise<{ message: string; exitCode: number }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserFacingError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error("did not fail");
}

export const EMPTY: Settings = {
  additionalDirectories: [],
  bypassDisabled: false,
  autoDisabled: false,
  managedRulesOnly: false,
  env: {},
  passedVariables: [],
  tools: {},
  sandbox: {},
  consent: { agreedBy: [] },
  guardsDestruction: true,
};
