import type { Decision, PermissionMode, PermissionRequest } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import type { Subject, UncoveredWord } from "../../contracts/subject.ts";
import type { Level } from "../../contracts/tool.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { Rule } from "./rule.ts";

export type CallFacts = {
  readonly toolName: string;
  readonly level: Level;
  readonly subjects: readonly Subject[];
  /** True when the model asks to run it outside of the sandbox. */
  readonly wantsOutside?: boolean;
};

export function factsOf({ toolName, call }: PermissionRequest): CallFacts {
  const { level, subjects, wantsOutside } = call;
  return { toolName, level, subjects, ...(wantsOutside && { wantsOutside }) };
}

/** What is set about confining commands. */
export type SandboxPolicy = {
  /** Commands that run outside, under the usual rules: patterns as in `Bash(…)`. */
  readonly excludedCommands: readonly string[];
  /** Whether a command may be asked for again outside of the sandbox. */
  readonly allowUnsandboxed: boolean;
  /** Where nothing can confine, no command runs. */
  readonly required: boolean;
  /** Whether commands are confined in mode bypassPermissions, too. */
  readonly inBypass: boolean;
};

/** The confinement of commands: what the machine can do, and what is wanted. */
export type Confining = Omit<SandboxPolicy, "excludedCommands"> & {
  readonly state: SandboxState;
  readonly excluded: readonly CommandPattern[];
  /** A person agreed that a command which stays in the sandbox, and only lacks a rule, runs without a question. */
  readonly isAgreed: boolean;
};

/** What the destructive guard found out about a call; `off` where there is none, `unneeded` when nothing of worth would be lost. */
export type WayBackFound =
  | { readonly kind: "off" | "unneeded" | "possible" }
  | { readonly kind: "impossible"; readonly why: string };

/** What is true of the session, whatever the call. All folders absolute, symlinks resolved. */
export type Situation = {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly roots: readonly string[];
  /** True when the workspace is so wide that being inside of it says nothing. */
  readonly isBroad: boolean;
  /** Folders in which reads are free: what we put aside for the model. */
  readonly freeReadRoots: readonly string[];
  /** Folders of ours that no rule lets anyone write to. */
  readonly ownFolders: readonly string[];
  /** True when the workspace's disk takes `A` and `a` for one name. */
  readonly isCaseInsensitive?: boolean;
  /** Of commands; undefined where they always run as we do. */
  readonly confining?: Confining | undefined;
  /** Of this very call; undefined where it destroys nothing. */
  readonly wayBack?: WayBackFound | undefined;
};

/** What decided about one subject. */
export type Cause =
  | { readonly kind: "rule"; readonly rule: Rule }
  /** `instead`: why it would have been asked. */
  | { readonly kind: "mode"; readonly mode: PermissionMode; readonly instead?: Cause }
  /** Nobody has to allow this; `why` completes "allowed: …". */
  | { readonly kind: "free"; readonly why: string }
  /** A file that a search would find, hidden from it in the sandbox for this run. */
  | { readonly kind: "masked" }
  /** It stays in the sandbox, and a person agreed that such commands need no question. */
  | { readonly kind: "sandbox" }
  | { readonly kind: "protected"; readonly what: string }
  | { readonly kind: "secret" }
  | { readonly kind: "unclear" }
  | { readonly kind: "outside" }
  | { readonly kind: "broad" }
  | { readonly kind: "uncovered" }
  /** A rule with a star would cover the command, but for these words. */
  | { readonly kind: "option"; readonly rule: Rule; readonly words: readonly UncoveredWord[] }
  /** It would reach a network that the sandbox has not. */
  | { readonly kind: "network" }
  /** It asks to run outside of the sandbox; `forbidden` when settings say that nothing does. */
  | { readonly kind: "leaves-sandbox"; readonly forbidden: boolean }
  /** Settings want every command confined, and nothing here can. */
  | { readonly kind: "no-sandbox"; readonly reason: string }
  /** Nothing would bring back what it destroys. */
  | { readonly kind: "guard"; readonly why: string };

export type Judgement = {
  readonly decision: Decision;
  /** Undefined for the call itself. */
  readonly subject: Subject | undefined;
  readonly cause: Cause;
};

export type Confinement = "sandbox" | "none";

export type Evaluation = {
  readonly decision: Decision;
  /** One for each subject, in their order, then those about the call itself; never empty. */
  readonly judgements: readonly Judgement[];
  /** Where the call runs when it runs on the strength of these judgements. */
  readonly confinement: Confinement;
  /** Where it runs after a person's yes. */
  readonly confinementAfterYes: Confinement;
  /** Whether it is asked for want of a rule alone: a hook may then allow it. */
  readonly onlyLacksRule: boolean;
  /** Whether a second opinion may stand in for a person (mode auto). */
  readonly isForJudge: boolean;
};

const SEVERITY = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Decision, number>;

export function strictest(a: Decision, b: Decision): Decision {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}

/** Causes of asking that say no more than that nobody allowed it yet. */
export function isLackOfRule({ kind }: Cause): boolean {
  return kind === "uncovered" || kind === "option" || kind === "outside" || kind === "broad";
}
