import { lazy } from "@quoll/async/lazy";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { SandboxFinding, SandboxState } from "../../contracts/ports.ts";
import type { ConfinedRunner } from "./confined-runner.ts";
import { type Detection, detectMechanism } from "./detect.ts";
import { sandboxFindings } from "./doctor.ts";
import { readSystemFacts } from "./io/system-facts.ts";
import { sessionTemporary } from "./mount-policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { separateNetworks, sharingProblem } from "./shared-network.ts";

const OFF: SandboxState = { kind: undefined, reason: undefined };

/** The sandbox that this machine and the settings allow. The mechanisms are tested with real runs, once. */
export class MachineSupport {
  readonly #deps: SandboxDeps;
  readonly #facts;
  readonly #detected;
  #hasNotified = false;

  constructor(deps: SandboxDeps) {
    const { roots, selfCommand, systemPath, environment, facts = readSystemFacts() } = deps;
    const path = environment["PATH"] ?? "";
    this.#deps = deps;
    this.#facts = facts;
    this.#detected = lazy(() =>
      detectMechanism({ facts, path, roots, selfCommand, ...(systemPath !== undefined && { systemPath }) }),
    );
  }

  /** Notifies the person of a weak or missing sandbox, once. */
  async state(): Promise<SandboxState> {
    const state = await this.#stateNow();
    const warning = this.#hasNotified ? undefined : startupWarning(state);
    this.#hasNotified = true;
    if (warning !== undefined) this.#deps.onNotice?.(warning);
    return state;
  }

  /** Opens the runner of confined programs. @throws {ToolFailedError} nothing can be confined. */
  async runner(): Promise<() => ConfinedRunner> {
    const { mechanism } = await this.#detected();
    const now = await this.#stateNow();
    if (!mechanism || now.kind === undefined)
      throw new ToolFailedError(
        `This can't run in the sandbox: ${now.kind === undefined ? (now.reason ?? "the sandbox is switched off") : ""}.`,
      );
    const { ConfinedRunner } = await import("./confined-runner.ts");
    return () => new ConfinedRunner(this.#deps, mechanism);
  }

  /** The results of `quoll sandbox doctor`; tests the network that commands share with a real run. */
  async findings(): Promise<readonly SandboxFinding[]> {
    const detection = await this.#detected();
    const now = await this.#stateNow();
    const isShared = now.kind === "bubblewrap" && detection.mechanism?.kind === "bubblewrap";
    const problem = isShared ? await sharingProblem(detection.mechanism) : undefined;
    const notes = problem === undefined ? [] : [{ level: "note", text: separateNetworks(problem) } as const];
    return [...sandboxFindings(detection, this.#facts, this.#deps.settings, now), ...notes];
  }

  /** Without a test if the sandbox is switched off. */
  async #stateNow(): Promise<SandboxState> {
    return this.#deps.settings.enabled === false ? OFF : stateOf(await this.#detected(), this.#deps);
  }
}

/** The warning about a weak or missing sandbox; undefined if the sandbox is complete or switched off. */
function startupWarning(state: SandboxState): string | undefined {
  if (state.kind === undefined)
    return state.reason && `Commands run without a sandbox: ${state.reason} (quoll sandbox doctor says more)`;
  if (state.strength === "full") return undefined;
  return `The sandbox is weaker here: ${state.kind} only (quoll sandbox doctor says why)`;
}

function stateOf({ mechanism, causes }: Detection, deps: SandboxDeps): SandboxState {
  const { roots, settings } = deps;
  if (roots.includes("/"))
    return {
      kind: undefined,
      reason:
        "the workspace is the whole file system (/): start Quoll in a project folder to run commands in a sandbox",
    };
  if (!mechanism) {
    const [best] = causes;
    return {
      kind: undefined,
      reason: best ? `${best.what}; to fix it: ${best.fix}` : "this machine supports no sandbox",
    };
  }
  const hasDomains = (settings.network?.allowedDomains ?? []).length > 0;
  const temporary = sessionTemporary(mechanism.kind, deps);
  const own = temporary && { temporary };
  return mechanism.kind === "landlock"
    ? { kind: "landlock", strength: "weak", hasNetwork: false, ...(causes[0] && { whyWeak: causes[0].what }), ...own }
    : { kind: mechanism.kind, strength: "full", hasNetwork: hasDomains, ...own };
}
