import type { PermissionMode } from "../../../contracts/permission-mode.ts";

/** The modes that Shift+Tab cycles through. */
const MODES = ["default", "acceptEdits", "plan", "auto"] as const satisfies readonly PermissionMode[];

/** The modes to cycle through: they include the initial mode of the session, if it is known. */
export function modeCycle(mode?: PermissionMode): readonly PermissionMode[] {
  return mode === "bypassPermissions" || mode === "dontAsk" ? [...MODES, mode] : MODES;
}
