import type { Preview } from "../../../contracts/display.ts";
import type { Decision, PermissionRequest } from "../../../contracts/permission.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { DestructiveGuard, SandboxState, Workspace } from "../../../contracts/ports.ts";
import type { Hazard, OpenedNetwork, Subject, UncoveredWord } from "../../../contracts/subject.ts";
import type { Level } from "../../../contracts/tool.ts";
import type { CommandPattern } from "../rules/command-pattern.ts";
import type { Rule } from "../rules/rule.ts";

export type CallFacts = {
  readonly toolName: string;
  readonly level: Level;
  readonly subjects: readonly Subject[];
  /** True if the model asks to run the call outside the sandbox. */
  readonly wantsOutside?: boolean;
  /** The whole line of a shell command; absent for other calls. */
  readonly line?: string;
};

export function factsOf({ toolName, call }: Pick<PermissionRequest, "toolName" | "call">): CallFacts {
  const { level, subjects, wantsOutside, preview } = call;
  const line = lineOf(preview);
  return { toolName, level, subjects, ...(wantsOutside && { wantsOutside }), ...(line !== undefined && { line }) };
}

/** The whole line of a shell command; undefined for other calls. */
export function lineOf(preview: Preview | undefined): string | undefined {
  return preview?.kind === "command" ? preview.command : undefined;
}

/** The settings about confining commands. */
export type SandboxPolicy = {
  /** Patterns, as in `Bash(…)`, of commands that run outside the sandbox under the usual rules. */
  readonly excludedCommands: readonly string[];
  /** True if the model may ask to run a command outside the sandbox. */
  readonly allowUnsandboxed: boolean;
  /** True if commands are refused when no sandbox is available. */
  readonly required: boolean;
  /** True if commands are confined in mode bypassPermissions too. */
  readonly inBypass: boolean;
  /** The hosts that the person's own settings open to every confined command. */
  readonly allowedDomains?: readonly string[];
  /** True if settings open the socket of a container engine to commands in the sandbox. */
  readonly hasEngine?: boolean;
};

/** The confinement of commands: the sandbox state of this machine, and the settings. */
export type Confining = Omit<SandboxPolicy, "excludedCommands"> & {
  readonly state: SandboxState;
  readonly excluded: readonly CommandPattern[];
  /** True if a person agreed that sandboxed commands run without a question when only a rule is missing. */
  readonly isAgreed: boolean;
};

/** The guard's finding about a call: `off` without a guard, `unneeded` if no valuable data would be lost. */
export type BackupState =
  | { readonly kind: "off" | "unneeded" | "possible" }
  /** `hazard`: the only cause; absent if the reason concerns all hazards. */
  | { readonly kind: "impossible"; readonly why: string; readonly hazard?: Hazard };

/** The notes of the project. */
export type FreeNotes = {
  /** The folder of the notes: absolute, symlinks resolved. */
  readonly folder: string;
  /** False if only reading needs no question. */
  readonly mayWrite: boolean;
};

/** The folders that an agent works in, and the parts that belong to them. Paths are absolute, symlinks resolved. */
export type JudgedFolders = {
  readonly home: string;
  readonly workspace: Pick<Workspace, "roots" | "isBroad" | "projectRoot">;
  /** True when the workspace's file system ignores case. */
  readonly isCaseInsensitive?: boolean | undefined;
  /** Folders in which reads need no consent (the session's artefacts). */
  readonly freeReadRoots: readonly string[];
  /** Quoll's own folders, and git folders outside the project: writes to them always need consent. */
  readonly ownFolders: readonly string[];
  /** Folders of checkpoints and backups, closed to tools. */
  readonly closedFolders?: readonly string[] | undefined;
  /** Work trees that Quoll made, or that git has registered: the names of the folders above them don't count. */
  readonly workFolders?: readonly string[] | undefined;
  /** Maps a path in the worktree in which the agent works to the project; other paths are unchanged. */
  readonly placeInProject?: ((path: string) => string) | undefined;
  /** Folders outside the workspace that may be read as if they were inside. */
  readonly readOnlyRoots?: readonly string[] | undefined;
  /** Returns the sandbox state; called at the first command. Undefined if commands are never confined. */
  readonly sandbox?: (() => Promise<SandboxState>) | undefined;
  /** The destructive guard; undefined if it is switched off. */
  readonly guard?: DestructiveGuard | undefined;
};

