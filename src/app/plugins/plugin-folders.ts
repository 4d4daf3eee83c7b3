import { join } from "node:path";
import type { Directories } from "../../platform/directories.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { type ApprovalStore, createApprovalStore } from "../../services/trust/approval-store.ts";

/** The folder of installed plugins and known marketplaces; it does not exist before the first of them. */
export function pluginsFolder({ data }: Pick<Directories, "data">): string {
  return join(data, "plugins");
}

/** The folder in which each plugin has a folder for its own data. */
export function dataFolder({ data }: Pick<Directories, "data">): string {
  return join(data, "plugin-data");
}

/** True for files that the person approved; the files of `--plugin-dir` are always accepted. */
export function isInstalled({ root }: { readonly root: string }, own: Directories): boolean {
  return isInside(realPathOrSelf(pluginsFolder(own)), root);
}

/** The person's answers about plugins and their skills, for all projects. */
export function pluginApprovals(own: Directories): Promise<ApprovalStore> {
  const root = realPathOrSelf(pluginsFolder(own));
  return createApprovalStore(join(own.state, "approved-content.json"), { root, home: own.home });
}
