import { dirname } from "node:path";

/**
 * The access of a confined program to one path and everything below it; the deepest entry counts. Seatbelt and Landlock
 * enforce the same entries without mounting.
 * - `writable`: can be read and changed. With `isPinned`, a folder that is already writable can't be renamed; with
 * `isOpened` as well, the folder also becomes writable.
 * - `readable`: can be read inside a hidden folder.
 * - `fixed`: can be read but not changed inside a writable folder; with `isOpened`, also inside a hidden one.
 * - `hidden`: a folder looks empty and is read-only, a file looks empty. With `isLocked`, it can't be read at all: a
 * tracked file must not look empty, or a commit would empty it. A stand-in has the size and the time of the tracked
 * file, so that git sees no change, and can't be read either; `standIns` are those of a folder's tracked files.
 */
export type Mount =
  | { readonly access: "writable"; readonly path: string; readonly isPinned?: boolean; readonly isOpened?: boolean }
  | { readonly access: "readable"; readonly path: string }
  | { readonly access: "fixed"; readonly path: string; readonly isOpened?: boolean }
  | {
      readonly access: "hidden";
      readonly path: string;
      readonly kind: "file" | "folder";
      readonly isLocked?: boolean;
      readonly standIn?: string;
      readonly standIns?: readonly StandIn[];
    };

/** An unreadable file in the place of a tracked one. */
export type StandIn = { readonly path: string; readonly file: string };

/** The policy of one confined run. Paths are absolute, without links. */
export type SandboxPolicy = {
  readonly mounts: readonly Mount[];
  /** The private temporary folder, and its path inside the sandbox. */
  readonly temporary: string;
  readonly temporaryInside: string;
  /** An empty file, mounted over hidden files. */
  readonly emptyFile: string;
  /** A file that no confined program can read. */
  readonly lockedFile: string;
  readonly network: SandboxNetwork | undefined;
  /** bubblewrap: the program joins the network of the session's other commands. */
  readonly isInSharedNetwork: boolean;
  /** Sockets that may be reached. */
  readonly sockets: readonly string[];
  /** True if confined programs may listen on loopback. */
  readonly allowsListening: boolean;
  /** True when the program would inherit a terminal: it is detached, so that the program can't inject input. */
  readonly leavesTerminal: boolean;
};

/** The connection to the allowed domains. */
export type SandboxNetwork = {
  /** The proxy's port outside, on loopback. */
  readonly port: number;
  /** True if the proxy also connects to ports of this machine, outside the sandbox. */
  readonly reachesHere?: boolean;
  /** bubblewrap: how a program with its own network reaches the proxy. In the shared network a relay connects to it. */
  readonly bridge?: NetworkBridge;
};

export type NetworkBridge = {
  /** Folder and name of the proxy's socket. */
  readonly folder: string;
  readonly socket: string;
  /** First arguments of a command that starts Quoll itself, which acts as the bridge inside. */
  readonly selfCommand: readonly string[];
};

const RANK = { readable: 0, writable: 1, fixed: 2, hidden: 3 } as const;

/**
 * The mounts in setup order, outer ones first, without mounts that change nothing. Of several mounts for the same path,
 * the strictest is kept.
 */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = byPath.get(mount.path);
    byPath.set(mount.path, before ? merged(before, mount) : mount);
  }
  const sorted = [...byPath.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1));
  const kept = new Map<string, Mount>();
  for (const mount of sorted) if (changes(mount, nearestAccess(kept, mount.path))) kept.set(mount.path, mount);
  return [...kept.values()];
}

function merged(before: Mount, mount: Mount): Mount {
  if (before.access !== "writable" || mount.access !== "writable") {
    const stricter = RANK[mount.access] > RANK[before.access] ? mount : before;
    return stricter.access === "fixed" && (opens(before) || opens(mount)) ? { ...stricter, isOpened: true } : stricter;
  }
  const both = [before, mount];
  const isPinned = both.some((one) => one.isPinned);
  const isOpened = both.some((one) => one.isOpened || !one.isPinned);
  return isPinned && isOpened ? { access: "writable", path: mount.path, isPinned, isOpened } : before;
}

/** True if a mount makes a path readable inside a hidden folder. */
function opens(mount: Mount): boolean {
  switch (mount.access) {
    case "writable":
      return mount.isOpened === true || mount.isPinned !== true;
    case "readable":
      return true;
    case "fixed":
      return mount.isOpened === true;
    case "hidden":
      return false;
  }
}

/** The access to a path; a path outside every mount is readable. */
export function accessAt(mounts: readonly Mount[], path: string): Mount["access"] {
  return nearestAccess(new Map(mounts.map((mount) => [mount.path, mount])), path);
}

/** Runs for hundreds of paths, so it looks up parents instead of comparing all pairs. */
function nearestAccess(mounts: ReadonlyMap<string, Mount>, path: string): Mount["access"] {
  for (let at = path; ; at = dirname(at)) {
    const mount = mounts.get(at);
    if (mount) return mount.access;
    if (at === dirname(at)) return "fixed";
  }
}

function changes(mount: Mount, around: Mount["access"]): boolean {
  switch (mount.access) {
    case "writable":
      return mount.isOpened === true || (mount.isPinned === true ? around === "writable" : around !== "writable");
    case "readable":
      return around === "hidden";
    case "fixed":
      return around === "writable" || (around === "hidden" && mount.isOpened === true);
    case "hidden":
      return around !== "hidden";
  }
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
