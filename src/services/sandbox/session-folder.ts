import type { SandboxKind, SessionTemporary } from "../../contracts/ports.ts";
import { temporaryIn } from "../../platform/files/session-temporary.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { hiddenTemporary, openedPaths } from "./mount-policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

/**
 * The session's folder for temporary files, and its name for confined programs. bubblewrap mounts it at /tmp unless the
 * workspace contains /tmp. Under Landlock it has only its own name. Under sandbox-exec, where programs open sockets in
 * it, its path must be short, so each process has one of its own.
 */
export function sessionTemporary(kind: SandboxKind, deps: SandboxDeps): SessionTemporary | undefined {
  const { artifacts, roots, settings, home, projectRoot, cacheFolder, gitFolders } = deps;
  if (kind === "sandbox-exec") return undefined;
  const folder = temporaryIn(artifacts);
  const { allowWrite = [], allowRead = [] } = settings.filesystem ?? {};
  const opened = openedPaths(allowWrite, roots);
  return {
    folder,
    inside: (kind === "bubblewrap" ? hiddenTemporary(roots) : undefined) ?? folder,
    writable: [...roots, ...opened],
    kept: [
      ...[...roots, ...opened, ...openedPaths(allowRead, [...roots, ...opened])],
      ...[artifacts, home, projectRoot, cacheFolder, ...gitFolders].map(realPathOrSelf),
    ].filter((path) => path !== folder),
  };
}
