import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { listFolderSync } from "../../platform/sandbox/list-folder-sync.ts";
import { boundSockets } from "../../platform/sandbox/listening-sockets.ts";
import { isReadable } from "../../platform/sandbox/system-facts.ts";
import { trustedPath } from "../../platform/sandbox/trusted-path.ts";
import type { Place } from "./policy.ts";
import { KEPT_OF_RUN, SECRET_PLACES, SOCKET_FOLDERS } from "./secret-places.ts";

/** Private to each sandbox, whatever lies there outside. */
const SHARED_TEMPORARY = "/tmp";

export type StandingPlaces = {
  /** Writable; absolute, without links. */
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  /** Quoll's own: hidden whole. */
  readonly ownFolders: readonly string[];
  /** Readable all the same, wherever they lie. */
  readonly readable: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Sockets that stay reachable. */
  readonly sockets: readonly string[];
  /** Whether nothing that runs confined can put something else at a path. */
  isSettled(path: string): boolean;
};

/** What may be read, what is hidden and what may be written, as it stands now, but for what is protected inside the roots. */
export function standingPlaces(wanted: StandingPlaces): readonly Place[] {
  const allowWrite = openedPaths(wanted.allowWrite, wanted.roots);
  const opened = [...openedPaths(wanted.allowRead, [...wanted.roots, ...allowWrite]), ...allowWrite];
  const isOpened = (path: string) => opened.some((folder) => isInside(folder, path));
  const secrets = present([...secretPaths(wanted.homes), ...wanted.denyRead]).filter((path) => !isOpened(path));
  return [
    ...[...secrets, ...present(wanted.ownFolders), ...socketFolders()].map(hidden),
    ...sharedTemporary(wanted.roots),
    ...straySockets(wanted.sockets).filter(({ path }) => wanted.isSettled(path)),
    ...present([...wanted.readable, ...KEPT_OF_RUN, ...opened]).map((path) => ({ access: "readable", path }) as const),
    ...[...wanted.roots, ...allowWrite].map((path) => ({ access: "writable", path }) as const),
    ...present(wanted.denyWrite).map((path) => ({ access: "fixed", path }) as const),
  ];
}

/**
 * The folder that temporary files seem to lie in, where the system's own is hidden: not where the workspace is /tmp or around
 * it.
 */
export function hiddenTemporary(roots: readonly string[]): string | undefined {
  const path = realPathOrSelf(SHARED_TEMPORARY);
  return roots.some((root) => isInside(root, path)) ? undefined : path;
}

/**
 * Where the paths lead to that settings open. A link that lies in a writable folder counts for nothing: a command may have
 * put it there.
 */
export function openedPaths(paths: readonly string[], writable: readonly string[]): readonly string[] {
  const isWritable = (folder: string) => writable.some((outer) => isInside(outer, folder));
  const found = paths.map((path) => trustedPath(path, isWritable)).filter((path) => path !== undefined);
  return [...new Set(found)];
}

function sharedTemporary(roots: readonly string[]): readonly Place[] {
  const path = hiddenTemporary(roots);
  return path === undefined ? [] : [{ access: "hidden", path, kind: "folder" }];
}

function secretPaths(homes: readonly string[]): readonly string[] {
  return [
    ...SECRET_PLACES.flatMap(({ anywhere = [] }) => anywhere).filter(isReadable),
    ...homes.flatMap((home) => {
      // Most of the table is in no home: one look at the folder's names spares a look at each.
      const there = new Set(listFolderSync(home).map(({ name }) => name));
      const names = SECRET_PLACES.flatMap(({ atHome = [] }) => atHome);
      return names.filter((name) => there.has(name.split("/")[0] ?? name)).map((name) => join(home, name));
    }),
  ];
}

/** Links followed: what they lead to is what has to be named. Missing ones are left out. */
function present(paths: readonly string[]): readonly string[] {
  const real = paths.filter((path) => kindAt(path) !== undefined).map(realPathOrSelf);
  return [...new Set(real)];
}

function hidden(path: string): Place {
  return { access: "hidden", path, kind: kindAt(path) === "folder" ? "folder" : "file" };
}

function socketFolders(): readonly string[] {
  return present(SOCKET_FOLDERS);
}

/** Sockets elsewhere that something listens on now: a read-only mount does not keep anyone from connecting. */
function straySockets(allowed: readonly string[]): readonly Place[] {
  const paths = boundSockets().filter((path) => !allowed.includes(path));
  return paths.map((path) => ({ access: "hidden", path: realPathOrSelf(path), kind: "file" }));
}
