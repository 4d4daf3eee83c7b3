import type { AgentSource } from "../../contracts/agent.ts";
import type { PermissionAnswer } from "../../contracts/hook.ts";
import type {
  Authorize,
  CallJudge,
  ConsentStatus,
  PathRule,
  PermissionEngine,
  PermissionRequest,
  RuleChange,
} from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { DestructiveGuard, Ids, SandboxState, Workspace } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import type { ConsentDeps } from "./confined-consent.ts";
import type { Explanation } from "./explanation.ts";
import type { FreeNotes, SandboxPolicy } from "./judge/judgement.ts";

/** Hooks that answer instead of a person, or are notified of a refusal. Neither function rejects. */
export type PermissionHooks = {
  /**
   * Called when a person would be asked.
   * @returns undefined if no hook is registered for this event, so that the caller need not wait.
   */
  request(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer | undefined> | undefined;
  /** Called after the judge of mode `auto` refused a call. */
  denied(request: PermissionRequest, reason: string, signal: AbortSignal): Promise<{ readonly retry: boolean }>;
};

/** A permission mode that others read. */
export type ModeState = { mode: PermissionMode };

export type PermissionDeps = {
  readonly rules: readonly RuleSource[];
  /** True if the person trusts this folder; only then may the folder's files allow anything. */
  readonly isTrusted: boolean;
  /** True if only the managed file may allow anything; answers then never become rules. */
  readonly managedRulesOnly?: boolean;
  /** Holds the mode; change the mode through the engine. */
  readonly state: ModeState;
  readonly workspace: Pick<Workspace, "roots" | "isBroad" | "projectRoot">;
  /** True when the workspace's file system ignores case. */
  readonly isCaseInsensitive?: boolean;
  /** Absolute, symlinks resolved. */
  readonly home: string;
  /** Folders in which reads need no consent (the session's artefacts); absolute, symlinks resolved. */
  readonly freeReadRoots: readonly string[];
  /** The project's notes, as long as its memory is on. */
  readonly notes?: (() => FreeNotes | undefined) | undefined;
  /** Quoll's own folders, and git folders outside the project: writes to them always need consent. */
  readonly ownFolders: readonly string[];
  /** Folders of checkpoints and backups, closed to tools: absolute, symlinks resolved. */
  readonly closedFolders?: readonly string[];
  /** Work trees that Quoll made, or that git has registered: the names of the folders above them don't count. */
  readonly workFolders?: readonly string[];
  /** Maps a path in the worktree in which the agent works to the project; other paths are unchanged. */
  readonly placeInProject?: ((path: string) => string) | undefined;
  /** Folders outside the workspace that may be read as if they were inside. */
  readonly readOnlyRoots?: readonly string[];
  /** The agent that makes the calls; the session's main agent unless given. */
  readonly agent?: AgentSource | undefined;
  readonly questions: QuestionDesk;
  /** False if nobody can answer: a call that needs a question is then refused. */
  readonly canAsk: boolean;
  readonly ids: Ids;
  /** Returns the sandbox state; called at the first command. Undefined if commands are never confined. */
  readonly sandbox?: (() => Promise<SandboxState>) | undefined;
  readonly sandboxPolicy?: SandboxPolicy;
  /** Consent to run confined commands without a question; if absent, nobody can consent. */
  readonly consent?: ConsentDeps;
  /** The destructive guard; undefined if it is switched off. */
  readonly guard?: DestructiveGuard | undefined;
  /** Mode auto needs a judge. */
  readonly judge?: CallJudge | undefined;
  readonly hooks?: PermissionHooks | undefined;
  /** Observes the verdicts of this engine, and of each engine that `narrow` makes. */
  watchDecisions?(authorize: Authorize): Authorize;
  /** The person's messages in this session, oldest first. */
  readonly userWords?: () => readonly string[];
  /** Applies changed settings; undefined if no file changed. Called before each judgement. */
  refresh?(): Promise<void> | undefined;
  /** Throws when mode bypassPermissions is not allowed. */
  checkBypass(): void;
  /**
   * Writes allow rules, and patterns of commands that run outside the sandbox, to the user's own file for this project.
   * @returns that file.
   */
  persist(rules: readonly string[], outside: readonly string[]): Promise<string>;
  /** Shows the person one line. */
  notify(message: string): void;
  /** Shows the person one line, unless this machine has shown a line with this key before. */
  notifyOnce?(key: string, message: string): void;
};

/** The limits that a child agent's permission engine adds to those of its parent. */
export type PermissionScope = {
  /** The child agent; undefined for the main agent in a checkout that it entered. */
  readonly agent: AgentSource | undefined;
  /** The child's own notes; the parent's are not its. */
  readonly notes?: FreeNotes | undefined;
  /**
   * The child's mode. If neither this mode nor the parent's mode contains the other, a call needs the consent of both.
   */
  readonly state: ModeState;
  readonly deny?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  /** Set if the child works in a separate checkout. */
  readonly checkout?: ChildCheckout | undefined;
};

/** The checkout in which a child agent works instead of its parent's. Paths are absolute, symlinks resolved. */
export type ChildCheckout = {
  /** The top folder of the parent's checkout, in which the child may not write. */
  readonly from: string;
  /** The top folder of the child's checkout. */
  readonly to: string;
  /** The child's workspace. */
  readonly roots: readonly string[];
  /** Git's folders for the child's checkout that are outside it. */
  readonly gitFolders: readonly string[];
  /** The sandbox and the guard of the child's own folders. */
  readonly sandbox: PermissionDeps["sandbox"];
  readonly guard: PermissionDeps["guard"];
};

export interface NarrowedPermissions extends PermissionService {
  /** Call this when the agent is closed. */
  close(): void;
}

export type LeasedRules = { readonly allow: readonly string[]; readonly deny: readonly string[] };

/** The permission engine with the queries that the rest of the program needs. */
export interface PermissionService extends PermissionEngine {
  /** True for a file whose text no search may show: a deny or ask rule covers reading it, or it may contain secrets. */
  isHidden(path: string): boolean;
  /** True if a Read of this file (absolute, symlinks resolved) runs without a question. */
  mayRead(path: string): boolean;
  /** True if an allow rule for WebFetch names exactly this host: it may then be local or private. */
  namesHost(host: string): boolean;
  /** The active deny and ask rules for paths; the same array until the rules change. */
  pathRules(): readonly PathRule[];
  /** Asks the hooks that may answer in place of a person; undefined if there are none, so that the caller need not wait. */
  hookAnswer: PermissionHooks["request"];
  /**
   * Adds allow rules until the session ends, such as those that an approved plan needs. Refuses rules that are wider
   * than a question would offer.
   * @param source Shown as the rule's source: "the approved plan".
   * @returns the refused rules.
   */
  grantRules(texts: readonly string[], source: string): readonly string[];
  /**
   * Changes rules until the session ends. Any deny or ask rule may be added; an allow rule only if a question would
   * offer it. Of deny and ask rules, only those added in this session can be removed.
   * @returns the rules that were refused or not found.
   */
  changeRules(change: RuleChange, source: string): readonly string[];
  /**
   * Adds rules while a skill is in use. These rules work like rules of settings: deny and ask rules, protected paths
   * and the guard still apply.
   * @param source Shown as the rules' source: "the skill deploy".
   * @returns the function that stops this.
   * @throws {UserFacingError} (exit 2) a deny rule is invalid.
   */
  leaseRules(rules: LeasedRules, source: string): () => void;
  /**
   * Replaces the rules of settings by those of changed files. Rules that were added in this session stay.
   * @throws {UserFacingError} (exit 2) a rule is invalid; nothing is changed.
   */
  reloadRules(rules: readonly RuleSource[], managedRulesOnly: boolean): void;
  /** The state of the person's consent to confined commands. */
  consent(): ConsentStatus;
  /**
   * Revokes that consent, for this session and in the user's own file for this project.
   * @returns lines for the person.
   * @throws {UserFacingError} the file can't be written; for this session the consent is revoked anyway.
   */
  revokeConsent(): Promise<readonly string[]>;
  /**
   * The engine of a child agent: all present and future rules, answers and consents of this engine apply to it, and the
   * scope can only tighten them. Answers about the child's calls apply to the whole session.
   * @throws {UserFacingError} a rule is broken.
   */
  narrow(scope: PermissionScope): NarrowedPermissions;
  /** Explains how a call would be judged. This asks nobody and changes nothing. */
  explain(request: PermissionRequest, signal?: AbortSignal): Promise<Explanation>;
}
