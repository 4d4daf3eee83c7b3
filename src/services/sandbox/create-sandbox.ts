import { ToolFailedError } from "../../contracts/errors.ts";
import type { OutsideStart, Sandbox, SandboxState } from "../../contracts/ports.ts";
import type { ConfinedRunner } from "./confined-runner.ts";
import { type Detection, detectMechanism, type Mechanism } from "./detect.ts";
import { type Finding, sandboxFindings } from "./doctor.ts";
import { explainFailure } from "./explain-failure.ts";
import { explainTemporary } from "./explain-temporary.ts";
import { readSystemFacts } from "./io/system-facts.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { sessionTemporary } from "./session-folder.ts";
import { separateNetworks, sharingProblem } from "./shared-network.ts";

/** A sandbox with the extra queries of `quoll sandbox`. */
export type SandboxService = Sandbox & {
  findings(): Promise<readonly Finding[]>;
};

/**
 * Confines programs with the mechanism that this machine supports. No probe is made and no code is loaded before first
 * use.
 */
export function createSandbox(deps: SandboxDeps): SandboxService {
  const { settings } = deps;
  const facts = deps.facts ?? readSystemFacts();
  let detection: Promise<Detection> | undefined;
  const detect = () => {
    detection ??= detectMechanism({
      facts,
      path: deps.environment["PATH"] ?? "",
      roots: deps.roots,
      selfCommand: deps.selfCommand,
      ...(deps.systemPath !== undefined && { systemPath: deps.systemPath }),
    });
    return detection;
  };
  let workshop: ConfinedRunner | undefined;
  let isClosed = false;
  const opened = async (mechanism: Mechanism): Promise<ConfinedRunner> => {
    const { ConfinedRunner } = await import("./confined-runner.ts");
    if (isClosed) throw new ToolFailedError("The session ends: nothing is confined any more.");
    workshop ??= new ConfinedRunner(deps, mechanism);
    return workshop;
  };
  const state = async (): Promise<SandboxState> => stateOf(await detect(), deps);
  return {
    state: async () => (settings.enabled === false ? OFF : state()),
    async confine(start, signal) {
      signal.throwIfAborted();
      const { mechanism } = await detect();
      const now = settings.enabled === false ? OFF : await state();
      if (!mechanism || now.kind === undefined)
        throw new ToolFailedError(
          `This can't be confined: ${now.kind === undefined ? (now.reason ?? "the sandbox is switched off") : ""}.`,
        );
      const runner = await opened(mechanism);
      return runner.confine(start, signal);
    },
    beginOutside: async (work, signal) => (await workshop?.beginOutside(work, signal)) ?? NOTHING_CONFINED,
    portOpener: async () => workshop?.portOpener(),
    explainFailure: (output, ranMs = 0, run) =>
      workshop?.explainRules(output) ??
      explainTemporary(output, workshop?.temporary) ??
      explainFailure(output, workshop?.refusedHosts(ranMs), workshop?.failedIn(ranMs), run),
    findings: async () => {
      const detection = await detect();
      const now = settings.enabled === false ? OFF : await state();
      const isShared = now.kind === "bubblewrap" && detection.mechanism?.kind === "bubblewrap";
      const problem = isShared ? await sharingProblem(detection.mechanism) : undefined;
      return [
        ...sandboxFindings(detection, facts, settings, now),
        ...(problem === undefined ? [] : [{ level: "note", text: separateNetworks(problem) } as const]),
      ];
    },
    close: async () => {
      isClosed = true;
      await workshop?.close();
    },
  };
}

/** No confined program has run. */
const NOTHING_CONFINED: OutsideStart = { lines: [], end: () => undefined };
const OFF: SandboxState = { kind: undefined, reason: undefined };

function stateOf({ mechanism, causes }: Detection, deps: SandboxDeps): SandboxState {
  const { roots, settings } = deps;
  if (roots.includes("/"))
    return {
      kind: undefined,
      reason: "the workspace is the whole file system (/): start Quoll in a project folder to confine commands",
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
