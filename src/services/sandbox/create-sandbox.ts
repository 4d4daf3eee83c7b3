import { ToolFailedError } from "../../contracts/errors.ts";
import type { OutsideStart, Sandbox, SandboxState } from "../../contracts/ports.ts";
import { readSystemFacts } from "../../platform/sandbox/system-facts.ts";
import { type Detection, detectMechanism } from "./detect.ts";
import { type Finding, sandboxFindings } from "./doctor.ts";
import { explainFailure } from "./explain-failure.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { separateNetworks, sharingProblem } from "./shared-network.ts";
import { Workshop } from "./workshop.ts";

/** A sandbox, and what only `quoll sandbox` asks of it. */
export type SandboxService = Sandbox & {
  findings(): Promise<readonly Finding[]>;
  /** Does ahead of the first command what all commands share: probes the machine and makes their network. Never told. */
  prepare(): Promise<void>;
};

/** Confines programs by whatever this machine has. Nothing is probed, made or loaded before the first question. */
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
  let workshop: Workshop | undefined;
  let isClosed = false;
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
      workshop ??= new Workshop(deps, mechanism);
      return workshop.confine(start, signal);
    },
    async prepare() {
      const { mechanism } = await detect();
      const isUsed = settings.enabled !== false && (await state()).kind !== undefined;
      if (!mechanism || !isUsed || isClosed) return;
      workshop ??= new Workshop(deps, mechanism);
      await workshop.prepare();
    },
    beginOutside: async (work, signal) => (await workshop?.beginOutside(work, signal)) ?? NOTHING_CONFINED,
    portOpener: async () => workshop?.portOpener(),
    explainFailure: (output, ranMs = 0) =>
      workshop?.explainRules(output) ?? explainFailure(output, workshop?.refusedHosts(ranMs)),
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

function stateOf({ mechanism, causes }: Detection, { roots, settings }: SandboxDeps): SandboxState {
  if (roots.includes("/"))
    return {
      kind: undefined,
      reason: "the workspace is the whole file system (/): start Quoll in a project's folder to have commands confined",
    };
  if (!mechanism) {
    const [best] = causes;
    return { kind: undefined, reason: best ? `${best.what}; to mend it: ${best.mend}` : "nothing here can confine" };
  }
  const hasDomains = (settings.network?.allowedDomains ?? []).length > 0;
  return mechanism.kind === "landlock"
    ? { kind: "landlock", strength: "weak", hasNetwork: false, ...(causes[0] && { whyWeak: causes[0].what }) }
    : { kind: mechanism.kind, strength: "full", hasNetwork: hasDomains };
}
