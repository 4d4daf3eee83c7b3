import { dirname, join } from "node:path";
import { entryExists } from "../../platform/paths.ts";
import { bridgeArguments } from "../../platform/sandbox/bridge.ts";
import { type NetworkBridge, orderPlaces, type Place, type SandboxPolicy } from "./policy.ts";
import { PROC_SWITCHES } from "./secret-places.ts";

/** How bubblewrap can be used on this machine, as the probe found out. */
export type BubblewrapVariant = {
  /** A user namespace of its own. Root can do without. */
  readonly hasUserNamespace: boolean;
  /** Further user namespaces inside are forbidden (bubblewrap 0.8 and later). */
  readonly forbidsNesting: boolean;
  /** A /proc of its own; else the outer one, in which command lines of others can be seen. */
  readonly hasOwnProc: boolean;
  /** Root could write to the kernel's switches in /proc, without any capability. */
  readonly isRoot: boolean;
};

/** /run is empty inside, but for what is put there. */
const NETWORK_FOLDER = "/run/quoll";
/** The network inside is the sandbox's own: nothing else listens there. */
export const BRIDGE_PORT = 3128;

/** What every use has in common; `bwrap … true` with these alone shows whether it works here. */
export function namespaceArguments(variant: BubblewrapVariant): readonly string[] {
  return [...unshareArguments(variant), ...systemArguments(variant)];
}

/**
 * Makes the network that a session's commands share. Without a /dev of its own: for that bubblewrap would make a second user
 * namespace, from which nobody could join the network of the first.
 */
export function holderArguments({ hasUserNamespace }: BubblewrapVariant): readonly string[] {
  return [
    ...(hasUserNamespace ? ["--unshare-user"] : []),
    ...["--unshare-net", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--"],
  ];
}

/** `namespaceArguments` of a program that has joined that network; `bwrap … true` shows whether it can. */
export function joinedArguments(variant: BubblewrapVariant): readonly string[] {
  return [...unshareArguments(variant, true), ...systemArguments(variant)];
}

/** The relay in that network: it writes to the folder of its sockets only. */
export function relayArguments(variant: BubblewrapVariant, folder: string): readonly string[] {
  return [...unshareArguments(variant, true), "--bind", folder, folder, ...systemArguments(variant)];
}

function unshareArguments(variant: BubblewrapVariant, hasJoined = false): readonly string[] {
  return [
    ...(variant.hasUserNamespace ? ["--unshare-user"] : []),
    ...(variant.forbidsNesting ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(hasJoined ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/"],
  ];
}

function systemArguments({ hasOwnProc, isRoot }: BubblewrapVariant): readonly string[] {
  return [
    ...["--dev", "/dev"],
    ...(hasOwnProc ? ["--proc", "/proc"] : ["--ro-bind", "/proc", "/proc"]),
    ...(isRoot ? PROC_SWITCHES.flatMap((path) => ["--ro-bind-try", path, path]) : []),
  ];
}

export type ProgramWords = { readonly file: string; readonly args: readonly string[]; readonly cwd: string };

/** The arguments of bubblewrap (bwrap(1)) that confine a program to a policy. Pure. */
export function bubblewrapArguments(
  policy: SandboxPolicy,
  variant: BubblewrapVariant,
  program: ProgramWords,
): readonly string[] {
  const { bridge } = policy.network ?? {};
  return [
    ...unshareArguments(variant, policy.isInSharedNetwork),
    ...(policy.leavesTerminal ? ["--new-session"] : []),
    ...cheapestOrder(policy).flatMap((place) => [...placeArguments(place, policy), ...foldersAbove(place, policy)]),
    ...systemArguments(variant),
    ...policy.sockets.flatMap((path) => ["--bind-try", path, path]),
    ...(bridge ? ["--ro-bind", bridge.folder, NETWORK_FOLDER] : []),
    ...["--chdir", program.cwd, "--"],
    ...commandWords(bridge, program),
  ];
}

/**
 * What hides comes last, if nothing is mounted in it (as do /dev and /proc): no mount that is led astray can uncover it again.
 * Besides, the time that a bind takes grows with the mounts that are there already, and an empty folder takes none at all.
 */
function cheapestOrder(policy: SandboxPolicy): readonly Place[] {
  const places = orderPlaces(policy.places);
  const outer = new Set(places.map(({ path }) => dirname(path)));
  const isAround = (path: string) => outer.has(path) || [...outer].some((folder) => folder.startsWith(`${path}/`));
  const isLast = ({ access, path }: Place) => access === "hidden" && path !== policy.temporaryInside && !isAround(path);
  return [...places.filter((place) => !isLast(place)), ...places.filter(isLast)];
}

function placeArguments(
  place: Place,
  { temporary, temporaryInside, emptyFile, lockedFile }: SandboxPolicy,
): readonly string[] {
  const { path } = place;
  if (path === temporaryInside) return ["--bind", temporary, path];
  switch (place.access) {
    case "writable":
      return ["--bind", path, path];
    case "readable":
      return ["--ro-bind-try", path, path];
    case "fixed":
      return ["--ro-bind-try", path, path];
    case "hidden":
      // A folder without the right to write: cheaper than a read-only mount, and what is made in it is gone anyway.
      return place.kind === "folder"
        ? ["--perms", place.isLocked ? "0000" : "0555", "--tmpfs", path]
        : ["--ro-bind", place.isLocked ? lockedFile : emptyFile, path];
  }
}

/**
 * All commands share the private folder for temporary files. Where places lie in it (the workspace is below /tmp), each gets the
 * folders above them for itself, so that none can exchange them while the mounts of another are made.
 */
function foldersAbove(place: Place, { places, temporaryInside }: SandboxPolicy): readonly string[] {
  if (place.path !== temporaryInside) return [];
  const inside = places.filter(({ path }) => path.startsWith(`${temporaryInside}/`));
  const names = inside.map(({ path }) => path.slice(temporaryInside.length + 1).split("/"));
  const above = new Set(names.filter(({ length }) => length > 1).map(([name]) => join(temporaryInside, name ?? "")));
  const own = [...above].filter((folder) => !inside.some(({ path }) => path === folder));
  return own.flatMap((folder) => ["--perms", "0755", "--tmpfs", folder]);
}

function commandWords(bridge: NetworkBridge | undefined, { file, args }: ProgramWords): readonly string[] {
  if (!bridge) return [file, ...args];
  const words = bridgeArguments(`${NETWORK_FOLDER}/${bridge.socket}`, BRIDGE_PORT, [file, ...args]);
  return [...bridge.selfCommand, ...words];
}

/** Folders that our own program is read from: they may lie where a policy hides everything. */
export function ownProgramFolders(selfCommand: readonly string[]): readonly string[] {
  return selfCommand.filter((word) => word.startsWith("/")).map(programFolder);
}

/** A script needs its whole package, libraries included. */
function programFolder(file: string): string {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at))
    if (entryExists(join(at, "package.json"))) return at;
  return dirname(file);
}
