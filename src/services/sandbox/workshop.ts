import { basename, join } from "node:path";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { PathRule } from "../../contracts/permission.ts";
import type { ConfinedStart, OutsideStart, OutsideWork, PortOpener, ProgramStart } from "../../contracts/ports.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { removeFiles } from "../../platform/processes/output-file.ts";
import { LANDLOCK_COMMAND, type LandlockPlan } from "../../platform/sandbox/landlock/landlock-plan.ts";
import { type MountLease, MountPoints, type MountScene } from "../../platform/sandbox/mount-points.ts";
import { type ProcessMoment, processMoment, untilOrphansEnded } from "../../platform/sandbox/orphaned-namespaces.ts";
import { PrivateFolders } from "../../platform/sandbox/private-folders.ts";
import { accountHome, otherHomes } from "../../platform/sandbox/system-facts.ts";
import { bubblewrapArguments, ownProgramFolders } from "./bubblewrap-arguments.ts";
import type { Mechanism } from "./detect.ts";
import { innerEnvironment } from "./inner-environment.ts";
import { landlockRules } from "./landlock-rules.ts";
import { type NetworkProxy, startNetworkProxy } from "./network-proxy.ts";
import { NewNames } from "./new-names.ts";
import { type PathSet, pathSet } from "./path-set.ts";
import { accessAt, orderPlaces, type Place, type SandboxNetwork, type SandboxPolicy } from "./policy.ts";
import { ProjectCaches } from "./project-caches.ts";
import { linkChanges } from "./protected-changes.ts";
import { ProtectedPlaces } from "./protected-places.ts";
import type { Protection } from "./protection-draft.ts";
import { RuleGaps } from "./rule-gaps.ts";
import type { RuledPlace } from "./ruled.ts";
import { explainRules } from "./ruled-places.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { mountedPlaces, settledPlaces } from "./settled-places.ts";
import { type NetworkEntry, type SharedNetwork, separateNetworks, sharedNetwork } from "./shared-network.ts";
import { hiddenTemporary, openedPaths, standingPlaces } from "./standing-places.ts";
import { TrackedPaths } from "./tracked-paths.ts";

const NONE: readonly PathRule[] = [];
const PROXY_SOCKET = "proxy.sock";
/** How long the kernel is given to end what is left of a program that has ended. */
const END_WAIT_MS = 10_000;

type Preparation = {
  readonly protection: Protection;
  readonly policy: SandboxPolicy;
  /** Variables of the caches that the program may write to. */
  readonly caches: Readonly<Record<string, string>>;
  readonly lease?: MountLease;
};

/** Nothing is mounted: nothing can be led elsewhere. */
const ALONE: MountScene = { made: new Set(), running: [], isSettled: () => true };

/** Makes confined starts by one mechanism; holds what they share. */
export class Workshop {
  readonly #deps: SandboxDeps;
  readonly #mechanism: Mechanism;
  readonly #folders: PrivateFolders;
  readonly #mounts: MountPoints;
  readonly #protected: ProtectedPlaces;
  readonly #newNames: NewNames;
  readonly #gaps: RuleGaps;
  readonly #tracked = new TrackedPaths();
  /** Places that rules have closed to the command that was started last. */
  #ruled: readonly RuledPlace[] = [];
  readonly #homes: readonly string[];
  readonly #denyRead: PathSet;
  readonly #denyWrite: PathSet;
  readonly #caches: ProjectCaches;
  readonly #shared: SharedNetwork | undefined;
  #proxy: Promise<NetworkProxy> | undefined;
  #openedProxy: NetworkProxy | undefined;
  #hasWarned = false;

