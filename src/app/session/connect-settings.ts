import { rememberRules } from "../../services/config/remember-rules.ts";
import type { PermissionService } from "../../services/permission/permission-engine.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** From now on, changed rules take effect, and a mode ends when settings forbid it. */
export function connectSettings(
  { live }: ProjectEnvironment,
  permissions: PermissionService,
  tell: (line: string) => void,
): void {
  live.connect({
    apply: ({ rules, settings }) => {
      permissions.reloadRules(rules, settings.managedRulesOnly);
      const { mode } = permissions;
      const isBypassEnded = mode === "bypassPermissions" && settings.bypassDisabled;
      if (isBypassEnded || (mode === "auto" && settings.autoDisabled)) permissions.mode = "default";
    },
    tell,
  });
}

/** Writes rules that allow into the user's own file for this project. @throws {UserFacingError} the file can't be written. */
export async function keepRules(
  { live, ownSettingsFile }: ProjectEnvironment,
  rules: readonly string[],
): Promise<void> {
  await rememberRules(ownSettingsFile, rules);
  await live.written();
}
