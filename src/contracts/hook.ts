import type { DecidedBy } from "./decided-by.ts";
import type { ConfigurableEvent } from "./hook-events.ts";
import type { JsonObject, ToolResultContent } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { PermissionUpdate } from "./permission-update.ts";

/** The events that can call a hook. Here a failed call is a `PostToolUse`; in settings it has a separate event. */
export type HookEvent = Exclude<ConfigurableEvent, "PostToolUseFailure">;

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
  /** Identifies the prompt that the event belongs to; undefined before the first prompt. */
  readonly promptId?: string;
  /** The effort of the requests; undefined for the model's default. */
  readonly effort?: string;
};

/** A tool call about which hooks are asked. */
type HookedCall = {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly toolInput: unknown;
  /**
   * True if a permission rule such as `Bash(git *)` matches the call, or if this can't be decided: a hook limited to
   * such calls then runs.
   */
  readonly matches?: (rule: string) => boolean;
};
type SubagentEvent = { readonly subagentId: string; readonly subagentType: string };
type TaskEvent = { readonly taskId: string; readonly subject: string; readonly description?: string };
export type ElicitationAction = "accept" | "decline" | "cancel";

/** An event, with the fields that a hook gets for it. */
export type HookInput =
  | {
      readonly event: "SessionStart";
      readonly source: "startup" | "resume" | "clear" | "compact";
      readonly model: string;
    }
  | { readonly event: "UserPromptSubmit"; readonly prompt: string }
  | ({ readonly event: "PreToolUse" } & HookedCall)
  | ({
      readonly event: "PostToolUse";
      /** The result in the form that the model would get. */
      readonly toolResponse: ToolResultContent;
      readonly isError: boolean;
      /** How long the call ran. */
      readonly durationMs: number;
    } & HookedCall)
  /**
   * The model is done. `isAgain`: a hook has already kept this turn from ending once; `lastText`: the text of the last
   * answer.
   */
  | { readonly event: "Stop"; readonly isAgain: boolean; readonly lastText: string }
  /** `instructions`: the person's hint; empty if there is none. */
  | { readonly event: "PreCompact"; readonly trigger: "manual" | "auto"; readonly instructions: string }
  /** `summary`: the text that replaces the messages. */
  | { readonly event: "PostCompact"; readonly trigger: "manual" | "auto"; readonly summary: string }
  | { readonly event: "SessionEnd"; readonly reason: "clear" | "exit" | "other" }
  | { readonly event: "Setup"; readonly trigger: "init" | "maintenance" }
  /** A file of instructions became part of the conversation. `reason`: the reason why the file was read. */
  | {
      readonly event: "InstructionsLoaded";
      readonly filePath: string;
      readonly memoryType: "User" | "Project" | "Local" | "Managed";
      readonly reason: "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";
    }
  /** A slash command or skill became a prompt. */
  | {
      readonly event: "UserPromptExpansion";
      readonly kind: "slash_command" | "mcp_prompt";
      readonly command: string;
      readonly arguments: string;
      readonly prompt: string;
    }
  /** Quoll would ask a person about a call. */
  | ({ readonly event: "PermissionRequest" } & HookedCall)
  /** A judge refused a call. */
  | ({ readonly event: "PermissionDenied"; readonly reason: string } & HookedCall)
  /** All calls of one answer have their results. */
  | {
      readonly event: "PostToolBatch";
      readonly calls: readonly (Omit<HookedCall, "matches"> & { readonly toolResponse: ToolResultContent })[];
    }
  | { readonly event: "MessageDisplay"; readonly messageId: string; readonly text: string }
  /** `kind`: `permission_prompt`, `idle_prompt` … */
  | { readonly event: "Notification"; readonly kind: string; readonly message: string; readonly title?: string }
  | ({ readonly event: "SubagentStart" } & SubagentEvent)
  | ({
      readonly event: "SubagentStop";
      readonly isAgain: boolean;
      readonly lastText: string;
      readonly subagentTranscriptPath: string;
    } & SubagentEvent)
  | ({ readonly event: "TaskCreated" } & TaskEvent)
  | ({ readonly event: "TaskCompleted" } & TaskEvent)
  | { readonly event: "TeammateIdle"; readonly teammate: string; readonly team: string }
  /** An MCP server asks the person for something. */
  | {
      readonly event: "Elicitation";
      readonly server: string;
      readonly message: string;
      readonly mode: "form" | "url";
      readonly url?: string;
      readonly elicitationId?: string;
      readonly schema?: JsonObject;
    }
  | {
      readonly event: "ElicitationResult";
      readonly server: string;
      readonly mode: "form" | "url";
      readonly action: ElicitationAction;
      readonly content?: JsonObject;
      readonly elicitationId?: string;
    }
  | { readonly event: "CwdChanged"; readonly oldCwd: string; readonly newCwd: string }
  | { readonly event: "DirectoryAdded"; readonly directory: string; readonly source: string }
  | { readonly event: "FileChanged"; readonly filePath: string; readonly change: "change" | "add" | "unlink" }
  | { readonly event: "WorktreeCreate"; readonly name: string }
  | { readonly event: "WorktreeRemove"; readonly path: string }
  /** `source`: `user_settings`, `project_settings`, `local_settings`, `policy_settings` or `skills`. */
  | { readonly event: "ConfigChange"; readonly source: string; readonly filePath?: string }
  /** The turn failed. `error`: one word for the cause of the failure. */
  | { readonly event: "StopFailure"; readonly error: string; readonly details: string; readonly lastText: string };

