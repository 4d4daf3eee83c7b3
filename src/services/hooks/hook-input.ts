import type { HookCommon, HookInput } from "../../contracts/hook.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";
import { wireContent } from "../../contracts/wire-content.ts";

/** The event as settings and programs call it: a failed call has a separate event. */
export function protocolEvent(input: HookInput): string {
  return input.event === "PostToolUse" && input.isError ? "PostToolUseFailure" : input.event;
}

/** The JSON input of a hook, with the field names that hooks of this ecosystem use. */
export function protocolInput(input: HookInput & HookCommon): JsonObject {
  const { sessionId, transcriptPath, cwd, mode, agentId, promptId, effort } = input;
  return {
    hook_event_name: protocolEvent(input),
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd,
    permission_mode: mode,
    ...(promptId !== undefined && { prompt_id: promptId }),
    ...(effort !== undefined && { effort: { level: effort } }),
    ...(agentId !== undefined && { agent_id: agentId }),
    ...eventFields(input),
    ...(input.event === "MessageDisplay" && promptId !== undefined && { turn_id: promptId }),
  };
}

/** The text that a matcher is compared with: a tool's name, or the reason why a session starts or ends. */
export function matchedName(input: HookInput): string | undefined {
  switch (input.event) {
    case "PreToolUse":
    case "PostToolUse":
    case "PermissionRequest":
    case "PermissionDenied":
      return input.toolName;
    case "SessionStart":
    case "ConfigChange":
    case "DirectoryAdded":
      return input.source;
    case "PreCompact":
    case "PostCompact":
    case "Setup":
      return input.trigger;
    case "SessionEnd":
      return endReason(input);
    case "Notification":
      return input.kind;
    case "SubagentStart":
    case "SubagentStop":
      return input.subagentType;
    case "InstructionsLoaded":
      return input.reason;
    case "UserPromptExpansion":
      return input.command;
    case "Elicitation":
    case "ElicitationResult":
      return input.server;
    case "StopFailure":
      return input.error;
    case "FileChanged":
      return input.filePath.slice(input.filePath.lastIndexOf("/") + 1);
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
    default:
      return laterFields(input);
  }
}

type Handled =
  | "SessionStart"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "Stop"
  | "PreCompact"
  | "PostCompact"
  | "SessionEnd";

function laterFields(input: Exclude<HookInput, { readonly event: Handled }>): JsonObject {
  switch (input.event) {
    case "Setup":
      return { trigger: input.trigger };
    case "InstructionsLoaded":
      return { file_path: input.filePath, memory_type: input.memoryType, load_reason: input.reason };
    case "UserPromptExpansion":
      return {
        expansion_type: input.kind,
        command_name: input.command,
        command_args: input.arguments,
        prompt: input.prompt,
      };
    case "PermissionRequest":
      return callFields(input);
    case "PermissionDenied":
      return { ...callFields(input), reason: input.reason };
    case "PostToolBatch":
      return {
        tool_calls: input.calls.map((call) => ({
          ...callFields(call),
          tool_response: wireContent(call.toolResponse),
        })),
      };
    case "MessageDisplay":
      return { message_id: input.messageId, turn_id: input.messageId, index: 0, final: true, delta: input.text };
    case "Notification":
      return {
        notification_type: input.kind,
        message: input.message,
        ...(input.title !== undefined && { title: input.title }),
      };
    case "Elicitation":
      return {
        mcp_server_name: input.server,
        message: input.message,
        mode: input.mode,
        ...(input.url !== undefined && { url: input.url }),
        ...(input.elicitationId !== undefined && { elicitation_id: input.elicitationId }),
        ...(input.schema && { requested_schema: input.schema }),
      };
    case "ElicitationResult":
      return {
        mcp_server_name: input.server,
        mode: input.mode,
        action: input.action,
        ...(input.content && { content: input.content }),
        ...(input.elicitationId !== undefined && { elicitation_id: input.elicitationId }),
      };
    case "StopFailure":
      return { error: input.error, error_details: input.details, last_assistant_message: input.lastText };
    default:
      return placeFields(input);
  }
}

type PlaceEvent =
  | "SubagentStart"
  | "SubagentStop"
  | "TaskCreated"
  | "TaskCompleted"
  | "TeammateIdle"
  | "CwdChanged"
  | "DirectoryAdded"
  | "FileChanged"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "ConfigChange";

/** The fields of events of agents, folders and files. */
function placeFields(input: Extract<HookInput, { readonly event: PlaceEvent }>): JsonObject {
  switch (input.event) {
    case "SubagentStart":
      return { agent_id: input.subagentId, agent_type: input.subagentType };
    case "SubagentStop":
      return {
        agent_id: input.subagentId,
        agent_type: input.subagentType,
        stop_hook_active: input.isAgain,
        agent_transcript_path: input.subagentTranscriptPath,
        last_assistant_message: input.lastText,
      };
    case "TaskCreated":
    case "TaskCompleted":
      return {
        task_id: input.taskId,
        task_subject: input.subject,
        ...(input.description !== undefined && { task_description: input.description }),
      };
    case "TeammateIdle":
      return { teammate_name: input.teammate, team_name: input.team };
    case "CwdChanged":
      return { old_cwd: input.oldCwd, new_cwd: input.newCwd };
    case "DirectoryAdded":
      return { directory: input.directory, source: input.source };
    case "FileChanged":
      return { file_path: input.filePath, event: input.change };
    case "WorktreeCreate":
      return { name: input.name };
    case "WorktreeRemove":
      return { worktree_path: input.path };
    case "ConfigChange":
      return { source: input.source, ...(input.filePath !== undefined && { file_path: input.filePath }) };
  }
}

type Call = { readonly toolName: string; readonly toolUseId: string; readonly toolInput: unknown };

function callFields({ toolName, toolUseId, toolInput }: Call): JsonObject {
  return { tool_name: toolName, tool_input: toolInput, tool_use_id: toolUseId };
}

function resultFields({ toolResponse, isError }: Extract<HookInput, { readonly event: "PostToolUse" }>): JsonObject {
  return isError ? { error: textOf(toolResponse) } : { tool_response: wireContent(toolResponse) };
}

/** The protocol has no reason for a session that simply ends. */
function endReason({ reason }: Extract<HookInput, { readonly event: "SessionEnd" }>): string {
  return reason === "exit" ? "other" : reason;
}
