import type { JsonObject, ToolResultContent } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";

/** The events that can call a hook. The names are those that hooks of this ecosystem use. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** The fields that every hook gets. */
export type HookCommon = {
  readonly sessionId: string;
  /** Absolute; empty where nothing is kept. */
  readonly transcriptPath: string;
  /** Absolute. */
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** The child agent that does it; undefined for the session's own agent. */
  readonly agentId?: string;
};

/** An event, with the fields that a hook gets for it. */
export type HookInput =
  | {
      readonly event: "SessionStart";
      readonly source: "startup" | "resume" | "clear" | "compact";
      readonly model: string;
    }
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
  /** `instructions`: what the person asked for; empty otherwise. */
  | { readonly event: "PreCompact"; readonly trigger: "manual" | "auto"; readonly instructions: string }
  /** `summary`: what stands in place of the messages. */
  | { readonly event: "PostCompact"; readonly trigger: "manual" | "auto"; readonly summary: string }
  | { readonly event: "SessionEnd"; readonly reason: "clear" | "exit" | "other" };

/** The combined answer of all hooks of one event: the strictest verdict, and their texts joined. */
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

/**
 * The hooks that users add to the loop. If a hook throws, gives an invalid answer or times out, the person is told and the work
 * goes on as if the hook had said nothing. A hook registered to block on failure blocks its event instead, but never `Stop`.
 */
export interface Hooks {
  /** False when nothing listens: the loop then asks nobody. */
  wants(event: HookEvent, toolName?: string): boolean;
  /** Rejects with the abort reason alone. */
  run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome>;
}

export const NO_HOOKS: Hooks = { wants: () => false, run: async () => ({}) };

/**
 * Calls a hook that lives in another program, by the id that it was registered with.
 * @param input In the names of the hooks' protocol.
 * @returns what the hook answers. Rejects when it fails or can't be reached, and with the abort reason.
 */
export type HookCallback = (id: string, input: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Hooks that another program registers while the session runs. */
export interface CallbackHooks extends Hooks {
  /**
   * Takes the registrations of the control protocol, `[{matcher, hookCallbackIds, timeout, onFailure}]` by event, in place of those
   * before.
   * @returns one line for each registration that will never be called. @throws {Error} the registrations are malformed.
   */
  register(registrations: JsonObject): readonly string[];
}