/** The combined answer of all hooks of one event: the strictest verdict, and their texts joined. */
export type HookOutcome = {
  /**
   * The event is blocked: the prompt is dropped, the call is refused, or the model continues instead of stopping.
   */
  readonly block?: HookRefusal;
  /** PreToolUse: a verdict. `allow` takes effect only if no rule decides: it overrides no ask or deny rule. */
  readonly permission?: { readonly decision: "allow" | "ask" | "deny" } & HookRefusal;
  /** PreToolUse: an input that replaces the model's; Quoll parses and checks the new input like any other. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** PostToolUse: a text that replaces the result of a successful call; the model never sees the original result. */
  readonly updatedOutput?: ToolResultContent;
  /** A text for the model, in addition to the prompt or the result; at `Stop`, the model continues with this text. */
  readonly additionalContext?: string;
  /** One line for the person. */
  readonly systemMessage?: string;
  /** If set, the turn ends here, regardless of the other answers. */
  readonly stop?: { readonly reason: string };
  /** PermissionRequest: an answer that replaces the person's; `allow` takes effect only if no rule decides. */
  readonly answer?: PermissionAnswer;
  /** SessionStart, CwdChanged, FileChanged: files whose changes call hooks; relative to the working folder. */
  readonly watchPaths?: readonly string[];
  /** PermissionDenied: the model may try again. */
  readonly retry?: boolean;
  /** Elicitation, ElicitationResult: an answer that replaces the person's. */
  readonly elicitation?: { readonly action: ElicitationAction; readonly content?: JsonObject };
  /** MessageDisplay: the text shown in place of the answer; empty to show nothing. */
  readonly displayText?: string;
  /** WorktreeCreate: the folder that the hook made. */
  readonly worktreePath?: string;
};

export type PermissionAnswer =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: JsonObject;
      /**
       * Changes of rules and of the mode; they take effect only if the hook's answer decides the call, and only until
       * the session ends.
       */
      readonly updates?: readonly PermissionUpdate[];
    }
  | ({ readonly behavior: "deny"; readonly endsTurn: boolean } & HookRefusal);

/** `by`: the hook, its event and file, for the person; absent for hooks that a program registers. */
export type HookRefusal = {
  readonly reason: string;
  readonly by?: string;
  /** The reason without the name of the hook, if the reason begins with the name. */
  readonly brief?: string;
};

/** The hook as the decider of a call that it refused. */
export function decidedByHook({ reason, by, brief = reason }: HookRefusal): DecidedBy {
  return by === undefined ? { kind: "hook" } : { kind: "hook", source: by, reason: brief };
}

/**
 * The hooks that users add to the loop. If a hook throws, gives an invalid answer or times out, a line tells the
 * person, and the work continues as if the hook had not answered. A hook registered to block on failure blocks its
 * event instead, but never `Stop`.
 */
export interface Hooks {
  /** False if there is no hook for the event: the loop then skips the call. */
  wants(event: HookEvent, toolName?: string): boolean;
  /** Runs the hooks of an event. The promise rejects only with the abort reason, and never at `MessageDisplay`. */
  run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome>;
}

/**
 * The prefix of the ids of calls that a hook makes; no hook is asked about these calls, so that no hook can call
 * itself.
 */
const HOOK_CALL = "hook-";

export function hookCallId(unique: string): string {
  return `${HOOK_CALL}${unique}`;
}

export function isHookCall(toolUseId: string): boolean {
  return toolUseId.startsWith(HOOK_CALL);
}

/**
 * Tells the hooks of a session about an event that no agent's loop causes: a changed setting, a question of a server.
 * Lines tell the person what the hooks answered. Never rejects.
 */
export type FireHook = (input: HookInput, signal?: AbortSignal) => Promise<HookOutcome>;

export const NO_HOOKS: Hooks = { wants: () => false, run: async () => ({}) };

/**
 * Calls a hook in another program by the id of the hook's registration.
 * @param input The event, with the field names of the hooks' protocol.
 * @returns the hook's answer. The promise rejects if the hook fails or can't be reached, and with the abort reason.
 */
export type HookCallback = (id: string, input: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Hooks that another program registers while the session runs. */
export interface CallbackHooks extends Hooks {
  /**
   * Takes the registrations of the control protocol, `[{matcher, hookCallbackIds, timeout, onFailure}]` by event,
   * replacing the earlier registrations.
   * @returns one line for each registration that will never be called.
   * @throws {Error} the registrations are malformed.
   */
  register(registrations: JsonObject): readonly string[];
}
