import { basename, dirname, isAbsolute, join } from "node:path";
import { once } from "@quoll/async/once";
import { ToolFailedError } from "../../contracts/errors.ts";
import type {
  ConfinedStart,
  FailedRun,
  PortOpener,
  ProgramStart,
  SessionTemporary,
  UnconfinedStart,
  UnconfinedWork,
} from "../../contracts/ports.ts";
import type { OpenedNetwork } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { removeFiles } from "../../platform/processes/output-file.ts";
import { explainRules } from "./apply-rules.ts";
import { ownProgramFolders } from "./bubblewrap-arguments.ts";
import type { Mechanism } from "./detect.ts";
import { explainFailure, explainTemporary } from "./explain-failure.ts";
import { type FolderGuards, GuardedFolders, type PathSet, pathSet } from "./guarded-folders.ts";
import { type MountLease, MountPoints, type MountScene, NO_MOUNTS } from "./io/mount-points.ts";
import { type ProcessMoment, processMoment, untilOrphansEnded } from "./io/orphaned-namespaces.ts";
import { PrivateFolders } from "./io/private-folders.ts";
import { accountHome, otherHomes } from "./io/system-facts.ts";
import {
  closedTop,
  hiddenPlace,
  mountPolicy,
  mountRecords,
  openedPaths,
  sessionTemporary,
  stableMounts,
} from "./mount-policy.ts";
import { ProjectCaches } from "./package-caches.ts";
import { accessAt, type Mount, orderMounts, type SandboxNetwork, type SandboxPolicy } from "./policy.ts";
import { type OpenNetwork, ProgramNetworks } from "./program-networks.ts";
import { linkChanges } from "./protected-paths.ts";
import type { Protection } from "./protection-draft.ts";
import type { RuledPath } from "./rule-gaps.ts";
import { RuleGaps } from "./rule-gaps.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { type SharedNetwork, sharedNetwork } from "./shared-network.ts";
import { type StartWith, type StartWords, startWords } from "./start-words.ts";
import { TrackedMounts } from "./tracked-mounts.ts";
import { type WorkspaceSecrets, workspaceSecrets } from "./workspace-secrets.ts";

/** How long to wait until the kernel has killed the leftover processes of a finished program. */
const END_WAIT_MS = 10_000;

type Preparation = {
  readonly protection: Protection;
  readonly policy: SandboxPolicy;
  /** Environment variables that point to the writable caches. */
  readonly caches: Readonly<Record<string, string>>;
  readonly lease?: MountLease;
};

type PlanFor = { readonly guards: FolderGuards; readonly scene: MountScene };
type BaseMountsFor = Pick<FolderGuards, "roots"> & {
  readonly sockets: readonly string[];
  readonly scene: MountScene;
  readonly opened: OpenedNetwork | undefined;
};
/** @property secrets Paths to hide because the program has a network. */
type PlannedStart = ProgramStart & { readonly secrets?: readonly string[] };

/** Prepares confined programs with one mechanism and holds their shared state. */
export class ConfinedRunner {
  readonly #deps: SandboxDeps;
  readonly #mechanism: Mechanism;
  readonly #folders: PrivateFolders;
  readonly #mounts: MountPoints;
  readonly #guarded: GuardedFolders;
  readonly #gaps: RuleGaps;
  readonly #tracked: TrackedMounts;
  /** Paths that rules have closed to the most recent command. */
  #ruled: readonly RuledPath[] = [];
  readonly #homes: readonly string[];
  readonly #denyRead: PathSet;
  readonly #denyWrite: PathSet;
  readonly #caches: ProjectCaches;
  readonly #shared: SharedNetwork | undefined;
  readonly #networks: ProgramNetworks;

