import { ToolFailedError } from "../../contracts/errors.ts";
import { hasNoLinks, isInside } from "../../platform/paths.ts";
import type { MountScene } from "./io/mount-points.ts";
import type { MountRecord } from "./io/running-mounts.ts";
import { type Mount, orderMounts } from "./policy.ts";

/**
 * Selects the mounts whose paths are stable. If a path contained a link, or a running confined program could replace it
 * before the mount, bubblewrap would mount the link's target or mount over something else. Unstable mounts that only
 * protect are left out: a program that can replace the path can change it anyway.
 * @returns the mounts in setup order.
 * @throws {ToolFailedError} the path of an essential mount is not stable.
 */
export function stableMounts(
  mounts: readonly Mount[],
  scene: Pick<MountScene, "isStable" | "replacerOf">,
): readonly Mount[] {
  return orderMounts(mounts).filter((mount) => {
    const isReal = hasNoLinks(mount.path);
    if (isReal && scene.isStable(mount.path)) return true;
    if (!isNeeded(mount)) return false;
    throw new ToolFailedError(
      isReal
        ? `This can't be confined: ${nameOf(scene.replacerOf(mount.path))} still runs in the sandbox and could replace ${mount.path}. Wait until it ends, or stop it.`
        : `This can't be confined: the path ${mount.path} now contains a symbolic link. Restart Quoll.`,
    );
  });
}

function nameOf(command: string): string {
  return command === "" ? "a command" : `the command \`${command}\``;
}

/** True if a mount is essential: it opens or hides a path. */
function isNeeded(mount: Mount): boolean {
  return (
    mount.access === "hidden" ||
    (mount.access === "fixed" && mount.isOpened === true) ||
    (mount.access === "writable" && (mount.isOpened === true || mount.isPinned !== true))
  );
}

/** Records of the mounts in and below writable folders. */
export function mountRecords(mounts: readonly Mount[]): readonly MountRecord[] {
  const writable = mounts.filter(({ access }) => access === "writable").map(({ path }) => path);
  return mounts
    .filter(({ path }) => writable.some((folder) => isInside(folder, path)))
    .map(({ path, access }) => ({ path, isWritable: access === "writable" }));
}
