import type { SandboxFinding, SandboxState } from "../../contracts/ports.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { Detection } from "./detect.ts";
import { installCommand } from "./find-cause.ts";
import type { SystemFacts } from "./io/system-facts.ts";

/** All findings about confining commands on this machine, the verdict first. Pure. */
export function sandboxFindings(
  detection: Detection,
  facts: SystemFacts,
  settings: SandboxSettings,
  state: SandboxState,
): readonly SandboxFinding[] {
  return [
    ...verdict(detection, settings, state),
    ...detection.causes.map(
      ({ what, fix }): SandboxFinding => ({
        level: detection.mechanism ? "note" : "problem",
        text: capitalize(what),
        fix,
      }),
    ),
    ...weaknesses(detection, facts),
    ...settingNotes(detection, settings),
  ];
}

function verdict({ mechanism }: Detection, settings: SandboxSettings, state: SandboxState): readonly SandboxFinding[] {
  if (settings.enabled === false)
    return [{ level: "note", text: "The sandbox is switched off by sandbox.enabled.", fix: 'set it to "auto"' }];
  if (state.kind !== undefined)
    return [
      {
        level: "ok",
        text: `Commands run in ${state.strength === "weak" ? "a weak sandbox" : "a sandbox"} (${state.kind}).`,
      },
    ];
  const text = mechanism ? (state.reason ?? "") : "Commands can't run in a sandbox on this machine.";
  return [{ level: "problem", text }];
}

function weaknesses({ mechanism }: Detection, facts: SystemFacts): readonly SandboxFinding[] {
  if (mechanism?.kind === "landlock")
    return [
      {
        level: "note",
        text: "Landlock is weaker: nothing new at the top of the workspace, no change in .git, no sockets at all; commands see the names, sizes and modes of hidden files, and can change the modes of files outside.",
        fix: installCommand(facts),
      },
    ];
  if (mechanism?.kind !== "bubblewrap") return [];
  const { hasUserNamespace, forbidsNesting, hasOwnProc } = mechanism.variant;
  const notes: SandboxFinding[] = [];
  if (!hasUserNamespace) notes.push({ level: "note", text: "Root runs bubblewrap without a user namespace." });
  else if (!forbidsNesting)
    notes.push({
      level: "note",
      text: "Programs in the sandbox can create user namespaces.",
      fix: "update bubblewrap to 0.8 or later, which forbids that",
    });
  if (!hasOwnProc)
    notes.push({
      level: "note",
      text: "Programs in the sandbox see the command lines of outside programs (no separate /proc).",
    });
  return notes;
}

function settingNotes({ mechanism }: Detection, { network = {} }: SandboxSettings): readonly SandboxFinding[] {
  const notes: SandboxFinding[] = [];
  const hasDomains = (network.allowedDomains ?? []).length > 0;
  const note = (text: string) => notes.push({ level: "note", text });
  if (mechanism?.kind === "landlock" && hasDomains)
    note("network.allowedDomains has no effect under Landlock, which allows no network.");
  if (mechanism?.kind === "landlock" && (network.allowUnixSockets ?? []).length > 0)
    note("network.allowUnixSockets has no effect under Landlock, which allows no sockets.");
  if (mechanism?.kind === "bubblewrap" && network.allowLocalBinding === false)
    note(
      "network.allowLocalBinding: false has no effect under bubblewrap: the sandbox has its own loopback, which nothing outside can reach.",
    );
  return notes;
}

/** The output of `quoll sandbox doctor`. */
export function renderFindings(findings: readonly SandboxFinding[]): string {
  const sign = { ok: "✓", note: "·", problem: "✗" } as const;
  return findings
    .flatMap(({ level, text, fix }) => [
      `${sign[level]} ${text}`,
      ...(fix === undefined ? [] : [`  to fix it: ${fix}`]),
    ])
    .join("\n");
}

/** The output of `quoll sandbox status`: one line. */
export function renderStatus(state: SandboxState): string {
  if (state.kind === undefined)
    return state.reason === undefined ? "off (sandbox.enabled is false)" : `off: ${state.reason}`;
  const network = state.hasNetwork ? "network: allowed domains only" : "no network";
  const weak = state.strength === "weak" ? ", weak: new top-level names and .git are not writable" : "";
  return `on: ${state.kind}${weak}; ${network}`;
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
