import type { Grant } from "./subject.ts";
import type { Preview, ToolCall } from "./tool.ts";

export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type Decision = "allow" | "ask" | "deny";

export type PermissionRequest = { readonly toolUseId: string; readonly toolName: string; readonly call: ToolCall };

export type Verdict =
  | { readonly decision: "allow"; readonly grant: Grant }
  | {
      readonly decision: "deny";
      /** What refused it, for people. */
      readonly by: string;
      /** What the model is told. */
      readonly message: string;
      /** True when nobody could be asked: such refusals set exit code 4. */
      readonly unanswered: boolean;
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

export type RuleDescription = { readonly decision: Decision; readonly rule: string; readonly source: string };

/** A question that waits for a person. Every kind of question goes through this one mechanism. */
export type Question = {
  readonly id: string;
  readonly kind: "permission";
  readonly toolUseId: string;
  readonly toolName: string;
  /** What would happen, as a short heading: "Run this command?". */
  readonly title: string;
  readonly preview: Preview;
  /** Why it asks: the rule or its absence. */
  readonly reason: string;
  /** Plain-word dangers, most serious first. */
  readonly hazards: readonly string[];
  /** Rules that "always" would write; empty when no useful narrow rule exists. */
  readonly suggestions: readonly string[];
};

export type Reply =
  | { readonly decision: "once" }
  | { readonly decision: "session" }
  | { readonly decision: "always" }
  | { readonly decision: "reject"; readonly message?: string };

/** Questions and their answers. The first reply to a question wins; an abort counts as a rejection. */
export interface Questions {
  readonly pending: readonly Question[];
  /** @returns false when the question is unknown or already answered. */
  reply(id: string, reply: Reply): boolean;
  /** Called whenever `pending` changes. @returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}
