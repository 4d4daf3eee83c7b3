import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import type { LandlockAccess, LandlockRule } from "./io/landlock/landlock-plan.ts";
import { accessAt, type Mount, orderMounts, type SandboxPolicy } from "./policy.ts";

/**
 * The maximum number of rules; entries beyond it get no rights. Only an unusual folder has this many entries next to a
 * secret.
 */
const MAX_RULES = 20_000;
/** The only allowed devices in /dev, which also holds the raw disks. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/**
 * Translates the policy to Landlock rights. Rights on a folder can't be reduced below it. A folder that contains a more
 * restricted path therefore gets no rights itself; each of its other existing entries gets its own. As a result, a
 * command can't create names at the top of the workspace or change `.git`.
 */
export function landlockRules(policy: SandboxPolicy): readonly LandlockRule[] {
  const mounts = orderMounts([
    ...policy.mounts.filter((mount) => !isGit(mount) && !isPin(mount)),
    ...policy.mounts.filter(isGit).map((mount) => ({ access: "fixed", path: mount.path }) as const),
    { access: "hidden", path: "/dev", kind: "folder" },
    { access: "writable", path: policy.temporary },
  ]);
  const rules: LandlockRule[] = [
    { path: "/", access: "list" },
    ...DEVICES.map((path) => ({ path, access: "device" }) as const),
  ];
  const walk = (path: string, access: Mount["access"], around: readonly Mount[]): void => {
    const inner = around.filter((mount) => isBelow(path, mount.path));
    if (access === "hidden" || !inner.some((mount) => isLess(mount.access, access))) {
      if (access !== "hidden" && rules.length < MAX_RULES) rules.push({ path, access: rightOf(access) });
      for (const mount of nearest(inner)) walk(mount.path, mount.access, inner);
      return;
    }
    if (kindAt(path) !== "folder") return;
    for (const { name, kind } of listFolderSync(path)) {
      const child = join(path, name);
      // A link needs no rights, because those of its target apply.
      if (kind !== "link") walk(child, inner.find((mount) => mount.path === child)?.access ?? access, inner);
    }
  };
  walk("/", accessAt(mounts, "/"), mounts);
  return rules;
}

/** Runs for every entry of large folders, so it only compares strings. */
function isBelow(folder: string, path: string): boolean {
  return path !== folder && path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function isGit(mount: Mount): boolean {
  return mount.access === "writable" && /\/\.git(?:\/|$)/.test(mount.path);
}

/** Without mounts, a pinned path has the rights of its parent. */
function isPin(mount: Mount): boolean {
  return mount.access === "writable" && mount.isPinned === true && mount.isOpened !== true;
}

const STRENGTH = { hidden: 0, fixed: 1, readable: 1, writable: 2 } as const;

function isLess(access: Mount["access"], than: Mount["access"]): boolean {
  return STRENGTH[access] < STRENGTH[than];
}

function rightOf(access: Exclude<Mount["access"], "hidden">): LandlockAccess {
  return access === "writable" ? "write" : "read";
}

/** The mounts that lie in no other mount. */
function nearest(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.filter((mount) => !mounts.some((other) => isBelow(other.path, mount.path)));
}
