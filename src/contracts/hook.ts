import type { ToolResultContent } from "./message.ts";
import type { PermissionMode } from "./permission.ts";

/** What a hook may be called at. Names as the neighbours' settings files have them. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "SessionEnd",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What every hook is told. */
export type HookCommon = {
  readonly sessionId: string;
  /** Absolute; empty where nothing is kept. */
  readonly transcriptPath: string;
  /** Absolute. */
  readonly cwd: string;
  readonly mode: PermissionMode;
};

/** What happened, and what of it a hook is told. */
export type HookInput =
  | { readonly event: "SessionStart"; readonly source: "startup" | "resume" | "clear"; readonly model: string }
  | { readonly event: "UserPromptSubmit"; readonly prompt: string }
  | {
      readonly event: "PreToolUse";
      readonly toolName: string;
      readonly toolUseId: string;
      readonly toolInput: unknown;
    }
  | {
      readonly event: "PostToolUse";
      readonly toolName: string;
      readonly toolUseId: string;
      readonly toolInput: unknown;
      /** The result as the model would get it. */
      readonly toolResponse: ToolResultContent;
      readonly isError: boolean;
      /** How long the call ran. */
      readonly durationMs: number;
    }
  /** The model is done. `isAgain`: it already went on once in this turn because a hook said so; `lastText`: its last words. */
  | { readonly event: "Stop"; readonly isAgain: boolean; readonly lastText: string }
  | { readonly event: "SessionEnd"; readonly reason: "clear" | "exit" | "other" };

/** What all hooks of one event said together: the strictest verdict, their words joined. */
export type HookOutcome = {
  /** The event must not go on: the prompt is dropped, the call refused, the model sent on instead of stopping. */
  readonly block?: { readonly reason: string };
  /** PreToolUse: a verdict. `allow` only fills the silence of the rules: it beats no ask or deny rule. */
  readonly permission?: { readonly decision: "allow" | "ask" | "deny"; readonly reason: string };
  /** PreToolUse: this input in place of the model's; it is prepared and judged like any other. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** PostToolUse: this in place of what a call that went well gave; the model never sees that. */
  readonly updatedOutput?: ToolResultContent;
  /** Words for the model, beside the prompt or the result; at `Stop` it goes on with them. */
  readonly additionalContext?: string;
  /** One line for the person. */
  readonly systemMessage?: string;
  /** The turn ends here, whatever else was said. */
  readonly stop?: { readonly reason: string };
};

/** What users hang into the loop. A hook that fails or takes too long says nothing; the person is told. */
export interface Hooks {
  /** False when nothing listens: the loop then asks nobody. */
  wants(event: HookEvent, toolName?: string): boolean;
  /** Never rejects but with the abort reason. */
  run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome>;
}

export const NO_HOOKS: Hooks = { wants: () => false, run: async () => ({}) };
