import { PERMISSION_MODES, type PermissionMode } from "../../src/contracts/permission-mode.ts";
import type { SandboxKind, SandboxState } from "../../src/contracts/ports.ts";
import type { Answerer } from "../../src/contracts/session-config.ts";
import type { SettingSource } from "../../src/contracts/setting-sources.ts";
import type { ConsentSources, SandboxScope } from "../../src/contracts/settings.ts";
import { ConfinedConsent, type ConsentDeps } from "../../src/services/permission/confined-consent.ts";
import { effectiveConsent } from "../../src/services/permission/effective-consent.ts";
import { evaluate } from "../../src/services/permission/judge/evaluate.ts";
import type { CallFacts, Situation } from "../../src/services/permission/judge/judgement.ts";
import { page, table } from "./markdown.ts";

const ROOT = "/project";
const FILE = "settings.json";
const CLOSED = { read: [], write: [], hosts: [], rules: [] };
const SCOPE = {
  writable: [ROOT],
  opened: [],
  hosts: [],
  sockets: [],
  strength: "weak",
  closed: CLOSED,
} satisfies SandboxScope;

/** The answerers of a session's questions. `isStream`: the exit code is 0 if each turn got its result. */
export const CONSENT_FACES = {
  REPL: { answerer: "person", isStream: false },
  "`-p`, text": { answerer: "nobody", isStream: false },
  "`-p`, json": { answerer: "nobody", isStream: false },
  "`-p` with a prompt tool": { answerer: "program", isStream: false },
  "stream-json with a callback": { answerer: "program", isStream: true },
  "stream-json without one": { answerer: "nobody", isStream: true },
} as const satisfies Record<string, { readonly answerer: Answerer; readonly isStream: boolean }>;
export type ConsentFace = keyof typeof CONSENT_FACES;

export const CONSENT_SANDBOXES: Readonly<Record<SandboxKind | "none", SandboxState>> = {
  bubblewrap: { kind: "bubblewrap", strength: "full", hasNetwork: false },
  "sandbox-exec": { kind: "sandbox-exec", strength: "full", hasNetwork: false },
  landlock: { kind: "landlock", strength: "weak", hasNetwork: false },
  none: { kind: undefined, reason: "bubblewrap (bwrap) is not installed" },
};
export type ConsentSandbox = keyof typeof CONSENT_SANDBOXES;

type Given = {
  readonly sources: ConsentSources;
  /** `--setting-sources`. */
  readonly named?: readonly SettingSource[];
  /** The answer to an earlier question of the session; only a person can give it. */
  readonly inSession?: true;
};

const own: ConsentSources = { agreedBy: [{ layer: "user", file: FILE }] };
/** The places where an agreement can be. */
export const CONSENTS = {
  nobody: { sources: { agreedBy: [] } },
  "in this session": { sources: { agreedBy: [] }, inSession: true },
  "kept answer": { sources: { agreedBy: [], kept: { scope: SCOPE, file: FILE } } },
  "own settings": { sources: own },
  "own settings, source named": { sources: own, named: ["user"] },
  "`--settings` or flag": { sources: { agreedBy: [{ layer: "settings-flag", file: "--settings" }] } },
  "managed file": { sources: { agreedBy: [{ layer: "managed", file: FILE }] } },
  "yes here, `false` elsewhere": { sources: { ...own, refusedBy: FILE }, named: ["user"] },
} as const satisfies Record<string, Given>;
export type ConsentGiven = keyof typeof CONSENTS;

export const OUTCOMES = {
  runs: "the command runs without a question",
  asked: "Quoll asks the person",
  callback: "Quoll asks the program",
  judge: "the judge of mode auto decides",
  refused: "Quoll refuses the command; the exit code stays 0",
  "exit 4": "Quoll refuses the command because nobody can answer; one line names the option to add",
  unanswered: "like exit 4, but with exit code 0; the result lists the refusal",
} as const;
export type Outcome = keyof typeof OUTCOMES;

export type ConsentCell = {
  readonly mode: PermissionMode;
  readonly face: ConsentFace;
  readonly sandbox: ConsentSandbox;
  readonly consent: ConsentGiven;
};

/** A command that no rule and no table names and that works in the sandbox: `make`. */
export const CONSENT_CALL: CallFacts = {
  toolName: "Bash",
  level: "execute",
  subjects: [{ action: "execute", command: "make", assignments: [], understood: true, readOnly: false, hazards: [] }],
};

