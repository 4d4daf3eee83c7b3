import type { Approvable } from "./approval.ts";
import type { DecidedBy } from "./decided-by.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { SpendingAgent } from "./spend.ts";
import type { Grant } from "./subject.ts";
import type { ToolCall } from "./tool.ts";

export type Decision = "allow" | "ask" | "deny";

/**
 * A change of the rules of a running session. `replace`: replaces the rules of the same decision that were added in
 * this session.
 */
export type RuleChange = {
  readonly kind: "add" | "replace" | "remove";
  readonly decision: Decision;
  readonly rules: readonly string[];
};

export type PermissionRequest = {
  readonly toolUseId: string;
  readonly toolName: string;
  /** The answer of the model that made the call; absent for other callers. */
  readonly messageId?: string;
  readonly call: ToolCall;
  /**
   * A hook's decision: `ask` tightens; `allow` takes effect only if no rule decides, and overrides no rule and no
   * protection.
   */
  readonly hook?: { readonly decision: "allow" | "ask"; readonly reason: string };
};

/** A call of which a part may match a rule. */
export type CallToMatch = Pick<PermissionRequest, "toolName"> & {
  readonly call: Pick<ToolCall, "subjects" | "preview">;
};

/** The permission that would let a call run when nobody can answer: consent to confined commands, or rules. */
export type Remedy = {
  /** A mode in which the call would run too. */
  readonly mode?: "acceptEdits";
} & (
  | {
      readonly kind: "confined";
      /** Rules that would allow this call alone. */
      readonly rules?: readonly string[];
    }
  | {
      readonly kind: "rules";
      readonly rules: readonly string[];
      /** Patterns for `sandbox.excludedCommands`: the call can run only outside the sandbox. */
      readonly outside?: readonly string[];
      /** Hosts for `sandbox.network.allowedDomains`: no rule opens them to this call. */
      readonly hosts?: readonly string[];
    }
);

export type Verdict =
  | {
      readonly decision: "allow";
      readonly grant: Grant;
      /**
       * Set if a person accepted only a part of the call: this input replaces the call's own and is parsed and
       * judged again.
       */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      /** False if `updatedInput` is a different input, not a part of the call's own. */
      readonly isPart?: boolean;
    }
  | {
      readonly decision: "deny";
      readonly decidedBy: DecidedBy;
      /** The message for the model. */
      readonly message: string;
      /** True if no person could be asked: such refusals set exit code 4. */
      readonly unanswered: boolean;
      /** A rule that would allow the same call in advance; absent if no narrow rule would. */
      readonly remedy?: Remedy;
      /** True if the denial ends the whole turn. */
      readonly endsTurn?: boolean;
    };

/** Describes for people whether confined commands run without a question. */
export type ConsentStatus = {
  readonly isGiven: boolean;
  /** One line: who agreed and which file says so, or why there is no consent. */
  readonly line: string;
};

/**
 * A deny or ask rule about paths in the form that the sandbox enforces, because the programs of a confined command
 * don't check rules themselves.
 */
export type PathRule = {
  /** As written. */
  readonly text: string;
  readonly decision: "deny" | "ask";
  readonly action: "read" | "write";
  /**
   * The absolute paths that the rule names, if it has no wildcard and belongs to a folder; undefined if the
   * sandbox has to search for matches.
   */
  readonly plain: readonly string[] | undefined;
  /** The absolute folders in which the rule can match. */
  readonly folders: readonly string[];
  /** A fast test: false if no path with this last name can match the rule while its parent folder does not match. */
  mayEnd(name: string): boolean;
  /** @param path Absolute. */
  matches(path: string): boolean;
};

/** Judges a call, as a permission engine does. */
export type Authorize = PermissionEngine["authorize"];

export interface PermissionEngine {
  /** Judges a call, asking a person when the rules say so. The method never throws for a refusal. */
  authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict>;
  mode: PermissionMode;
  /** Names of tools that a bare deny rule removes from what the model sees. An agent may have fewer: `hiddenTools` of Agent. */
  hiddenTools(names: readonly string[]): ReadonlySet<string>;
  /**
   * True if a rule such as `Bash(git *)` matches a part of a call, or if this can't be decided (a command that is not
   * understood, an invalid rule). The check does not decide whether the call may run.
   */
  matches(rule: string, call: CallToMatch): boolean;
  /** The rules for `/permissions`: one line for each, strictest first, with file and line. */
  describe(): readonly RuleDescription[];
}

/** The same engine, except that calls are judged by `authorize`. */
export function judgedBy(engine: PermissionEngine, authorize: PermissionEngine["authorize"]): PermissionEngine {
  return {
    authorize,
    get mode() {
      return engine.mode;
    },
    set mode(mode) {
      engine.mode = mode;
    },
    hiddenTools: (names) => engine.hiddenTools(names),
    matches: (rule, request) => engine.matches(rule, request),
    describe: () => engine.describe(),
  };
}

export type RuleDescription = {
  readonly decision: Decision;
  readonly rule: string;
  readonly source: string;
  /** The settings layer of the rule: `user`, `project`, `managed` … */
  readonly layer?: string;
  /** One phrase: the reason why the rule has no effect now; absent for an active rule. */
  readonly note?: string;
};

/** The permission mode, for the tools that enter and leave plan mode. */
export interface PlanMode {
  get(): PermissionMode;
  set(mode: PermissionMode): void;
  /** The mode before `plan` was entered. */
  before(): PermissionMode;
}

/**
 * The information for a judge of calls (mode `auto`); it contains no text from a file, a tool or the model, except the
 * call itself.
 */
export type JudgeRequest = {
  /** The agent that makes the call; absent for the session's own agent. */
  readonly agent?: SpendingAgent;
  readonly toolName: string;
  /** The resolved subjects of the call, one phrase each. */
  readonly touches: readonly string[];
  /** The call's input as JSON text; data, never instructions. */
  readonly input: string;
  /** The person's own prompts, oldest first. */
  readonly userWords: readonly string[];
  /** The rules in effect, as written. */
  readonly rules: readonly string[];
};

export type JudgeAnswer =
  | { readonly verdict: "yes" }
  | { readonly verdict: "no"; readonly reason: string }
  /** Set if the judge gave no readable answer, timed out or can't be reached; a person then decides. */
  | { readonly verdict: "unsure"; readonly reason: string };

/** A second opinion on one call. Never throws. */
export interface CallJudge {
  judge(request: JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer>;
}

/** The effects of trusting a folder, shown to the person: everything that would then run or gain permissions. */
export type TrustRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** One short line for each effect, safe to print; empty if no effect is known. */
  readonly reasons: readonly string[];
  /** The content that trust approves. */
  readonly items: readonly Approvable[];
  /** Files of another agent with hooks, relative to the root: Quoll runs none of them, with trust or without. */
  readonly idleHooks?: readonly string[];
};

/** Instruction files of folders above a project, before the model gets them. */
export type AboveRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** Short paths, safe to print. */
  readonly files: readonly string[];
};