  /** @throws {ToolFailedError} its own files can't be made. */
  constructor(deps: SandboxDeps, mechanism: Mechanism) {
    const { settings, roots, home, projectRoot } = deps;
    this.#deps = deps;
    this.#mechanism = mechanism;
    const records = join(deps.stateFolder, "sandbox");
    this.#folders = new PrivateFolders(records);
    this.#mounts = new MountPoints(records, this.#folders.root);
    this.#caches = new ProjectCaches(deps);
    this.#shared = sharedNetwork(deps, mechanism, this.#folders.network);
    const account = accountHome();
    this.#homes = [...new Set([home, ...(account ? [account] : []), ...otherHomes()].map(realPathOrSelf))];
    // Inside of a writable folder nothing may take their place.
    for (const folder of deps.ownFolders) if (roots.some((root) => isInside(root, folder))) makePrivateFolder(folder);
    const { asker, warn, rules = () => NONE } = deps;
    this.#gaps = new RuleGaps({ asker, warn });
    const ruledNow = (writing: readonly PathRule[]) => this.#protected.ruledNow(writing);
    this.#newNames = new NewNames({ roots, homes: this.#homes, asker, warn, rules, ruledNow });
    this.#denyRead = pathSet(settings.filesystem?.denyRead ?? []);
    this.#denyWrite = pathSet(settings.filesystem?.denyWrite ?? []);
    this.#protected = new ProtectedPlaces({
      roots,
      homes: this.#homes,
      ownFolders: deps.ownFolders,
      denyWrite: this.#denyWrite.plain.map(realPathOrSelf),
      // Elsewhere `.git` itself lies outside of what may be written.
      gitFolders: roots.includes(projectRoot) ? deps.gitFolders.filter((path) => kindAt(path) === "folder") : [],
      isHidden: (path) => this.#denyRead.matches(path),
      isFixed: (path) => this.#denyWrite.matches(path),
      rules,
    });
  }

  /** @throws {ToolFailedError} it can't be confined; nothing was started and nothing is left behind. */
  async confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart> {
    const network = await this.#openNetwork();
    signal.throwIfAborted();
    const { protection, policy, caches, lease } = await this.#protect(start, network);
    const files: string[] = [];
    const changes: string[] = [];
    const moment = processMoment();
    const { absent, ruled, repositories } = protection;
    const { isBackground = false } = start;
    const newNames = this.#newNames.begin({ isBackground, absent, repositories, opened: ruled.opened });
    this.#ruled = ruled.places;
    const dispose = once(async () => {
      // Whatever still runs could take the place of what is removed; what can't be ended keeps it.
      if (!(await this.#hasEnded(moment))) return;
      changes.push(...newNames(), ...linkChanges(protection.links));
      await lease?.release();
      changes.push(...this.#protected.changesSince(protection));
      await removeFiles(files);
    });
    try {
      signal.throwIfAborted();
      await this.#gaps.settle(ruled.gaps, signal);
      if (accessAt(orderPlaces(policy.places), start.cwd) === "hidden")
        throw new ToolFailedError(
          `The working folder ${start.cwd} is one that the sandbox hides: work elsewhere, or list it in sandbox.filesystem.allowRead.`,
        );
      return {
        ...this.#start(start, { policy, caches, entry: network.entry }, files),
        dispose,
        changes: () => changes,
      };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  async #hasEnded(since: ProcessMoment): Promise<boolean> {
    if (this.#mechanism.kind !== "bubblewrap") return true;
    return untilOrphansEnded(basename(this.#mechanism.file), since, END_WAIT_MS);
  }

  /** One line when the output of a failed command names what a rule has closed to it; undefined otherwise. */
  explainRules(output: string): string | undefined {
    return explainRules(output, this.#ruled, this.#deps.roots);
  }

  /** @see {Sandbox.beginOutside} */
  beginOutside(work: OutsideWork, signal: AbortSignal): Promise<OutsideStart> {
    return this.#newNames.beginOutside(work, signal);
  }

  /** @see {Sandbox.portOpener} */
  async portOpener(): Promise<PortOpener | undefined> {
    const shared = this.#shared;
    if (!shared || "refusal" in (await shared.entry())) return undefined;
    return { open: (port) => shared.openPort(port, this.#proxy && this.#proxySocket) };
  }

  /** The hosts to which the proxy refused a connection in the last `withinMs` milliseconds. */
  refusedHosts(withinMs: number): readonly string[] {
    const since = performance.now() - withinMs;
    return (this.#openedProxy?.refusals ?? []).filter(({ at }) => at >= since).map(({ host }) => host);
  }

  /** Makes what the first command would otherwise wait for. */
  async prepare(): Promise<void> {
    await this.#shared?.entry();
  }

  async close(): Promise<void> {
    await this.#newNames.close();
    this.#caches.close();
    await this.#shared?.close();
    const proxy = await this.#proxy?.catch(() => undefined);
    await proxy?.close();
    this.#folders.remove();
  }

  /** Mounts need something to be mounted on, and must not be led elsewhere; the other mechanisms go by names. */
  async #protect(start: ProgramStart, network: OpenNetwork): Promise<Preparation> {
    if (this.#mechanism.kind !== "bubblewrap") return this.#plan(start, network, ALONE);
    let plan: Preparation | undefined;
    const lease = await this.#mounts.acquire((scene) => {
      plan = this.#plan(start, network, scene);
      return { points: plan.protection.missing, places: mountedPlaces(plan.policy.places) };
    });
    if (!plan) throw new Error("Mount points were given out without a plan.");
    return { ...plan, lease };
  }

  #plan(start: ProgramStart, { network, entry }: OpenNetwork, scene: MountScene): Preparation {
    const { roots, settings, hasTerminal = false } = this.#deps;
    const { filesystem = {}, network: net = {} } = settings;
    const isMounted = this.#mechanism.kind === "bubblewrap";
    const allowWrite = openedPaths(filesystem.allowWrite ?? [], roots);
    const sockets = openedPaths(net.allowUnixSockets ?? [], [...roots, ...allowWrite]).filter(scene.isSettled);
    const protection = this.#protected.look(scene, allowWrite, start.named);
    const cacheFolder = this.#caches.open();
    const places = [
      ...this.#standing(network, sockets, scene),
      ...(cacheFolder === undefined ? [] : [{ access: "writable", path: cacheFolder } as const]),
      ...protection.places,
      ...(this.#mechanism.kind === "landlock" ? roots.map(closedTop) : []),
      ...(start.hidden ?? []).flatMap(hiddenPlace),
      ...(start.writableFiles ?? []).map((path) => ({ access: "writable", path: realPathOrSelf(path) }) as const),
    ];
    const folders = this.#folders;
    const writable = [...roots, ...allowWrite];
    const use =
      cacheFolder === undefined ? undefined : { folder: cacheFolder, writable, hasNetwork: network !== undefined };
    return {
      protection,
      caches: use ? this.#caches.variables(start.env, use) : {},
      policy: {
        places: this.#locked(isMounted ? settledPlaces(places, scene.isSettled) : places, protection),
        temporary: folders.temporary,
        temporaryInside: (isMounted ? hiddenTemporary(roots) : undefined) ?? folders.temporary,
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

  #locked(places: readonly Place[], { repositories }: Protection): readonly Place[] {
    const hidden = places.flatMap(({ access, path }) => (access === "hidden" ? [path] : []));
    const tracked = this.#tracked.among(hidden, repositories);
    if (tracked.size === 0) return places;
    return places.map((place) =>
      place.access === "hidden" && tracked.has(place.path) ? { ...place, isLocked: true } : place,
    );
  }

  #standing(network: SandboxNetwork | undefined, sockets: readonly string[], scene: MountScene): readonly Place[] {
    const { roots, home, projectRoot, artifacts, ownFolders, settings, selfCommand } = this.#deps;
    const { filesystem = {} } = settings;
    return standingPlaces({
      roots,
      homes: this.#homes,
      ownFolders,
      readable: [artifacts, home, projectRoot, ...(network?.bridge ? ownProgramFolders(selfCommand) : [])],
      allowWrite: filesystem.allowWrite ?? [],
      denyWrite: this.#denyWrite.plain,
      denyRead: this.#denyRead.plain,
      allowRead: filesystem.allowRead ?? [],
      sockets,
      isSettled: scene.isSettled,
    });
  }

  #start(
    start: ProgramStart,
    { policy, caches, entry }: Pick<Preparation, "policy" | "caches"> & Pick<OpenNetwork, "entry">,
    files: string[],
  ): Omit<ConfinedStart, "dispose" | "changes"> {
    const mechanism = this.#mechanism;
    const env = innerEnvironment(start.env, policy, mechanism.kind, caches);
    switch (mechanism.kind) {
      case "bubblewrap": {
        const args = bubblewrapArguments(policy, mechanism.variant, start);
        const [file, ...words] = entry ?? [mechanism.file];
        return { file, args: [...words, ...args], cwd: start.cwd, env, isWrapped: true };
      }
      case "sandbox-exec": {
        const profile = seatbeltProfile(policy, this.#deps.roots);
        const args = ["-p", profile, start.file, ...start.args];
        return { file: mechanism.file, args, cwd: start.cwd, env, isWrapped: false };
      }
      case "landlock":
        return this.#landlocked({ ...start, env }, policy, files);
    }
  }

  /** Our own program starts in a folder, and with an environment, that no project has a hold on: it is not confined yet. */
  #landlocked(start: ProgramStart, policy: SandboxPolicy, files: string[]): Omit<ConfinedStart, "dispose" | "changes"> {
    const { file, args, cwd, env } = start;
    const plan: LandlockPlan = { rules: landlockRules(policy), file, args, cwd, env };
    const path = this.#folders.newFile(JSON.stringify(plan));
    files.push(path);
    const [self = "", ...words] = this.#deps.selfCommand;
    const tag = Object.entries(env).filter(([name]) => name === "QUOLL_SPAWN");
    return {
      file: self,
      args: [...words, LANDLOCK_COMMAND, path],
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(tag) },
      isWrapped: false,
    };
  }

  /** The network that a program gets, and how it gets in where the session's commands share one. */
  async #openNetwork(): Promise<OpenNetwork> {
    const entry = await this.#enterShared();
    const port = await this.#openProxy();
    if (port === undefined) return { network: undefined, entry };
    if (entry) {
      await this.#shared?.relay(this.#proxySocket);
      return { network: { port }, entry };
    }
    const bridge = { folder: this.#folders.network, socket: PROXY_SOCKET, selfCommand: this.#deps.selfCommand };
    return { network: { port, bridge }, entry };
  }

  async #enterShared(): Promise<OpenNetwork["entry"]> {
    const entry: NetworkEntry | undefined = await this.#shared?.entry();
    if (!entry) return undefined;
    if ("words" in entry) return entry.words;
    if (!this.#hasWarned) this.#deps.warn?.(separateNetworks(entry.refusal));
    this.#hasWarned = true;
    return undefined;
  }

  get #proxySocket(): string {
    return join(this.#folders.network, PROXY_SOCKET);
  }

  /** @returns its port outside; undefined where nothing may be reached. */
  async #openProxy(): Promise<number | undefined> {
    const { settings, environment } = this.#deps;
    const allowed = settings.network?.allowedDomains ?? [];
    if (allowed.length === 0 || this.#mechanism.kind === "landlock") return undefined;
    this.#proxy ??= startNetworkProxy({
      socketPath: this.#proxySocket,
      rules: { allowed, denied: settings.network?.deniedDomains ?? [] },
      upstreamProxy: environment["HTTPS_PROXY"] || environment["https_proxy"] || undefined,
    });
    try {
      this.#openedProxy = await this.#proxy;
      return this.#openedProxy.port;
    } catch (error) {
      this.#proxy = undefined;
      throw new ToolFailedError(`The sandbox's proxy could not be started (${errorMessage(error)}).`, { cause: error });
    }
  }
}

type OpenNetwork = {
  readonly network: SandboxNetwork | undefined;
  /** The words before bubblewrap's arguments; undefined where each program has a network of its own. */
  readonly entry: readonly [string, ...string[]] | undefined;
};

/** What stays behind of a command is not watched under Landlock: with this place in it, the top of a root gets no new names at all. */
function closedTop(root: string): Place {
  return { access: "fixed", path: join(root, ".git") };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch(() => undefined);
    return done;
  };
}

/** What is not there needs no mask. */
function hiddenPlace(path: string): readonly Place[] {
  const kind = kindAt(path);
  return kind === undefined ? [] : [{ access: "hidden", path, kind: kind === "folder" ? kind : "file" }];
}
