import { basename, join } from "node:path";
import { once } from "@quoll/async/once";
import { ToolFailedError } from "../../contracts/errors.ts";
import type {
  ConfinedStart,
  FailedRun,
  PortOpener,
  ProgramStart,
  UnconfinedStart,
  UnconfinedWork,
} from "../../contracts/ports.ts";
import { removeFiles } from "../../platform/processes/output-file.ts";
import { explainRules } from "./apply-rules.ts";
import { type ConfinementPlan, ConfinementPlanner, type PlannedStart } from "./confinement-planner.ts";
import type { Mechanism } from "./detect.ts";
import { explainFailure, explainTemporary } from "./explain-failure.ts";
import { type FolderGuards, GuardedFolders } from "./guarded-folders.ts";
import { type MountLease, MountPoints, NO_MOUNTS } from "./io/mount-points.ts";
import { type ProcessMoment, processMoment, untilOrphansEnded } from "./io/orphaned-namespaces.ts";
import { PrivateFolders } from "./io/private-folders.ts";
import { mountRecords } from "./mount-policy.ts";
import { accessAt, orderMounts } from "./policy.ts";
import { type OpenNetwork, ProgramNetworks } from "./program-networks.ts";
import { linkChanges } from "./protected-paths.ts";
import { type RuledPath, RuleGaps } from "./rule-gaps.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { type SharedNetwork, sharedNetwork } from "./shared-network.ts";
import { type StartWith, type StartWords, startWords } from "./start-words.ts";

/** How long to wait until the kernel has killed the leftover processes of a finished program. */
const END_WAIT_MS = 10_000;

type Preparation = ConfinementPlan & { readonly lease?: MountLease };

/** Prepares confined programs with one mechanism and holds their shared state. */
export class ConfinedRunner {
  readonly #deps: SandboxDeps;
  readonly #mechanism: Mechanism;
  readonly #folders: PrivateFolders;
  readonly #mounts: MountPoints;
  readonly #guarded: GuardedFolders;
  readonly #gaps: RuleGaps;
  readonly #planner: ConfinementPlanner;
  /** Paths that rules have closed to the most recent command. */
  #ruled: readonly RuledPath[] = [];
  readonly #shared: SharedNetwork | undefined;
  readonly #networks: ProgramNetworks;

  /** @throws {ToolFailedError} the sandbox's own files can't be created. */
  constructor(deps: SandboxDeps, mechanism: Mechanism) {
    this.#deps = deps;
    this.#mechanism = mechanism;
    const records = join(deps.stateFolder, "sandbox");
    this.#folders = new PrivateFolders(records);
    this.#mounts = new MountPoints(records, this.#folders.root);
    this.#planner = new ConfinementPlanner(deps, mechanism, this.#folders);
    this.#shared = sharedNetwork(deps, mechanism, this.#folders.network);
    this.#networks = new ProgramNetworks(deps, { mechanism, folders: this.#folders, shared: this.#shared });
    const { asker, onNotice } = deps;
    this.#gaps = new RuleGaps({ asker, onNotice });
    this.#guarded = new GuardedFolders(deps, this.#planner.closed);
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
    const secrets = this.#planner.secretsFor(start, guards);
    return { guards, secrets, ...(await this.#protect({ ...start, secrets: secrets.paths }, network, guards)) };
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
      explainTemporary(output, this.#planner.temporary) ??
      explainFailure(output, this.#networks.refusedHosts(ranMs), where, run)
    );
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
    this.#planner.close();
    await this.#shared?.close();
    await this.#networks.close();
    this.#mounts.close();
    this.#folders.remove();
  }

  /** Only bubblewrap mounts: it needs mount points and stable paths. sandbox-exec and Landlock match names. */
  async #protect(start: PlannedStart, network: OpenNetwork, guards: FolderGuards): Promise<Preparation> {
    if (this.#mechanism.kind !== "bubblewrap") return this.#planner.plan(start, network, { guards, scene: NO_MOUNTS });
    let plan: ConfinementPlan | undefined;
    const lease = await this.#mounts.acquire((scene) => {
      plan = this.#planner.plan(start, network, { guards, scene });
      return {
        points: plan.protection.missing,
        mounts: mountRecords(plan.policy.mounts),
        command: start.command ?? "",
      };
    });
    if (!plan) throw new Error("Mount points were given out without a plan.");
    return { ...plan, lease };
  }

  #start(start: ProgramStart, how: StartWith, files: string[]): StartWords {
    const { selfCommand } = this.#deps;
    return startWords(start, how, { mechanism: this.#mechanism, folders: this.#folders, selfCommand }, files);
  }
}
