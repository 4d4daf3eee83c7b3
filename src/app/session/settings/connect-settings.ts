import { isDeepStrictEqual } from "node:util";
import type { HookInput } from "../../../contracts/hook.ts";
import { isInside } from "../../../platform/paths.ts";
import type { PermissionService } from "../../../services/permission/permission-deps.ts";
import type { OpenedSession } from "../opened-session.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

type SettingsParts = Pick<OpenedSession, "notices" | "hooks" | "spend">;

/** From now on, changed rules, variables and caps take effect, and a mode that settings forbid ends. */
export function connectSettings(
  environment: ProjectEnvironment,
  permissions: PermissionService,
  { notices, hooks, spend }: SettingsParts,
): void {
  const { notify } = notices;
  environment.live.connect({
    accepts: async (files) => {
      const asked = files.map(async (filePath) => ({
        filePath,
        said: await hooks.fire(changeOf(filePath, environment)),
      }));
      const refused = (await Promise.all(asked)).find(
        ({ filePath, said }) => said.block && filePath !== environment.managedSettingsFile,
      );
      // No hook can block a change of the administrator's file, and the files are read together.
      if (!refused?.said.block || files.includes(environment.managedSettingsFile)) return true;
      notify(`A hook refused the changed settings of ${refused.filePath}: ${refused.said.block.reason}`);
      return false;
    },
    apply: async (loaded) => {
      const { rules, settings } = loaded;
      permissions.reloadRules(rules, settings.managedRulesOnly);
      if (!isDeepStrictEqual(settings.env, environment.settings.env)) hooks.changeVariables(settings.env);
      if (!isDeepStrictEqual(settings.spend, environment.settings.spend)) spend.setCaps(settings.spend);
      await hooks.replace(environment.hooksOf(loaded));
      const { mode } = permissions;
      const isBypassEnded = mode === "bypassPermissions" && settings.bypassDisabled;
      if (isBypassEnded || (mode === "auto" && settings.autoDisabled)) permissions.mode = "default";
    },
    notify,
  });
}

/** Describes a changed file in the terms that hooks of this ecosystem use. */
function changeOf(filePath: string, { ownSettingsFile, managedSettingsFile, project }: ProjectEnvironment): HookInput {
  const own = filePath === ownSettingsFile ? "local_settings" : "user_settings";
  const ofProject = isInside(project.root, filePath) ? "project_settings" : own;
  const source = filePath === managedSettingsFile ? "policy_settings" : ofProject;
  return { event: "ConfigChange", source, filePath };
}

/** Writes allow rules to the user's own file for this project. @throws {UserFacingError} the file can't be written. */
export async function keepRules(
  { live, ownSettingsFile }: ProjectEnvironment,
  rules: readonly string[],
): Promise<void> {
  const { rememberRules } = await import("../../../services/config/remember-rules.ts");
  await rememberRules(ownSettingsFile, rules);
  await live.written();
}
