import { wireContent } from "../../contracts/content-block.ts";
import { HOOK_EVENTS, type HookCommon, type HookInput } from "../../contracts/hook.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";

/** The events that hooks are registered for: a failed call has a separate event. */
export const PROTOCOL_EVENTS: readonly string[] = [...HOOK_EVENTS, "PostToolUseFailure"];

export function protocolEvent(input: HookInput): string {
  return input.event === "PostToolUse" && input.isError ? "PostToolUseFailure" : input.event;
}

/** The JSON input of a hook, with the field names that hooks of this ecosystem use. */
export function protocolInput(input: HookInput & HookCommon): JsonObject {
  const { sessionId, transcriptPath, cwd, mode, agentId } = input;
  return {
    hook_event_name: protocolEvent(input),
    ...{ session_id: sessionId, transcript_path: transcriptPath, cwd, permission_mode: mode },
    ...(agentId !== undefined && { agent_id: agentId }),
    ...eventFields(input),
  };
}

/** The text that a matcher is compared with: a tool's name, or the reason why a session starts or ends. */
export function matchedName(input: HookInput): string | undefined {
  switch (input.event) {
    case "PreToolUse":
    case "PostToolUse":
      return input.toolName;
    case "SessionStart":
      return input.source;
    case "PreCompact":
    case "PostCompact":
      return input.trigger;
    case "SessionEnd":
      return endReason(input);
    default:
      return undefined;
  }
}

function eventFields(input: HookInput): JsonObject {
  switch (input.event) {
    case "SessionStart":
      return { source: input.source, model: input.model };
    case "UserPromptSubmit":
      return { prompt: input.prompt };
    case "PreToolUse":
      return callFields(input);
    case "PostToolUse":
      return { ...callFields(input), ...resultFields(input), duration_ms: input.durationMs };
    case "Stop":
      return { stop_hook_active: input.isAgain, last_assistant_message: input.lastText };
    case "PreCompact":
      return { trigger: input.trigger, custom_instructions: input.instructions };
    case "PostCompact":
      return { trigger: input.trigger, compact_summary: input.summary };
    case "SessionEnd":
      return { reason: endReason(input) };
  }
}

function callFields({ toolName, toolUseId, toolInput }: Extract<HookInput, { readonly toolName: string }>): JsonObject {
  return { tool_name: toolName, tool_input: toolInput, tool_use_id: toolUseId };
}

function resultFields({ toolResponse, isError }: Extract<HookInput, { readonly event: "PostToolUse" }>): JsonObject {
  return isError ? { error: textOf(toolResponse) } : { tool_response: wireContent(toolResponse) };
}

/** The protocol has no reason for a session that simply ends. */
function endReason({ reason }: Extract<HookInput, { readonly event: "SessionEnd" }>): string {
  return reason === "exit" ? "other" : reason;
}
