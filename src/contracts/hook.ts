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
  /** The absolute path of the session's file; empty if the session is not saved. */
  readonly transcriptPath: string;
  /** Absolute. */
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** The child agent that caused the event; undefined for the session's own agent. */
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
  /** The model is done. `isAgain`: a hook already kept this turn from ending once; `lastText`: its last words. */
  | { readonly event: "Stop"; readonly isAgain: boolean; readonly lastText: string }
  /** `instructions`: the person's hint; empty without one. */
  | { readonly event: "PreCompact"; readonly trigger: "manual" | "auto"; readonly instructions: string }
  /** `summary`: the text that replaces the messages. */
  | { readonly event: "PostCompact"; readonly trigger: "manual" | "auto"; readonly summary: string }
  | { readonly event: "SessionEnd"; readonly reason: "clear" | "exit" | "other" };

/** The combined answer of all hooks of one event: the strictest verdict, and their texts joined. */
export type HookOutcome = {
  /** The event is blocked: the prompt is dropped, the call is refused, or the model continues instead of stopping. */
  readonly block?: { readonly reason: string };
  /** PreToolUse: a verdict. `allow` counts only if no rule decides: it overrides no ask or deny rule. */
  readonly permission?: { readonly decision: "allow" | "ask" | "deny"; readonly reason: string };
  /** PreToolUse: an input that replaces the model's; it is parsed and judged like any other input. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** PostToolUse: a text that replaces the result of a successful call; the model never sees the original result. */
  readonly updatedOutput?: ToolResultContent;
  /** A text for the model, in addition to the prompt or the result; at `Stop`, the model continues with this text. */
  readonly additionalContext?: string;
  /** One line for the person. */
  readonly systemMessage?: string;
  /** The turn ends here, regardless of the other answers. */
  readonly stop?: { readonly reason: string };
};

/**
 * The hooks that users add to the loop. If a hook throws, gives an invalid answer or times out, the person is told and the work
 * goes on as if the hook had said nothing. A hook registered to block on failure blocks its event instead, but never `Stop`.
 */
export interface Hooks {
  /** False if there is no hook for the event: the loop then skips the call. */
  wants(event: HookEvent, toolName?: string): boolean;
  /** Runs the hooks of an event. Rejects only with the abort reason. */
  run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome>;
}

export const NO_HOOKS: Hooks = { wants: () => false, run: async () => ({}) };

/**
 * Calls a hook in another program by the id of its registration.
 * @param input The event, with the field names of the hooks' protocol.
 * @returns the hook's answer. Rejects if the hook fails or can't be reached, and with the abort reason.
 */
export type HookCallback = (id: string, input: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Hooks that another program registers while the session runs. */
export interface CallbackHooks extends Hooks {
  /**
   * Takes the registrations of the control protocol, `[{matcher, hookCallbackIds, timeout, onFailure}]` by event,
   * replacing the earlier registrations.
   * @returns one line for each registration that will never be called. @throws {Error} the registrations are malformed.
   */
  register(registrations: JsonObject): readonly string[];
}
