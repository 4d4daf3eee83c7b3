import type { ProjectEnvironment } from "../session/project-environment.ts";

type PlaceFolders = Pick<ProjectEnvironment, "project" | "workspace">;

/** The same place with other folders, which still follows changes during the session. */
export function placeWith(place: ProjectEnvironment, folders: () => PlaceFolders): ProjectEnvironment {
  return {
    ...place,
    get project() {
      return folders().project;
    },
    get workspace() {
      return folders().workspace;
    },
    get settings() {
      return place.settings;
    },
    get rules() {
      return place.rules;
    },
    get plugins() {
      return place.plugins;
    },
  };
}
