import { join } from "node:path";
import type { TrustRequest } from "../../contracts/permission.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { RuleSource, Settings } from "../../contracts/settings.ts";
import type { Directories } from "../../platform/directories.ts";
import type { Environment } from "../../platform/env.ts";
import type { Host } from "../../platform/host.ts";
import { type LoadedSettings, readSettings, type SettingsFlags } from "../../services/config/load-settings.ts";
import { settingsPaths } from "../../services/config/settings-paths.ts";
import { trustEffects } from "../../services/trust/trust-effects.ts";
import { createTrustStore, type TrustStore } from "../../services/trust/trust-store.ts";
import { findProject, marksProject, openWorkspace, type Project } from "../../services/workspace/open-workspace.ts";
import type { ProcessEnvironment } from "../process-environment.ts";
import { StartupCancelledError } from "./startup-cancelled.ts";

/** A person's answer about a folder: trust it always, for this run, not at all, or leave. */
export type TrustAnswer = "trust" | "session" | "no" | "exit";

export type ProjectPorts = {
  /** Tells the person one line. */
  warn(line: string): void;
  /** Asks the person; undefined if no person can answer. */
  askTrust?(request: TrustRequest): Promise<TrustAnswer>;
};

/** The folders of a session, and the settings that apply to them. */
export type ProjectEnvironment = {
  readonly env: Environment;
  readonly machine: Host;
  readonly own: Directories;
  readonly project: Project;
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  /** True if the person trusts this folder. */
  readonly isTrusted: boolean;
  /** The file that stores "always" answers. */
  readonly ownSettingsFile: string;
  /** The path of the administrator's settings, which may be missing. */
  readonly managedSettingsFile: string;
};

/**
 * Finds the project, reads its settings as far as it is trusted, and opens its folders.
 * @throws {UserFacingError} (exit 2) a setting, an option or a folder is wrong.
 * @throws {StartupCancelledError} the person chose to leave when asked whether the folder is trusted.
 */
export async function openProjectEnvironment(
  { env, machine, own }: ProcessEnvironment,
  config: ProjectConfig,
  ports: ProjectPorts,
): Promise<ProjectEnvironment> {
  const { cwd } = config;
  const { warn } = ports;
  const project = findProject({ cwd, home: own.home });
  const paths = settingsPaths({
    config: own.config,
    projectRoot: project.root,
    projectId: project.id,
    platform: machine.os,
  });
  // The files are read once, so that exactly the settings that the person was asked about take effect.
  const load = await readSettings({
    paths,
    projectRoot: project.root,
    cwd: project.cwd,
    home: own.home,
    flags: settingsFlags(config),
  });
  const store = await createTrustStore(join(own.state, "trusted-folders.json"), { home: own.home });
  for (const warning of store.warnings) warn(warning);
  const known = config.isTrusted === true || store.isTrusted(project.root);
  const first = load(known);
  const isTrusted = known || (await settleTrust(first, project, store, ports));
  const loaded = isTrusted === known ? first : load(isTrusted);
  for (const warning of loaded.warnings) warn(warning);
  const workspace = openWorkspace({ cwd, home: own.home, addDirs: loaded.settings.additionalDirectories });
  if (workspace.isBroad) {
    warn(
      `${workspace.roots[0]} holds more than one project, so Quoll also asks before reading: start Quoll in a project's folder.`,
    );
  }
  const { settings, rules } = loaded;
  const files = { ownSettingsFile: paths.own, managedSettingsFile: paths.managed };
  return { env, machine, own, project, workspace, settings, rules, isTrusted, ...files };
}

async function settleTrust(
  { held }: LoadedSettings,
  { root }: Project,
  store: TrustStore,
  { askTrust, warn }: ProjectPorts,
): Promise<boolean> {
  const reasons = await trustEffects(root, held);
  if (reasons.length === 0 && !marksProject(join(root, ".git"))) return false;
  if (!askTrust) {
    const ignored = held.map(({ file, line, what }) => `${what} (${file}:${line})`);
    if (ignored.length > 0)
      warn(
        `${root} is not trusted, so this was ignored: ${ignored.join("; ")}. To use these settings in this run, add --trust.`,
      );
    return false;
  }
  switch (await askTrust({ root, reasons })) {
    case "trust": {
      const problem = await store.trust(root);
      if (problem !== undefined) warn(problem);
      return true;
    }
    case "session":
      return true;
    case "no":
      return false;
    case "exit":
      throw new StartupCancelledError(root);
  }
}

function settingsFlags(config: ProjectConfig): SettingsFlags {
  const { model, permissionMode, allow, deny, allowSandboxed, additionalDirectories, settings, settingSources } =
    config;
  return {
    ...(model !== undefined && { model }),
    ...(permissionMode && { permissionMode }),
    ...(allow && { allow }),
    ...(deny && { deny }),
    ...(allowSandboxed && { allowSandboxed: true }),
    ...(additionalDirectories && { additionalDirectories }),
    ...(config.maxBudgetUsd !== undefined && { maxBudgetUsd: config.maxBudgetUsd }),
    ...(settings !== undefined && { settings }),
    ...(settingSources && { sources: settingSources }),
  };
}
