import { isInside } from "../../platform/paths.ts";
import { findProgram } from "../../platform/processes/find-program.ts";
import { type BubblewrapVariant, namespaceArguments } from "./bubblewrap-arguments.ts";
import { bubblewrapCause, type Cause, landlockCause, missingBubblewrap } from "./find-cause.ts";
import { type ProbeResult, runProbe } from "./io/helper-program.ts";
import { LANDLOCK_COMMAND, LANDLOCK_PROBE } from "./io/landlock/landlock-plan.ts";
import type { SystemFacts } from "./io/system-facts.ts";

const PROBE_TIMEOUT_MS = 5_000;
const SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin";
const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

export type BubblewrapMechanism = {
  readonly kind: "bubblewrap";
  readonly file: string;
  readonly variant: BubblewrapVariant;
  /** Path of nsenter (util-linux), which joins namespaces. */
  readonly nsenter?: string;
};

/** A sandbox mechanism that passed its test on this machine. */
export type Mechanism =
  | BubblewrapMechanism
  | { readonly kind: "sandbox-exec"; readonly file: string }
  | { readonly kind: "landlock" };

export type Detection = {
  readonly mechanism: Mechanism | undefined;
  /** Why stronger mechanisms don't work, strongest first. */
  readonly causes: readonly Cause[];
};

export type DetectDeps = {
  readonly facts: SystemFacts;
  /** The user's search path. */
  readonly path: string;
  /** Folders from which no trusted program may be started. */
  readonly roots: readonly string[];
  readonly selfCommand: readonly string[];
  /** Search path of the system's own programs. */
  readonly systemPath?: string;
  /** Runs a program; replaceable in tests. */
  readonly probe?: (command: readonly [string, ...string[]]) => Promise<ProbeResult>;
};

/** Tests the available mechanisms with a real run each, strongest first. Never throws. */
export async function detectMechanism(deps: DetectDeps): Promise<Detection> {
  const { facts, probe = (command) => runProbe(command, { timeoutMs: PROBE_TIMEOUT_MS }) } = deps;
  if (facts.os === "darwin") return detectSandboxExec(probe);
  if (facts.os !== "linux")
    return {
      mechanism: undefined,
      causes: [{ what: `there is no sandbox for ${facts.os}`, fix: "use Linux, macOS, or WSL 2 on Windows" }],
    };
  const causes: Cause[] = [];
  const file = systemProgram("bwrap", deps);
  if (file === undefined) causes.push(missingBubblewrap(facts));
  else {
    const found = await tryBubblewrap(file, facts, probe);
    if ("variant" in found) {
      const nsenter = systemProgram("nsenter", deps);
      const mechanism = { kind: "bubblewrap", file, variant: found.variant, ...(nsenter && { nsenter }) } as const;
      return { mechanism, causes };
    }
    causes.push(bubblewrapCause(facts, found.complaint));
  }
  const complaint = await tryLandlock(deps, probe);
  if (complaint === undefined) return { mechanism: { kind: "landlock" }, causes };
  return { mechanism: undefined, causes: [...causes, landlockCause(complaint, facts)] };
}

type Probe = (command: readonly [string, ...string[]]) => Promise<ProbeResult>;

async function detectSandboxExec(probe: Probe): Promise<Detection> {
  const { exitCode, complaint } = await probe([SANDBOX_EXEC, "-p", "(version 1)(allow default)", "/usr/bin/true"]);
  if (exitCode === 0) return { mechanism: { kind: "sandbox-exec", file: SANDBOX_EXEC }, causes: [] };
  const what = `sandbox-exec does not work here (${complaint || "it printed nothing"})`;
  return { mechanism: undefined, causes: [{ what, fix: "don't run Quoll inside another sandbox" }] };
}

/** Variants for older or nested systems that lack some features; each variant is secure enough. */
function variants({ isRoot }: SystemFacts): readonly BubblewrapVariant[] {
  return [true, false].flatMap((hasOwnProc) => [
    { hasUserNamespace: true, forbidsNesting: true, hasOwnProc, isRoot },
    { hasUserNamespace: true, forbidsNesting: false, hasOwnProc, isRoot },
    ...(isRoot ? [{ hasUserNamespace: false, forbidsNesting: false, hasOwnProc, isRoot }] : []),
  ]);
}

async function tryBubblewrap(
  file: string,
  facts: SystemFacts,
  probe: Probe,
): Promise<{ readonly variant: BubblewrapVariant } | { readonly complaint: string }> {
  let first: string | undefined;
  for (const variant of variants(facts)) {
    const { exitCode, complaint } = await probe([file, ...namespaceArguments(variant), "--", "true"]);
    if (exitCode === 0) return { variant };
    first ??= complaint;
  }
  return { complaint: first ?? "" };
}

/** @returns the fault; undefined when the mechanism works. */
async function tryLandlock({ facts, selfCommand }: DetectDeps, probe: Probe): Promise<string | undefined> {
  const [self, ...words] = selfCommand;
  if (!facts.hasNativeCalls || self === undefined) return "only Bun can call the kernel directly";
  const { exitCode, complaint } = await probe([self, ...words, LANDLOCK_COMMAND, LANDLOCK_PROBE]);
  return exitCode === 0 ? undefined : complaint || `exit code ${exitCode}`;
}

/** A program outside every writable folder, so that no command can have planted it. */
function systemProgram(name: string, { systemPath = SYSTEM_PATH, path, roots }: DetectDeps): string | undefined {
  for (const folders of [systemPath, path])
    for (const folder of folders.split(":")) {
      const found = findProgram(name, folder);
      if (found !== undefined && !roots.some((root) => isInside(root, found))) return found;
    }
  return undefined;
}
