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
import type { Ids } from "../../contracts/ports.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import type { ConsentDeps } from "./confined-consent.ts";
import type { Explanation } from "./explanation.ts";
import type { FreeNotes, JudgedFolders, SandboxPolicy } from "./judge/judgement.ts";

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

/** The settings that a session's permissions follow, and the file that keeps answers. */
export type PermissionSettings = {
  readonly rules: readonly RuleSource[];
  /** True if the person trusts this folder; only then may the folder's files allow anything. */
  readonly isTrusted: boolean;
  /** True if only the managed file may allow anything; answers then never become rules. */
  readonly managedRulesOnly?: boolean;
  readonly sandboxPolicy?: SandboxPolicy;
  /** Throws when mode bypassPermissions is not allowed. */
  checkBypass(): void;
  /** Applies changed settings; undefined if no file changed. Called before each judgement. */
  refresh?(): Promise<void> | undefined;
  /**
   * Writes allow rules, and patterns of commands that run outside the sandbox, to the user's own file for this project.
   * @returns that file.
   */
  persist(rules: readonly string[], outside: readonly string[]): Promise<string>;
};

/** The agent that makes the calls. */
export type JudgedAgent = {
  /** The session's main agent unless given. */
  readonly source?: AgentSource | undefined;
  /** Holds the mode; change the mode through the engine. */
  readonly state: ModeState;
  /** The project's notes, as long as the agent's memory is on. */
  readonly notes?: (() => FreeNotes | undefined) | undefined;
};

/** Who decides about a call that the rules and the mode leave open. */
export type Deciders = {
  readonly questions: QuestionDesk;
  /** False if nobody can answer: a call that needs a question is then refused. */
  readonly canAsk: boolean;
  readonly ids: Ids;
  readonly hooks?: PermissionHooks | undefined;
  /** Mode auto needs a judge. */
  readonly judge?: CallJudge | undefined;
  /** The person's messages in this session, oldest first. */
  readonly userWords?: () => readonly string[];
  /** Consent to run confined commands without a question; if absent, nobody can consent. */
  readonly consent?: ConsentDeps;
  /** Observes the verdicts of this engine, and of each engine that `narrow` makes. */
  watchDecisions?(authorize: Authorize): Authorize;
};

/** Lines for the person. */
export type PermissionNotices = {
  notify(message: string): void;
  /** Shows the line, unless this machine has shown a line with this key before. */
  notifyOnce?(key: string, message: string): void;
};

/** The engines of all agents of a session share `settings`, `deciders` and `notices`. */
export type PermissionDeps = {
  readonly settings: PermissionSettings;
  readonly agent: JudgedAgent;
  readonly folders: JudgedFolders;
  readonly deciders: Deciders;
  readonly notices: PermissionNotices;
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
  readonly sandbox: JudgedFolders["sandbox"];
  readonly guard: JudgedFolders["guard"];
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