/** The engine's consent dependencies in a cell. */
export function consentIn({ face, consent }: Pick<ConsentCell, "face" | "consent">): ConsentDeps {
  const given: Given = CONSENTS[consent];
  const { answerer } = CONSENT_FACES[face];
  return {
    sources: effectiveConsent(given.sources, answerer, given.named),
    limits: SCOPE,
    home: "/home/ann",
    answerer,
    isManagedOnly: false,
    keep: async () => undefined,
  };
}

/** All cells. Answers in the session exist only where a person answers. */
export function consentCells(): readonly ConsentCell[] {
  const faces = Object.keys(CONSENT_FACES) as readonly ConsentFace[];
  const sandboxes = Object.keys(CONSENT_SANDBOXES) as readonly ConsentSandbox[];
  const consents = Object.keys(CONSENTS) as readonly ConsentGiven[];
  return PERMISSION_MODES.flatMap((mode) =>
    faces.flatMap((face) =>
      sandboxes.flatMap((sandbox) =>
        consents
          .filter((consent) => !("inSession" in CONSENTS[consent]) || CONSENT_FACES[face].answerer === "person")
          .map((consent) => ({ mode, face, sandbox, consent })),
      ),
    ),
  );
}

/** The outcome for the command in a cell, as the code decides it. */
export function consentOutcome(cell: ConsentCell): Outcome {
  const { mode, face, sandbox, consent } = cell;
  const state = CONSENT_SANDBOXES[sandbox];
  const isAgreed = "inSession" in CONSENTS[consent] || new ConfinedConsent(consentIn(cell), () => []).holds(state);
  const policy = { excluded: [], allowUnsandboxed: true, required: false, inBypass: false };
  const situation: Situation = {
    mode,
    rules: [],
    folders: {
      home: "/home/ann",
      workspace: { roots: [ROOT], isBroad: false, projectRoot: ROOT },
      freeReadRoots: [],
      ownFolders: [],
    },
    confining: { ...policy, state, isAgreed },
  };
  const { decision, isForJudge } = evaluate(CONSENT_CALL, situation);
  if (decision !== "ask") return decision === "allow" ? "runs" : "refused";
  if (isForJudge) return "judge";
  return unasked(CONSENT_FACES[face]);
}

function unasked({ answerer, isStream }: (typeof CONSENT_FACES)[ConsentFace]): Outcome {
  if (answerer === "nobody") return isStream ? "unanswered" : "exit 4";
  return answerer === "person" ? "asked" : "callback";
}

/** docs/guide/reference/consent.md. */
export function consentPage(): string {
  return page(
    "Confined commands",
    "The outcome for a command that stays in the [sandbox](../sandbox.md) and that no rule allows, such as `make`. It depends on the mode, on who answers questions, and on where somebody" +
      " [agreed](../permissions.md#confined-commands) to run such commands without asking. Read-only commands run in every cell.",
    Object.entries(OUTCOMES)
      .map(([outcome, words]) => `- **${outcome}**: ${words}`)
      .join("\n"),
    ...groups().flat(),
    'A program that answers permission requests "names a source" with `--setting-sources`. Only a person can give an answer in the session.',
  );
}

/** Sandboxes with the same outcomes share a table. */
function groups(): readonly (readonly [string, string])[] {
  const sandboxes = Object.keys(CONSENT_SANDBOXES) as readonly ConsentSandbox[];
  const byTable = Map.groupBy(sandboxes, tableFor);
  return [...byTable].map(([rows, names]) => [
    names.includes("none") ? "## Without a sandbox" : `## With ${names.join(", ")}`,
    rows,
  ]);
}

function tableFor(sandbox: ConsentSandbox): string {
  const faces = Object.keys(CONSENT_FACES) as readonly ConsentFace[];
  const consents = Object.keys(CONSENTS) as readonly ConsentGiven[];
  const cells = new Map(
    consentCells()
      .filter((cell) => cell.sandbox === sandbox)
      .map((cell) => [keyOf(cell), consentOutcome(cell)]),
  );
  const rows = PERMISSION_MODES.flatMap((mode) =>
    faces.map((face) => [
      `\`${mode}\``,
      face,
      ...consents.map((consent) => cells.get(keyOf({ mode, face, consent })) ?? "–"),
    ]),
  );
  return table(["mode", "face", ...consents], rows);
}

function keyOf({ mode, face, consent }: Omit<ConsentCell, "sandbox">): string {
  return JSON.stringify([mode, face, consent]);
}
