import type { ProjectConfig } from "../../../contracts/session-config.ts";
import type { PathState } from "../../../platform/files/path-state.ts";
import { type MergeSettings, readSettings, settingsFile } from "../../../services/config/load-settings.ts";
import { type SettingsPaths, settingsPaths } from "../../../services/config/settings-paths.ts";
import { findProject, type Project } from "../../../services/workspace/open-workspace.ts";
import type { ProcessEnvironment } from "../../process-environment.ts";
import { statesOf } from "./live-settings.ts";

/** The settings files of a folder, read once. */
export type ProjectSettings = {
  readonly project: Project;
  readonly paths: SettingsPaths;
  /** Every file that was looked for, with its state before it was read. */
  readonly states: ReadonlyMap<string, PathState>;
  /** Merges the layers as they apply in a trusted or an untrusted folder. */
  readonly load: MergeSettings;
  /** Reads the files again. @throws the same errors as `readProjectSettings`. */
  read(): Promise<MergeSettings>;
};

/** Finds the project of a folder and reads its settings. @throws {UserFacingError} (exit 2) a file or the folder is wrong. */
export async function readProjectSettings(
  { machine, own }: Omit<ProcessEnvironment, "env">,
  config: ProjectConfig,
): Promise<ProjectSettings> {
  const found = findProject({ cwd: config.cwd, home: own.home });
  // Only a linked worktree has two git folders: its own and the repository's.
  const project =
    found.gitFolders.length < 2
      ? found
      : await (await import("../../worktree/worktree-project.ts")).withOrigin(found, own);
  const paths = settingsPaths({
    config: own.config,
    projectRoot: project.root,
    projectId: project.id,
    platform: machine.os,
  });
  const { user, project: shared, own: mine, managed, foreign } = paths;
  const given = settingsFile({ flags: config, cwd: project.cwd });
  const states = statesOf([user, ...foreign, shared, mine, ...(given === undefined ? [] : [given]), managed]);
  const read = () =>
    readSettings({ paths, projectRoot: project.root, cwd: project.cwd, home: own.home, flags: config });
  return { project, paths, states, load: await read(), read };
}
