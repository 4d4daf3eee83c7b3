import type { Grant } from "./subject.ts";
import type { Preview, ToolCall } from "./tool.ts";

export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

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
  /** What a hook says: `ask` tightens; `allow` fills the silence of the rules, and beats no rule and no protection. */
  readonly hook?: { readonly decision: "allow" | "ask"; readonly reason: string };
};

/** What lets a call run where nobody can answer: an agreement about confined commands, or rules. */
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
      /** What refused it, for people. */
      readonly by: string;
      /** What the model is told. */
      readonly message: string;
      /** True when nobody could be asked: such refusals set exit code 4. */
      readonly unanswered: boolean;
      /** What a person can allow beforehand so that the same call runs; absent where nothing narrow would do. */
      readonly remedy?: Remedy;
      /** The whole turn ends with it. */
      readonly endsTurn?: boolean;
    };

/** Whether commands that stay in the sandbox run without a question, for people. */
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

/** A question that waits for a person. Every kind of question goes through this one mechanism. */
export type Question = {
  readonly id: string;
  /**
   * `plan`: whether a plan may be carried out. `credential`: whether commands may have a withheld variable. `spend`: whether
   * more than a cap may be spent, for one request (`once`) or by raising the cap in this session (`session`). `wait`: whether
   * to wait as long as a server asks. `keep`: whether entries stay that appeared while a command ran in the sandbox.
   * `gap`: whether commands run though a rule can't be carried out in full. `port`: whether a confined server is opened to the
   * person.
   */
  readonly kind: "permission" | "plan" | "credential" | "spend" | "wait" | "keep" | "gap" | "port";
  readonly toolUseId: string;
  readonly toolName: string;
  /** What would happen, as a short heading: "Run this command?". */
  readonly title: string;
  readonly preview: Preview;
  /** Why it asks, as whole sentences: "No rule allows it." */
  readonly reason: string;
  /** Plain-word dangers, most serious first. */
  readonly hazards: readonly string[];
  /** The same dangers by command; absent where there is but one command. */
  readonly risks?: readonly CommandRisk[];
  /** Rules that "always" would write; empty when no useful narrow rule exists. */
  readonly suggestions: readonly string[];
  /** What "this session" would allow, as rules; empty when it isn't offered. */
  readonly sessionRules: readonly string[];
  /** Where it would run after a yes, in a few words ("outside the sandbox"); undefined where there is no sandbox. */
  readonly confinement?: string;
  /**
   * The offer that all commands which stay in the sandbox run without a question: what they may do then, in one or two sentences
   * made from the policy in force. Absent where it would not answer this question, or must not be offered.
   */
  readonly consent?: string;
};

/** What one of several commands would destroy or publish. */
export type CommandRisk = {
  /** One line, safe to print; empty for what belongs to no command alone. */
  readonly command: string;
  readonly risks: readonly string[];
};

export type Reply =
  | {
      readonly decision: "once";
      /** Of a diff: the indices of the hunks to take; undefined takes all. */
      readonly hunks?: readonly number[];
      /** Another input in place of the model's (a program that drives us may say so); it is prepared and judged again. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
    }
  /** Of a plan: carry it out with edits accepted. */
  | { readonly decision: "session" }
  | { readonly decision: "always" }
  /** This call and, from now on, every command that stays in the sandbox: in this session, or always in this project. */
  | { readonly decision: "confined"; readonly lasts: "session" | "always" }
  | {
      readonly decision: "reject";
      readonly message?: string;
      /** The whole turn ends with it. */
      readonly endsTurn?: boolean;
    };

/** Questions and their answers. The first reply to a question wins; an abort counts as a rejection. */
export interface Questions {
  readonly pending: readonly Question[];
  /** @returns false when the question is unknown or already answered. */
  reply(id: string, reply: Reply): boolean;
  /** Called whenever `pending` changes. @returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** Asks a person. A service that has a question of its own (a plan, a credential) is handed this. */
export interface Asker {
  /** False when nobody is there to answer. */
  readonly canAsk: boolean;
  /** Never rejects: an abort, or nobody there, counts as a rejection. */
  ask(question: Omit<Question, "id">, signal: AbortSignal): Promise<Reply>;
}

/** What a judge of calls (mode `auto`) is shown: nothing that a file, a tool or the model could have written. */
export type JudgeRequest = {
  readonly toolName: string;
  /** What the call would touch, one phrase each, resolved. */
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
  /** It gave no answer that could be read, took too long, or can't be reached: a person decides. */
  | { readonly verdict: "unsure"; readonly reason: string };

/** A second opinion on one call. Never throws. */
export interface CallJudge {
  judge(request: JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer>;
}

/** What a person is told before a folder is trusted: everything in it that would then run or widen. */
export type TrustRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** One short line each, safe to print; empty when nothing is known that would run. */
  readonly reasons: readonly string[];
};
