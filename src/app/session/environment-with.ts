import type { ProjectEnvironment } from "./project-environment.ts";

type Changes = Partial<Pick<ProjectEnvironment, "project" | "workspace" | "settings">>;

/** The same environment with other folders or settings, which still follows changes during the session. */
export function environmentWith(environment: ProjectEnvironment, changes: () => Changes): ProjectEnvironment {
  const { env, machine, own, created, live, instructionsAbove } = environment;
  const { hooks, hooksOf, changesOfHook, approveHook, hasManagedHooksOnly, reloadPlugins } = environment;
  const { isTrusted, approvals, unapproved, userSettingsFile, ownSettingsFile, managedSettingsFile } = environment;
  return {
    env,
    machine,
    own,
    created,
    live,
    instructionsAbove,
    hooks,
    hooksOf,
    changesOfHook,
    approveHook,
    hasManagedHooksOnly,
    reloadPlugins,
    isTrusted,
    approvals,
    unapproved,
    userSettingsFile,
    ownSettingsFile,
    managedSettingsFile,
    get project() {
      return changes().project ?? environment.project;
    },
    get workspace() {
      return changes().workspace ?? environment.workspace;
    },
    get settings() {
      return changes().settings ?? environment.settings;
    },
    get rules() {
      return environment.rules;
    },
    get plugins() {
      return environment.plugins;
    },
  };
}
