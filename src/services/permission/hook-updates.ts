import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";
import type { PermissionService } from "./permission-deps.ts";

/** Modes that a hook may set: in each, a person or a rule still decides about some calls. */
const HOOK_MODES: ReadonlySet<PermissionMode> = new Set(["default", "acceptEdits", "plan", "dontAsk"]);

/** Changes the permissions until the session ends, as requested by a hook that answers instead of the person. */
export function applyHookUpdate(
  update: PermissionUpdate,
  permissions: Pick<PermissionService, "changeRules" | "mode">,
  warn: (line: string) => void,
): void {
  switch (update.kind) {
    case "rules": {
      const refused = permissions.changeRules(update.change, "a hook");
      if (refused.length > 0) warn(`Rules of a hook were refused, or do not exist: ${refused.join(", ")}.`);
      return;
    }
    case "mode":
      if (HOOK_MODES.has(update.mode)) permissions.mode = update.mode;
      else warn(`A hook can't set the mode ${update.mode}.`);
      return;
    case "unknown":
      warn(update.problem);
  }
}
