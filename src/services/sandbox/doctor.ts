import type { SandboxState } from "../../contracts/ports.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { SystemFacts } from "../../platform/sandbox/system-facts.ts";
import type { Detection } from "./detect.ts";
import { installCommand } from "./find-cause.ts";

/** One thing that was looked at. */
export type Finding = {
  readonly level: "ok" | "note" | "problem";
  /** One line. */
  readonly text: string;
  /** What to do: a command, or a few words. */
  readonly mend?: string;
};

/** Everything that bears on confining commands here, the verdict first. Pure. */
export function sandboxFindings(
  detection: Detection,
  facts: SystemFacts,
  settings: SandboxSettings,
  state: SandboxState,
): readonly Finding[] {
  return [
    ...verdict(detection, settings, state),
    ...detection.causes.map(
      ({ what, mend }): Finding => ({
        level: detection.mechanism ? "note" : "problem",
        text: capitalize(what),
        mend,
      }),
    ),
    ...weaknesses(detection, facts),
    ...settingNotes(detection, settings),
  ];
}

function verdict({ mechanism }: Detection, settings: SandboxSettings, state: SandboxState): readonly Finding[] {
  if (settings.enabled === false)
    return [{ level: "note", text: "The sandbox is switched off by sandbox.enabled.", mend: 'set it to "auto"' }];
  if (state.kind !== undefined)
    return [
      { level: "ok", text: `Commands are confined by ${state.kind}${state.strength === "weak" ? " (weak)" : ""}.` },
    ];
  const text = mechanism ? (state.reason ?? "") : "Commands can't be confined on this machine.";
  return [{ level: "problem", text }];
}

function weaknesses({ mechanism }: Detection, facts: SystemFacts): readonly Finding[] {
  if (mechanism?.kind === "landlock")
    return [
      {
        level: "note",
        text: "Landlock is weaker: nothing new at the top of the workspace, no change in .git, no sockets at all; names, sizes and modes of hidden files are seen, and modes of others' files can be changed.",
        mend: installCommand(facts),
      },
    ];
  if (mechanism?.kind !== "bubblewrap") return [];
  const { hasUserNamespace, forbidsNesting, hasOwnProc } = mechanism.variant;
  const notes: Finding[] = [];
  if (!hasUserNamespace) notes.push({ level: "note", text: "Root runs bubblewrap without a user namespace." });
  else if (!forbidsNesting)
    notes.push({ level: "note", text: "Programs inside can make user namespaces.", mend: "bubblewrap 0.8 forbids it" });
  if (!hasOwnProc)
    notes.push({
      level: "note",
      text: "Programs inside see the command lines of those outside (no /proc of their own).",
    });
  return notes;
}

function settingNotes({ mechanism }: Detection, { network = {} }: SandboxSettings): readonly Finding[] {
  const notes: Finding[] = [];
  const hasDomains = (network.allowedDomains ?? []).length > 0;
  const note = (text: string) => notes.push({ level: "note", text });
  if (mechanism?.kind === "landlock" && hasDomains)
    note("network.allowedDomains has no effect under Landlock: there is no network.");
  if (mechanism?.kind === "landlock" && (network.allowUnixSockets ?? []).length > 0)
    note("network.allowUnixSockets has no effect under Landlock: there are no sockets.");
  if (mechanism?.kind === "bubblewrap" && network.allowLocalBinding === false)
    note(
      "network.allowLocalBinding: false has no effect under bubblewrap: loopback inside is the sandbox's own, nobody else reaches it.",
    );
  return notes;
}

/** What `quoll sandbox doctor` prints. */
export function renderFindings(findings: readonly Finding[]): string {
  const sign = { ok: "✓", note: "·", problem: "✗" } as const;
  return findings
    .flatMap(({ level, text, mend }) => [
      `${sign[level]} ${text}`,
      ...(mend === undefined ? [] : [`  to mend it: ${mend}`]),
    ])
    .join("\n");
}

/** What `quoll sandbox status` prints: one line. */
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
