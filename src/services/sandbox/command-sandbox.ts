import { lazy } from "@quoll/async/lazy";
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

/** The start of an unconfined program while no confined one has run. */
const NOTHING_CONFINED: UnconfinedStart = { lines: [], end: () => undefined };

/**
 * Confines the programs of one workspace with the mechanism that this machine supports. The machine is probed, and the
 * code is loaded, at the first use.
 */
export class CommandSandbox implements Sandbox {
  readonly #machine;
  #runner: ConfinedRunner | undefined;
  #isClosed = false;

  /** @param deps Called once, at the first use. */
  constructor(deps: () => SandboxDeps) {
    this.#machine = lazy(async () => {
      const { MachineSupport } = await import("./machine-support.ts");
      return new MachineSupport(deps());
    });
  }

  /** At the first call, the person is told about a weak or missing sandbox. */
  async state(): Promise<SandboxState> {
    return (await this.#machine()).state();
  }

  async confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart> {
    signal.throwIfAborted();
    const open = await (await this.#machine()).runner();
    if (this.#isClosed) throw new ToolFailedError("The session ends: nothing starts in the sandbox any more.");
    this.#runner ??= open();
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

  async findings(): Promise<readonly SandboxFinding[]> {
    return (await this.#machine()).findings();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#runner?.close();
  }
}