/** Facts about the session that apply to every call. */
export type Situation = {
  readonly mode: PermissionMode;
  /** Further modes that must allow the call too; for child agents. */
  readonly otherModes?: readonly PermissionMode[];
  readonly rules: readonly Rule[];
  readonly folders: JudgedFolders;
  /**
   * The project's notes, which Read, Write and Edit access without a question; undefined if there are none. Only the path of a note needs
   * them, and their folder's links are resolved each time.
   */
  readonly notes?: (() => FreeNotes | undefined) | undefined;
  /** Undefined if commands are never confined. */
  readonly confining?: Confining | undefined;
  /** The backup for this call; undefined if the call destroys nothing. */
  readonly backup?: BackupState | undefined;
};

/** The cause of the decision about one subject. */
export type Cause =
  | { readonly kind: "rule"; readonly rule: Rule }
  /** `instead`: the reason for the question that the mode skipped. */
  | { readonly kind: "mode"; readonly mode: PermissionMode; readonly instead?: Cause }
  /** Allowed without a rule; `why` completes "allowed: …". */
  | { readonly kind: "free"; readonly why: string }
  /** A file that a search would find; the sandbox hides it for this run. */
  | { readonly kind: "masked" }
  /** The command stays in the sandbox, and a person agreed that confined commands need no question. */
  | { readonly kind: "sandbox" }
  | { readonly kind: "protected"; readonly what: string }
  | { readonly kind: "secret" }
  /** Checkpoints and backups: files of earlier times, which a rewind and a restore read. */
  | { readonly kind: "closed" }
  | { readonly kind: "unclear" }
  | { readonly kind: "outside" }
  | { readonly kind: "broad" }
  | { readonly kind: "uncovered" }
  /** A rule with a star would match the command without these words. */
  | { readonly kind: "option"; readonly rule: Rule; readonly words: readonly UncoveredWord[] }
  /**
   * The command needs the network, which the sandbox does not have. `hosts`: a yes opens them to this line; absent if
   * the command's words don't tell what it connects to. `rule`: the allow rule that covers the command, but does not
   * take it out of the sandbox, or opens the network to no other command of the line (`isShared`).
   */
  | {
      readonly kind: "network";
      readonly hosts?: readonly string[];
      readonly rule?: Rule;
      readonly isShared?: boolean;
    }
  /** An allow rule covers it, but it can't work inside the sandbox, and a rule takes nothing out. */
  | { readonly kind: "beyond"; readonly rule: Rule; readonly what: "git" | "checkout" | "files" | "excluded" }
  /** The model asks to run the call outside the sandbox; `forbidden` if settings forbid that. */
  | { readonly kind: "leaves-sandbox"; readonly forbidden: boolean }
  /** Settings require a sandbox, and none is available. */
  | { readonly kind: "no-sandbox"; readonly reason: string }
  /** The command destroys data, and no backup is possible. `elsewhere`: another part is the cause of this effect. */
  | { readonly kind: "guard"; readonly why: string; readonly elsewhere?: string };

export type Judgement = {
  readonly decision: Decision;
  /** Undefined if the judgement is about the call itself. */
  readonly subject: Subject | undefined;
  readonly cause: Cause;
};

export type Confinement = "sandbox" | "none";

export type Evaluation = {
  readonly decision: Decision;
  /** One judgement per subject, in order, followed by those about the call itself; never empty. */
  readonly judgements: readonly Judgement[];
  /** Where the call runs if these judgements allow it. */
  readonly confinement: Confinement;
  /** Where the call runs after a person allowed it. */
  readonly confinementAfterYes: Confinement;
  /** The network that is opened to this call in the sandbox, by its rules or by a yes. */
  readonly opened?: OpenedNetwork;
  /** True if a sandbox confines commands in this mode. */
  readonly hasSandbox?: boolean;
  /** True if the only reason to ask is a missing rule: a hook may then allow the call. */
  readonly onlyLacksRule: boolean;
  /** True if the judge of mode auto may decide instead of a person. */
  readonly isForJudge: boolean;
};

const SEVERITY = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Decision, number>;

export function strictest(a: Decision, b: Decision): Decision {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}

/** Causes of a question that mean only that no rule allows the call yet. */
export function isLackOfRule({ kind }: Cause): boolean {
  return kind === "uncovered" || kind === "option" || kind === "outside" || kind === "broad";
}
