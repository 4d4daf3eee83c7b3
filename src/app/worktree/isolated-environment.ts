import type { ProjectEnvironment } from "../session/project-environment.ts";

type EnvironmentFolders = Pick<ProjectEnvironment, "project" | "workspace">;

/** The same place with other folders, which still follows changes during the session. */
export function environmentWith(
  environment: ProjectEnvironment,
  folders: () => EnvironmentFolders,
): ProjectEnvironment {
  return {
    ...environment,
    get project() {
      return folders().project;
    },
    get workspace() {
      return folders().workspace;
    },
    get settings() {
      return environment.settings;
    },
    get rules() {
      return environment.rules;
    },
    get plugins() {
      return environment.plugins;
    },
  };
}
