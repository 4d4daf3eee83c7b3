import { join } from "node:path";
import type { Directories } from "../../platform/directories.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { type ApprovalStore, createApprovalStore } from "../../services/trust/approval-store.ts";
import { pluginsFolder } from "./plugin-folders.ts";

/** The person's answers about plugins and their skills, for all projects. */
export function pluginApprovals(own: Directories): Promise<ApprovalStore> {
  const root = realPathOrSelf(pluginsFolder(own));
  return createApprovalStore(join(own.state, "approved-content.json"), { root, home: own.home });
}
