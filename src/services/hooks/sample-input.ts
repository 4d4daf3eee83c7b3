import type { HookCommon, HookInput } from "../../contracts/hook.ts";
import type { ConfigurableEvent } from "../../contracts/hook-events.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { protocolInput } from "./hook-input.ts";

const CALL = { toolName: "Bash", toolUseId: "sample", toolInput: { command: "echo sample" } };
const RESULT = { toolResponse: "sample", isError: false, durationMs: 1 };
const AGENT = { subagentId: "sample", subagentType: "sample" };
const TASK = { taskId: "1", subject: "A sample task" };

const SAMPLES: {
  readonly [Event in HookInput["event"]]: Omit<Extract<HookInput, { readonly event: Event }>, "event">;
} = {
  Setup: { trigger: "init" },
  SessionStart: { source: "startup", model: "sample" },
  InstructionsLoaded: { filePath: "/sample/AGENTS.md", memoryType: "Project", reason: "session_start" },
  UserPromptSubmit: { prompt: "A sample prompt" },
  UserPromptExpansion: { kind: "slash_command", command: "init", arguments: "", prompt: "A sample prompt" },
  PreToolUse: CALL,
  PermissionRequest: CALL,
  PermissionDenied: { ...CALL, reason: "A sample reason" },
  PostToolUse: { ...CALL, ...RESULT },
  PostToolBatch: { calls: [{ ...CALL, toolResponse: "sample" }] },
  MessageDisplay: { messageId: "sample", text: "A sample answer" },
  Notification: { kind: "permission_prompt", message: "A sample notification" },
  SubagentStart: AGENT,
  SubagentStop: { ...AGENT, isAgain: false, lastText: "Done.", subagentTranscriptPath: "" },
  TaskCreated: TASK,
  TaskCompleted: TASK,
  TeammateIdle: { teammate: "sample", team: "sample" },
  Elicitation: { server: "sample", message: "A sample question", mode: "form" },
  ElicitationResult: { server: "sample", mode: "form", action: "decline" },
  CwdChanged: { oldCwd: "/sample", newCwd: "/sample/sub" },
  DirectoryAdded: { directory: "/sample", source: "slash_command" },
  FileChanged: { filePath: "/sample/.env", change: "change" },
  WorktreeCreate: { name: "sample" },
  WorktreeRemove: { path: "/sample" },
  ConfigChange: { source: "user_settings" },
  PreCompact: { trigger: "manual", instructions: "" },
  PostCompact: { trigger: "manual", summary: "A sample summary" },
  Stop: { isAgain: false, lastText: "Done." },
  StopFailure: { error: "unknown", details: "A sample failure", lastText: "" },
  SessionEnd: { reason: "exit" },
};

/** An event with which a hook can be tried. @param cwd The working folder; absolute. */
export function sampleEvent(event: ConfigurableEvent, cwd: string): HookInput & HookCommon {
  const isFailure = event === "PostToolUseFailure";
  const known = isFailure ? "PostToolUse" : event;
  const common = { sessionId: "sample", transcriptPath: "", cwd, mode: "default" } as const;
  const input = { event: known, ...SAMPLES[known], ...(isFailure && { isError: true }) } as HookInput;
  return Object.assign({}, input, common);
}

/** The sample input as the JSON that the hook gets. */
export function sampleInput(event: ConfigurableEvent, cwd: string): JsonObject {
  return protocolInput(sampleEvent(event, cwd));
}
