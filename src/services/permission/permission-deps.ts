import type {
  CallJudge,
  ConsentStatus,
  PathRule,
  PermissionEngine,
  PermissionMode,
  PermissionRequest,
  RuleChange,
} from "../../contracts/permission.ts";
import type { DestructiveGuard, Ids, SandboxState, Workspace } from "../../contracts/ports.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import type { PermissionBroker } from "./broker.ts";
import type { ConsentDeps } from "./confined-consent.ts";
import type { Explanation } from "./explanation.ts";
import type { SandboxPolicy } from "./judgement.ts";

export type PermissionDeps = {
  readonly rules: readonly RuleSource[];
  /** Whether the person has said that this folder is theirs: only then may a project's files allow anything. */
  readonly isTrusted: boolean;
  /** Whether only the managed file may allow anything; then no answer becomes a rule. */
  readonly managedRulesOnly?: boolean;
  readonly mode: PermissionMode;
  readonly workspace: Pick<Workspace, "roots" | "isBroad" | "projectRoot">;
  /** True when the workspace's disk takes `A` and `a` for one name. */
  readonly isCaseInsensitive?: boolean;
  /** Absolute, symlinks resolved. */
  readonly home: string;
  /** Folders in which reads are free (the session's artefacts); absolute, symlinks resolved. */
  readonly freeReadRoots: readonly string[];
  /** Our own folders, and git folders outside of the project: writes there are always asked for. */
  readonly ownFolders: readonly string[];
  readonly broker: PermissionBroker;
  /** False when nobody can answer: then what would be asked is refused. */
  readonly canAsk: boolean;
  readonly ids: Ids;
  /** Whether commands can be confined; asked at the first command. Undefined where they never are. */
  readonly sandbox?: (() => Promise<SandboxState>) | undefined;
  readonly sandboxPolicy?: SandboxPolicy;
  /** Who agreed, and who may agree, that confined commands need no question; without it nobody can. */
  readonly consent?: ConsentDeps;
  /** Undefined when it is switched off. */
  readonly guard?: DestructiveGuard | undefined;
  /** Without one the mode auto can't be used. */
  readonly judge?: CallJudge | undefined;
  /** What the person typed in this session, oldest first. */
  readonly userWords?: () => readonly string[];
  /** Throws when bypassPermissions may not be used. */
  checkBypass(): void;
  /** Writes rules to the user's own file for this project. @returns that file. */
  persist(rules: readonly string[]): Promise<string>;
  /** Tells the person one line. */
  warn(message: string): void;
};

/** The engine, and what the rest of the program asks it. */
export interface PermissionService extends PermissionEngine {
  /** True for a file whose text no search may show: a rule denies or asks for reading it, or it may hold secrets. */
  isHidden(path: string): boolean;
  /** The rules in force that forbid paths, or ask for them; the same list as long as they don't change. */
  pathRules(): readonly PathRule[];
  /**
   * Puts allow rules in force until the session ends, such as those that an approved plan needs; none that means more than a
   * question would have offered.
   * @param source Shown where the rule is named: "the approved plan".
   * @returns those that were refused.
   */
  grantRules(texts: readonly string[], source: string): readonly string[];
  /**
   * Changes rules until the session ends. What tightens may be anything; what widens, no more than a question would have
   * offered, and no rule that denies or asks is taken away but one that came in this session.
   * @returns the rules that were refused, or are not there to be removed.
   */
  changeRules(change: RuleChange, source: string): readonly string[];
  /** Whether confined commands run without a question. */
  consent(): ConsentStatus;
  /**
   * Takes that agreement back, for this session and in the user's own file for this project.
   * @returns lines for the person. @throws {UserFacingError} the file can't be written; in this session it is taken back.
   */
  revokeConsent(): Promise<readonly string[]>;
  /** Says how a call would be judged, and why; asks nobody and changes nothing. */
  explain(request: PermissionRequest, signal?: AbortSignal): Promise<Explanation>;
}
