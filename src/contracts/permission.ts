import type { PermissionMode } from "./permission-mode.ts";
import type { SpendingAgent } from "./spend.ts";
import type { Grant } from "./subject.ts";
import type { ToolCall } from "./tool.ts";

export type Decision = "allow" | "ask" | "deny";

/** A change of the rules of a running session. `replace`: in place of those of the same decision that came in this session. */
export type RuleChange = {
  readonly kind: "add" | "replace" | "remove";
  readonly decision: Decision;
  readonly rules: readonly string[];
};

export type PermissionRequest = {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly call: ToolCall;
  /**
   * A hook's decision: `ask` tightens; `allow` counts only if no rule decides, and overrides no rule and no protection.
   */
  readonly hook?: { readonly decision: "allow" | "ask"; readonly reason: string };
};

/** The grounds on which a call may run when nobody can answer: consent to confined commands, or rules. */
export type Remedy = { readonly kind: "confined" } | { readonly kind: "rules"; readonly rules: readonly string[] };

export type Verdict =
  | {
      readonly decision: "allow";
      readonly grant: Grant;
      /** Set when a person took only a part: this input is prepared and judged again, in place of the call's own. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      /** False when `updatedInput` is another input altogether, not a part of the call's own. */
      readonly isPart?: boolean;
    }
  | {
      readonly decision: "deny";
      /** The cause of the denial, for people. */
      readonly by: string;
      /** The message for the model. */
      readonly message: string;
      /** True when nobody could be asked: such refusals set exit code 4. */
      readonly unanswered: boolean;
      /** A rule that would allow the same call in advance; absent if no narrow rule would. */
      readonly remedy?: Remedy;
      /** The whole turn ends with it. */
      readonly endsTurn?: boolean;
    };

/** True if commands that stay in the sandbox run without a question, for people. */
export type ConsentStatus = {
  readonly isGiven: boolean;
  /** One line: who agreed to it and where that stands, or why it does not hold. */
  readonly line: string;
};

/** A deny or ask rule about paths, as the sandbox carries it out: a confined command's programs obey no rules by themselves. */
export type PathRule = {
  /** As written. */
  readonly text: string;
  readonly decision: "deny" | "ask";
  readonly action: "read" | "write";
  /** The absolute paths that it names, where it has no wildcard and is tied to a folder; undefined where it has to be looked for. */
  readonly plain: readonly string[] | undefined;
  /** The absolute folders in which it can match. */
  readonly folders: readonly string[];
  /** False for a name (of a file or folder) that no path can end with that the rule means, and its parent not. Fast. */
  mayEnd(name: string): boolean;
  /** @param path Absolute. */
  matches(path: string): boolean;
};

export interface PermissionEngine {
  /** Judges a call, asking a person when the rules say so. Never throws for a refusal. */
  authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict>;
  mode: PermissionMode;
  /** Names of tools that a bare deny rule removes from what the model sees. */
  hiddenTools(names: readonly string[]): ReadonlySet<string>;
  /** One line a rule, strictest first, with file and line of each. For `/permissions`. */
  describe(): readonly RuleDescription[];
}

export type RuleDescription = {
  readonly decision: Decision;
  readonly rule: string;
  readonly source: string;
  /** Where it stands in the order of settings: `user`, `project`, `managed` … */
  readonly layer?: string;
  /** Why it counts for nothing just now, as one phrase; absent for a rule in force. */
  readonly note?: string;
};

/** The mode as the tools that plan change it. */
export interface PlanMode {
  get(): PermissionMode;
  set(mode: PermissionMode): void;
  /** The mode that was left when `plan` was entered. */
  before(): PermissionMode;
}

/**
 * The information for a judge of calls (mode `auto`); it contains nothing that a file, a tool or the model could have
 * written.
 */
export type JudgeRequest = {
  /** The agent that makes the call; the session's own where it is absent. */
  readonly agent?: SpendingAgent;
  readonly toolName: string;
  /** The resolved subjects of the call, one phrase each. */
  readonly touches: readonly string[];
  /** The call's input as JSON text; data, never instructions. */
  readonly input: string;
  /** The person's own prompts, oldest first. */
  readonly userWords: readonly string[];
  /** The rules in force, as written. */
  readonly rules: readonly string[];
};

export type JudgeAnswer =
  | { readonly verdict: "yes" }
  | { readonly verdict: "no"; readonly reason: string }
  /** The judge gave no readable answer, timed out or can't be reached, so a person decides. */
  | { readonly verdict: "unsure"; readonly reason: string };

/** A second opinion on one call. Never throws. */
export interface CallJudge {
  judge(request: JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer>;
}

/** The effects of trusting a folder, shown to the person: everything that would then run or gain permissions. */
export type TrustRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** One short line each, safe to print; empty when nothing is known that would run. */
  readonly reasons: readonly string[];
};
