import { once } from "@quoll/async/once";
import { ToolFailedError } from "../../contracts/errors.ts";
import type {
  ConfinedStart,
  FailedRun,
  PortOpener,
  ProgramStart,
  Sandbox,
  SandboxFinding,
  SandboxState,
  UnconfinedStart,
  UnconfinedWork,
} from "../../contracts/ports.ts";
import type { ConfinedRunner } from "./confined-runner.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

const OFF: SandboxState = { kind: undefined, reason: undefined };
/** The start of an unconfined program while no confined one has run. */
const NOTHING_CONFINED: UnconfinedStart = { lines: [], end: () => undefined };

/**
 * Confines the programs of one workspace with the mechanism that this machine supports. The machine is probed, and the
 * code is loaded, at the first use.
 */
export class CommandSandbox implements Sandbox {
  readonly #deps: () => SandboxDeps;
  readonly #support = once(async () => {
    const { probeMachine } = await import("./machine-support.ts");
    return probeMachine(this.#deps());
  });
  #runner: ConfinedRunner | undefined;
  #isClosed = false;
  #hasNotified = false;

  /** @param deps Called once, at the first use. */
  constructor(deps: () => SandboxDeps) {
    let known: SandboxDeps | undefined;
    this.#deps = () => (known ??= deps());
  }

  /** At the first call, the person is told about a weak or missing sandbox. */
  async state(): Promise<SandboxState> {
    const state = await this.#stateNow();
    const warning = this.#hasNotified ? undefined : startupWarning(state);
    this.#hasNotified = true;
    if (warning !== undefined) this.#deps().onNotice?.(warning);
    return state;
  }

  async confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart> {
    signal.throwIfAborted();
    const now = await this.#stateNow();
    if (now.kind === undefined)
      throw new ToolFailedError(`This can't be confined: ${now.reason ?? "the sandbox is switched off"}.`);
    const { mechanism } = await this.#support();
    const { ConfinedRunner } = await import("./confined-runner.ts");
    if (this.#isClosed) throw new ToolFailedError("The session ends: nothing is confined any more.");
    if (!mechanism) throw new Error("A sandbox needs a mechanism.");
    this.#runner ??= new ConfinedRunner(this.#deps(), mechanism);
    return this.#runner.confine(start, signal);
  }

  async beginUnconfined(work: UnconfinedWork, signal: AbortSignal): Promise<UnconfinedStart> {
    return (await this.#runner?.beginUnconfined(work, signal)) ?? NOTHING_CONFINED;
  }

  async portOpener(): Promise<PortOpener | undefined> {
    return this.#runner?.portOpener();
  }

  explainFailure(output: string, ranMs?: number, run?: FailedRun): string | undefined {
    return this.#runner?.explainFailure(output, ranMs, run);
  }

  /** The results of `quoll sandbox doctor`. */
  async findings(): Promise<readonly SandboxFinding[]> {
    return (await this.#support()).findings(await this.#stateNow());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#runner?.close();
  }

  /** Without a probe if the sandbox is switched off. */
  async #stateNow(): Promise<SandboxState> {
    return this.#deps().settings.enabled === false ? OFF : (await this.#support()).state();
  }
}

/** The warning about a weak or missing sandbox; undefined if the sandbox is complete or switched off. */
function startupWarning(state: SandboxState): string | undefined {
  if (state.kind === undefined)
    return state.reason && `Commands are not confined: ${state.reason} (quoll sandbox doctor says more)`;
  if (state.strength === "full") return undefined;
  return `Commands are confined by ${state.kind} only, which is weaker (quoll sandbox doctor says why)`;
}
