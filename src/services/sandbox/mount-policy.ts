import { join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { SandboxKind, SessionTemporary } from "../../contracts/ports.ts";
import { hasRights, kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import { sharedTemporary, temporaryIn } from "../../platform/files/session-temporary.ts";
import { hasNoLinks, isInside, realPathOrSelf } from "../../platform/paths.ts";
import type { MountScene } from "./io/mount-points.ts";
import type { MountRecord } from "./io/mount-record.ts";
import { boundSockets } from "./io/system-facts.ts";
import { trustedPath } from "./io/trusted-path.ts";
import { type Mount, orderMounts } from "./policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { KEPT_OF_RUN, SECRET_PATHS, SOCKET_FOLDERS } from "./secret-paths.ts";

export type MountPolicy = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  /** Quoll's own folders, hidden as a whole. */
  readonly ownFolders: readonly string[];
  /** Readable even inside hidden folders. */
  readonly readable: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Sockets that stay reachable. */
  readonly sockets: readonly string[];
  /** True if no running confined program can replace the entry at a path. */
  isStable(path: string): boolean;
};

/**
 * The mounts that make paths readable, hidden or writable in the current state of the disk. Protections inside the
 * roots are added elsewhere.
 */
export function mountPolicy(wanted: MountPolicy): readonly Mount[] {
  const allowWrite = openedPaths(wanted.allowWrite, wanted.roots);
  const opened = [...openedPaths(wanted.allowRead, [...wanted.roots, ...allowWrite]), ...allowWrite];
  const isOpened = (path: string) => opened.some((folder) => isInside(folder, path));
  const secrets = present([...secretPaths(wanted.homes), ...wanted.denyRead]).filter((path) => !isOpened(path));
  return [
    ...[...secrets, ...present(wanted.ownFolders), ...socketFolders()].map(hidden),
    ...emptyTemporary(wanted.roots),
    ...straySockets(wanted.sockets).filter(({ path }) => wanted.isStable(path)),
    ...present([...wanted.readable, ...KEPT_OF_RUN, ...opened]).map((path) => ({ access: "readable", path }) as const),
    ...[...wanted.roots, ...allowWrite].map((path) => ({ access: "writable", path }) as const),
    ...present(wanted.denyWrite).map((path) => ({ access: "fixed", path }) as const),
  ];
}

/** The path of the session's temporary folder inside the sandbox; undefined when the workspace is /tmp or contains it. */
export function hiddenTemporary(roots: readonly string[]): string | undefined {
  const path = sharedTemporary();
  return roots.some((root) => isInside(root, path)) ? undefined : path;
}

/**
 * Resolves the paths that settings open. Links in writable folders are ignored, since a command may have created them.
 */
export function openedPaths(paths: readonly string[], writable: readonly string[]): readonly string[] {
  const isWritable = (folder: string) => writable.some((outer) => isInside(outer, folder));
  const found = paths.map((path) => trustedPath(path, isWritable)).filter((path) => path !== undefined);
  return [...new Set(found)];
}

function emptyTemporary(roots: readonly string[]): readonly Mount[] {
  const path = hiddenTemporary(roots);
  return path === undefined ? [] : [{ access: "hidden", path, kind: "folder" }];
}

function secretPaths(homes: readonly string[]): readonly string[] {
  const inHome = SECRET_PATHS.flatMap(({ atHome = [] }) => atHome);
  return [
    // Paths that this user can't read need not be hidden.
    ...SECRET_PATHS.flatMap(({ anywhere = [] }) => anywhere).filter((path) => hasRights(path, "r")),
    ...homes.flatMap((home) => {
      // Most names of the table don't exist, so one listing is cheaper than a check of each name.
      const there = new Set(listFolderSync(home).map(({ name }) => name));
      return inHome.filter((name) => there.has(name.split("/")[0] ?? name)).map((name) => join(home, name));
    }),
  ];
}

/** Resolves links, since mounts need the target. Leaves out missing paths. */
function present(paths: readonly string[]): readonly string[] {
  const real = paths.filter((path) => kindAt(path) !== undefined).map(realPathOrSelf);
  return [...new Set(real)];
}

function hidden(path: string): Mount {
  return { access: "hidden", path, kind: kindAt(path) === "folder" ? "folder" : "file" };
}

function socketFolders(): readonly string[] {
  return present(SOCKET_FOLDERS);
}

/** Listening sockets elsewhere: a read-only mount does not prevent connections. */
function straySockets(allowed: readonly string[]): readonly Mount[] {
  const paths = boundSockets().filter((path) => !allowed.includes(path));
  return paths.map((path) => ({ access: "hidden", path: realPathOrSelf(path), kind: "file" }));
}

/** Landlock has no watch for new entries, so a read-only mount at the root prevents new names at its top. */
export function closedTop(root: string): Mount {
  return { access: "fixed", path: join(root, ".git") };
}

/** A missing path needs no mask. */
export function hiddenPlace(path: string): readonly Mount[] {
  const kind = kindAt(path);
  return kind === undefined ? [] : [{ access: "hidden", path, kind: kind === "folder" ? kind : "file" }];
}

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
        ? `This can't run in the sandbox: ${nameOf(scene.replacerOf(mount.path))} still runs in the sandbox and could replace ${mount.path}. Wait until it ends, or stop it.`
        : `This can't run in the sandbox: the path ${mount.path} now contains a symbolic link. Restart Quoll.`,
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
