import type { SandboxFinding, SandboxState } from "../../contracts/ports.ts";
import { type Detection, detectMechanism, type Mechanism } from "./detect.ts";
import { sandboxFindings } from "./doctor.ts";
import { readSystemFacts } from "./io/system-facts.ts";
import { sessionTemporary } from "./mount-policy.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { separateNetworks, sharingProblem } from "./shared-network.ts";

/** The sandbox that this machine allows. */
export type MachineSupport = {
  readonly mechanism: Mechanism | undefined;
  /** The state if the sandbox is not switched off. */
  state(): SandboxState;
  /** The results of `quoll sandbox doctor`; tests the network that commands share with a real run. */
  findings(now: SandboxState): Promise<readonly SandboxFinding[]>;
};

/** Tests with real runs which mechanism works here. Never throws. */
export async function probeMachine(deps: SandboxDeps): Promise<MachineSupport> {
  const { settings, roots, selfCommand, systemPath, facts = readSystemFacts() } = deps;
  const detection = await detectMechanism({
    ...{ facts, path: deps.environment["PATH"] ?? "", roots, selfCommand },
    ...(systemPath !== undefined && { systemPath }),
  });
  const { mechanism } = detection;
  const findings = async (now: SandboxState): Promise<readonly SandboxFinding[]> => {
    const isShared = now.kind === "bubblewrap" && mechanism?.kind === "bubblewrap";
    const problem = isShared ? await sharingProblem(mechanism) : undefined;
    const notes = problem === undefined ? [] : [{ level: "note", text: separateNetworks(problem) } as const];
    return [...sandboxFindings(detection, facts, settings, now), ...notes];
  };
  return { mechanism, state: () => stateOf(detection, deps), findings };
}

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
