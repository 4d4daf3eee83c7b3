import { basename, dirname, isAbsolute } from "node:path";
import type { ProgramStart, SessionTemporary } from "../../contracts/ports.ts";
import type { OpenedNetwork } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { ownProgramFolders } from "./bubblewrap-arguments.ts";
import type { Mechanism } from "./detect.ts";
import { type ClosedPaths, type FolderGuards, pathSet } from "./guarded-folders.ts";
import type { MountScene } from "./io/mount-points.ts";
import type { PrivateFolders } from "./io/private-folders.ts";
import { accountHome, otherHomes } from "./io/system-facts.ts";
import { closedTop, hiddenPlace, mountPolicy, openedPaths, sessionTemporary, stableMounts } from "./mount-policy.ts";
import { ProjectCaches } from "./package-caches.ts";
import type { Mount, SandboxNetwork, SandboxPolicy } from "./policy.ts";
import type { OpenNetwork } from "./program-networks.ts";
import type { Protection } from "./protection-draft.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { TrackedMounts } from "./tracked-mounts.ts";
import { type WorkspaceSecrets, workspaceSecrets } from "./workspace-secrets.ts";

/** All that one program can reach. */
export type ConfinementPlan = {
  readonly protection: Protection;
  readonly policy: SandboxPolicy;
  /** Environment variables that point to the writable caches. */
  readonly caches: Readonly<Record<string, string>>;
};

/** @property secrets Paths to hide because the program has a network. */
export type PlannedStart = ProgramStart & { readonly secrets?: readonly string[] };

type PlanFor = { readonly guards: FolderGuards; readonly scene: MountScene };
type BaseMountsFor = Pick<FolderGuards, "roots"> & {
  readonly sockets: readonly string[];
  readonly scene: MountScene;
  readonly opened: OpenedNetwork | undefined;
};

/** Decides what each program can read, change and connect to, from the settings and the current state of the disk. */
export class ConfinementPlanner {
  /** The paths that settings close. */
  readonly closed: ClosedPaths;
  readonly #deps: SandboxDeps;
  readonly #mechanism: Mechanism;
  readonly #folders: PrivateFolders;
  readonly #tracked: TrackedMounts;
  readonly #caches: ProjectCaches;

