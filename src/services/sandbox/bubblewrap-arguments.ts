import { dirname, join } from "node:path";
import { entryExists } from "../../platform/paths.ts";
import { bridgeArguments } from "./io/inner-relay.ts";
import { type Mount, type NetworkBridge, orderMounts, type SandboxPolicy } from "./policy.ts";
import { PROC_SWITCHES } from "./secret-paths.ts";

/** The features of bubblewrap that work on this machine, as probed. */
export type BubblewrapVariant = {
  /** Creates a user namespace; root does not need one. */
  readonly hasUserNamespace: boolean;
  /** Further user namespaces inside are forbidden (bubblewrap 0.8 and later). */
  readonly forbidsNesting: boolean;
  /** Mounts a new /proc; otherwise the outer /proc shows the command lines of other processes. */
  readonly hasOwnProc: boolean;
  /** Root could write kernel settings in /proc even without capabilities. */
  readonly isRoot: boolean;
};

/** /run is empty inside, except for explicit mounts. */
const NETWORK_FOLDER = "/run/quoll";
/** The network inside is the sandbox's own: no other program listens on this port. */
export const BRIDGE_PORT = 3128;

/** The arguments of every use; `bwrap … true` with these alone tests whether bubblewrap works. */
export function namespaceArguments(variant: BubblewrapVariant): readonly string[] {
  return [...unshareArguments(variant), ...systemArguments(variant)];
}

/**
 * Arguments that create the network namespace shared by a session's commands. These arguments omit a new /dev: for one,
 * bubblewrap would create a second user namespace, and no process could join the network of the first.
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

/** Arguments for the relay in that network: it can write only to its socket folder. */
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
  const { first, last } = cheapestOrder(policy);
  return [
    ...unshareArguments(variant, policy.isInSharedNetwork),
    ...(policy.leavesTerminal ? ["--new-session"] : []),
    ...first.flatMap((mount) => [...mountArguments(mount, policy), ...foldersAbove(mount, policy)]),
    ...systemArguments(variant),
    ...last.flatMap((mount) => mountArguments(mount, policy)),
    ...policy.sockets.flatMap((path) => ["--bind-try", path, path]),
    ...(bridge ? ["--ro-bind", bridge.folder, NETWORK_FOLDER] : []),
    ...["--chdir", program.cwd, "--"],
    ...commandWords(bridge, program),
  ];
}

/**
 * Hiding mounts with nothing mounted inside come after the others: no misdirected mount can uncover them. Empty folders
 * come last, after /dev and /proc, for speed: a bind mount gets slower with each existing mount, an empty folder does not.
 */
function cheapestOrder(policy: SandboxPolicy): { readonly first: readonly Mount[]; readonly last: readonly Mount[] } {
  const mounts = orderMounts(policy.mounts);
  const outer = new Set(mounts.map(({ path }) => dirname(path)));
  const isAround = (path: string) => outer.has(path) || [...outer].some((folder) => folder.startsWith(`${path}/`));
  const isInner = ({ access, path }: Mount) =>
    access === "hidden" && path !== policy.temporaryInside && !isAround(path);
  const isLast = (mount: Mount) => isInner(mount) && isEmptyFolder(mount) && !isSystem(mount.path);
  // The new /dev hides everything below it. A socket in /dev/shm may be gone by the time of its mount, which would then fail.
  const inner = mounts.filter((mount) => isInner(mount) && !mount.path.startsWith("/dev/"));
  const first = [...mounts.filter((mount) => !isInner(mount)), ...inner.filter((mount) => !isLast(mount))];
  return { first, last: inner.filter(isLast) };
}

function isEmptyFolder(mount: Mount): boolean {
  return mount.access === "hidden" && mount.kind === "folder";
}

/** In a new /dev or /proc, the path of a mount may be missing. */
function isSystem(path: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(path);
}

function mountArguments(
  mount: Mount,
  { temporary, temporaryInside, emptyFile, lockedFile }: SandboxPolicy,
): readonly string[] {
  const { path } = mount;
  if (path === temporaryInside) return ["--bind", temporary, path];
  switch (mount.access) {
    case "writable":
      return ["--bind", path, path];
    case "readable":
      return ["--ro-bind-try", path, path];
    case "fixed":
      return ["--ro-bind-try", path, path];
    case "hidden":
      // A tmpfs without write permission is cheaper than a read-only mount.
      return mount.kind === "folder"
        ? [
            ...["--perms", mount.isLocked ? "0000" : "0555", "--tmpfs", path],
            ...(mount.standIns ?? []).flatMap(({ path: inner, file }) => ["--ro-bind", file, inner]),
          ]
        : ["--ro-bind", mount.standIn ?? (mount.isLocked ? lockedFile : emptyFile), path];
  }
}

/**
 * All commands share the private folder for temporary files. If the private folder contains mounts (the workspace is
 * below /tmp), each command gets its own copies of the folders above them, so that no command can replace these while
 * another one's mounts are set up.
 */
function foldersAbove(mount: Mount, { mounts, temporaryInside }: SandboxPolicy): readonly string[] {
  if (mount.path !== temporaryInside) return [];
  const inside = mounts.filter(({ path }) => path.startsWith(`${temporaryInside}/`));
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

/** Folders of Quoll's own program, which may lie in a hidden folder. */
export function ownProgramFolders(selfCommand: readonly string[]): readonly string[] {
  return selfCommand.filter((word) => word.startsWith("/")).map(programFolder);
}

/** A script needs its whole package, including libraries. */
function programFolder(file: string): string {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at))
    if (entryExists(join(at, "package.json"))) return at;
  return dirname(file);
}
