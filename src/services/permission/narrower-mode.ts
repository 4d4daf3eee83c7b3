import type { PermissionMode } from "../../contracts/permission-mode.ts";

/**
 * For each mode of a parent, the modes that its child agents may have: none of them lets a call run that the
 * parent's mode would not.
 */
const WITHIN: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  bypassPermissions: ["bypassPermissions", "auto", "acceptEdits", "default", "dontAsk", "plan"],
  // Mode auto ignores wide rules, and every other mode would apply them.
  auto: ["auto", "plan"],
  acceptEdits: ["acceptEdits", "default", "dontAsk", "plan"],
  default: ["default", "dontAsk", "plan"],
  dontAsk: ["dontAsk"],
  plan: ["plan"],
};

/** The mode of a child agent: the wanted mode if it is narrower than the parent's, otherwise the parent's mode. */
export function narrowerMode(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  return wanted !== undefined && WITHIN[parent].includes(wanted) ? wanted : parent;
}
