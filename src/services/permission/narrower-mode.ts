import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** The modes that a child agent may be in under each mode of its parent: each lets nothing run that its parent's would not. */
const WITHIN: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  bypassPermissions: ["bypassPermissions", "auto", "acceptEdits", "default", "dontAsk", "plan"],
  // Wide rules don't count in auto; in every other mode they would.
  auto: ["auto", "plan"],
  acceptEdits: ["acceptEdits", "default", "dontAsk", "plan"],
  default: ["default", "dontAsk", "plan"],
  dontAsk: ["dontAsk"],
  plan: ["plan"],
};

/** The mode of a child agent: the wanted one where it is narrower than its parent's, else its parent's. */
export function narrowerMode(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  return wanted !== undefined && WITHIN[parent].includes(wanted) ? wanted : parent;
}