  /** @throws {ToolFailedError} the sandbox's own files can't be created. */
  constructor(deps: SandboxDeps, mechanism: Mechanism) {
    const { settings, home } = deps;
    this.#deps = deps;
    this.#mechanism = mechanism;
    const records = join(deps.stateFolder, "sandbox");
    this.#folders = new PrivateFolders(records);
    this.#mounts = new MountPoints(records, this.#folders.root);
    this.#tracked = new TrackedMounts(deps, {
      kind: mechanism.kind,
      folder: this.#folders.root,
      lockedFile: this.#folders.lockedFile,
    });
    this.#caches = new ProjectCaches(deps);
    this.#shared = sharedNetwork(deps, mechanism, this.#folders.network);
    const account = accountHome();
    this.#homes = [...new Set([home, ...(account ? [account] : []), ...otherHomes()].map(realPathOrSelf))];
    this.#networks = new ProgramNetworks(deps, { mechanism, folders: this.#folders, shared: this.#shared });
    const { asker, onNotice } = deps;
    this.#gaps = new RuleGaps({ asker, onNotice });
    this.#denyRead = pathSet(settings.filesystem?.denyRead ?? []);
    this.#denyWrite = pathSet(settings.filesystem?.denyWrite ?? []);
    const closed = { homes: this.#homes, denyRead: this.#denyRead, denyWrite: this.#denyWrite };
    this.#guarded = new GuardedFolders(deps, closed);
  }

  /** @throws {ToolFailedError} the program can't be confined; nothing was started and nothing is left behind. */
  async confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart> {
    const network = await this.#networks.open(start.opened);
    const prepared = await this.#prepare(start, network, signal).catch(async (error: unknown) => {
      await network.close?.();
      throw error;
    });
    const { guards, secrets, protection, policy, caches, lease } = prepared;
    const files: string[] = [];
    const changes: string[] = [];
    const moment = processMoment();
    const { absent, ruled, repositories } = protection;
    const { isBackground = false } = start;
    const run = { isBackground, absent, repositories, opened: ruled.opened };
    const newEntries = guards.newEntries.begin(run);
    this.#ruled = ruled.mounts;
    const clearAway = async () => {
      // Nothing that the program left behind may use the network that was opened to it.
      await network.close?.();
      // A process that still runs could replace a removed mount point, so cleanup waits until all have ended.
      if (!(await this.#hasEnded(moment))) return false;
      changes.push(...newEntries(), ...linkChanges(protection.links));
      await lease?.release();
      changes.push(...guards.protectedPaths.changesSince(protection));
      await removeFiles(files);
      return this.#mechanism.kind === "bubblewrap";
    };
    const dispose = once(() => clearAway().catch(() => false));
    try {
      signal.throwIfAborted();
      await this.#gaps.settle([...ruled.gaps, ...secrets.gaps], signal);
      if (accessAt(orderMounts(policy.mounts), start.cwd) === "hidden")
        throw new ToolFailedError(
          `The sandbox hides the working folder ${start.cwd}: work elsewhere, or list it in sandbox.filesystem.allowRead.`,
        );
      const words = this.#start(start, { policy, caches, entry: network.entry, roots: guards.roots }, files);
      this.#shared?.noteStart(network.entry !== undefined);
      return {
        ...words,
        ...(start.opened && { hiddenSecrets: secrets.paths }),
        dispose,
        changes: () => changes,
        movedToBackground: () => {
          run.isBackground = true;
        },
      };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  /** Everything that decides what a program can reach. Closes nothing when it throws. */
  async #prepare(start: ProgramStart, network: OpenNetwork, signal: AbortSignal) {
    signal.throwIfAborted();
    const guards = this.#guarded.now();
    const secrets = this.#secretsFor(start, guards);
    return { guards, secrets, ...(await this.#protect({ ...start, secrets: secrets.paths }, network, guards)) };
  }

  /** The secrets of the workspace, which a program must not read if a network was opened to it. */
  #secretsFor({ opened }: ProgramStart, { roots }: FolderGuards): WorkspaceSecrets {
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

  async #hasEnded(since: ProcessMoment): Promise<boolean> {
    if (this.#mechanism.kind !== "bubblewrap") return true;
    return untilOrphansEnded(basename(this.#mechanism.file), since, END_WAIT_MS);
  }

  /** @see {Sandbox.explainFailure} */
  explainFailure(output: string, ranMs = 0, run?: FailedRun): string | undefined {
    const { roots, settings } = this.#deps;
    const hasNetwork = (settings.network?.allowedDomains ?? []).length > 0;
    const triedNetwork = this.#shared?.hadFailures(ranMs);
    const where = { refusesFiles: this.#mechanism.kind === "landlock", hasNetwork, triedNetwork };
    return (
      explainRules(output, this.#ruled, roots) ??
      explainTemporary(output, this.#temporary) ??
      explainFailure(output, this.#networks.refusedHosts(ranMs), where, run)
    );
  }

  get #temporary(): SessionTemporary | undefined {
    return sessionTemporary(this.#mechanism.kind, this.#deps);
  }

  /** @see {Sandbox.beginUnconfined} */
  beginUnconfined(work: UnconfinedWork, signal: AbortSignal): Promise<UnconfinedStart> {
    return this.#guarded.beginUnconfined(work, signal);
  }

  /** @see {Sandbox.portOpener} */
  async portOpener(): Promise<PortOpener | undefined> {
    const shared = this.#shared;
    if (!shared || "refusal" in (await shared.entry())) return undefined;
    return { open: (port) => shared.openPort(port, this.#networks.proxySocket) };
  }

  async close(): Promise<void> {
    await this.#guarded.close();
    this.#caches.close();
    await this.#shared?.close();
    await this.#networks.close();
    this.#mounts.close();
    this.#folders.remove();
  }

  /** Only bubblewrap mounts: it needs mount points and stable paths. sandbox-exec and Landlock match names. */
  async #protect(start: PlannedStart, network: OpenNetwork, guards: FolderGuards): Promise<Preparation> {
    if (this.#mechanism.kind !== "bubblewrap") return this.#plan(start, network, { guards, scene: NO_MOUNTS });
    let plan: Preparation | undefined;
    const lease = await this.#mounts.acquire((scene) => {
      plan = this.#plan(start, network, { guards, scene });
      return {
        points: plan.protection.missing,
        mounts: mountRecords(plan.policy.mounts),
        command: start.command ?? "",
      };
    });
    if (!plan) throw new Error("Mount points were given out without a plan.");
    return { ...plan, lease };
  }

  #plan(start: PlannedStart, { network, entry }: OpenNetwork, { guards, scene }: PlanFor): Preparation {
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
    const own = this.#temporary;
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

  #start(start: ProgramStart, how: StartWith, files: string[]): StartWords {
    const { selfCommand } = this.#deps;
    return startWords(start, how, { mechanism: this.#mechanism, folders: this.#folders, selfCommand }, files);
  }

  #baseMounts(network: SandboxNetwork | undefined, { roots, sockets, scene, opened }: BaseMountsFor): readonly Mount[] {
    const { home, projectRoot, artifacts, ownFolders, settings, selfCommand } = this.#deps;
    const { filesystem = {} } = settings;
    return mountPolicy({
      roots,
      homes: this.#homes,
      ownFolders,
      // Full outputs of earlier commands may contain secrets, which a command with a network could send.
      readable: [
        ...(opened ? [] : [artifacts]),
        home,
        projectRoot,
        ...(network?.bridge ? ownProgramFolders(selfCommand) : []),
      ],
      allowWrite: filesystem.allowWrite ?? [],
      denyWrite: this.#denyWrite.plain,
      denyRead: this.#denyRead.plain,
      allowRead: [...(filesystem.allowRead ?? []), ...(opened?.settings ?? []).filter((path) => isAbsolute(path))],
      sockets,
      isStable: scene.isStable,
    });
  }
}

function hostsOf({ opened }: ProgramStart): readonly string[] {
  return opened?.hosts.map(({ host }) => host) ?? [];
}