  constructor(deps: SandboxDeps, mechanism: Mechanism, folders: PrivateFolders) {
    const { home, settings } = deps;
    const { denyRead = [], denyWrite = [] } = settings.filesystem ?? {};
    const account = accountHome();
    const homes = [...new Set([home, ...(account ? [account] : []), ...otherHomes()].map(realPathOrSelf))];
    this.closed = { homes, denyRead: pathSet(denyRead), denyWrite: pathSet(denyWrite) };
    this.#deps = deps;
    this.#mechanism = mechanism;
    this.#folders = folders;
    this.#tracked = new TrackedMounts(deps, {
      kind: mechanism.kind,
      folder: folders.root,
      lockedFile: folders.lockedFile,
    });
    this.#caches = new ProjectCaches(deps);
  }

  /** The session's folder for temporary files. */
  get temporary(): SessionTemporary | undefined {
    return sessionTemporary(this.#mechanism.kind, this.#deps);
  }

  /** The secrets of the workspace, which a program must not read if a network was opened to it. */
  secretsFor({ opened }: ProgramStart, { roots }: FolderGuards): WorkspaceSecrets {
    const { isSecret, projectRoot, gitFolders, settings } = this.#deps;
    if (!opened || !isSecret) return { paths: [], gaps: [] };
    const { allowRead = [] } = settings.filesystem ?? {};
    // A worktree has its secrets from the checkout that it belongs to.
    const checkouts = gitFolders.filter((folder) => basename(folder) === ".git").map((folder) => dirname(folder));
    return workspaceSecrets({
      roots: [...new Set([...roots, ...checkouts])],
      projectRoot,
      settings: opened.settings,
      opened: openedPaths(allowRead, roots).concat(allowRead.map(realPathOrSelf)),
      isSecret,
    });
  }

  /** @throws {ToolFailedError} the program can't be confined in this scene. */
  plan(start: PlannedStart, { network, entry }: OpenNetwork, { guards, scene }: PlanFor): ConfinementPlan {
    const { settings, hasTerminal = false } = this.#deps;
    const { roots } = guards;
    const { filesystem = {}, network: net = {} } = settings;
    const isMounted = this.#mechanism.kind === "bubblewrap";
    const allowWrite = openedPaths(filesystem.allowWrite ?? [], roots);
    const sockets = openedPaths(net.allowUnixSockets ?? [], [...roots, ...allowWrite]).filter(scene.isStable);
    const protection = guards.protectedPaths.look(scene, allowWrite, start.named);
    const cacheFolder = this.#caches.open();
    const mounts = [
      ...this.#baseMounts(network, { roots, sockets, scene, opened: start.opened }),
      ...(cacheFolder === undefined ? [] : [{ access: "writable", path: cacheFolder } as const]),
      ...protection.mounts,
      ...(this.#mechanism.kind === "landlock" ? roots.map(closedTop) : []),
      ...(start.hidden ?? []).flatMap(hiddenPlace),
      ...(start.writableFiles ?? []).map((path) => ({ access: "writable", path: realPathOrSelf(path) }) as const),
    ];
    const folders = this.#folders;
    const own = this.temporary;
    const { folder: temporary, inside: temporaryInside } = own ?? {
      folder: folders.temporary,
      inside: folders.temporary,
    };
    makePrivateFolder(temporary);
    const writable = [...roots, ...allowWrite];
    const all = temporaryInside === temporary ? [...mounts, { access: "writable", path: temporary } as const] : mounts;
    const use =
      cacheFolder === undefined
        ? undefined
        : {
            folder: cacheFolder,
            writable,
            hasNetwork: network !== undefined,
            hosts: hostsOf(start),
            managers: start.opened?.managers ?? [],
          };
    return {
      protection,
      caches: use ? this.#caches.variables(start.env, use) : {},
      policy: {
        mounts: this.#tracked.locked(
          // A secret is hidden whatever runs beside this program: at worst, something else is hidden too.
          [...(isMounted ? stableMounts(all, scene) : all), ...(start.secrets ?? []).flatMap(hiddenPlace)],
          protection.repositories,
          start.secrets,
        ),
        temporary,
        temporaryInside,
        emptyFile: folders.emptyFile,
        lockedFile: folders.lockedFile,
        network,
        isInSharedNetwork: entry !== undefined,
        sockets,
        allowsListening: net.allowLocalBinding ?? true,
        leavesTerminal: hasTerminal,
      },
    };
  }

  #baseMounts(network: SandboxNetwork | undefined, { roots, sockets, scene, opened }: BaseMountsFor): readonly Mount[] {
    const { home, projectRoot, artifacts, ownFolders, settings, selfCommand } = this.#deps;
    const { filesystem = {} } = settings;
    return mountPolicy({
      roots,
      homes: this.closed.homes,
      ownFolders,
      // Full outputs of earlier commands may contain secrets, which a command with a network could send.
      readable: [
        ...(opened ? [] : [artifacts]),
        home,
        projectRoot,
        ...(network?.bridge ? ownProgramFolders(selfCommand) : []),
      ],
      allowWrite: filesystem.allowWrite ?? [],
      denyWrite: this.closed.denyWrite.plain,
      denyRead: this.closed.denyRead.plain,
      allowRead: [...(filesystem.allowRead ?? []), ...(opened?.settings ?? []).filter((path) => isAbsolute(path))],
      sockets,
      isStable: scene.isStable,
    });
  }

  close(): void {
    this.#caches.close();
  }
}

function hostsOf({ opened }: ProgramStart): readonly string[] {
  return opened?.hosts.map(({ host }) => host) ?? [];
}
