/** The facts about a hook event that lists and the guide show. */
type EventFacts = {
  /** When the event happens. */
  readonly summary: string;
  /** The text that a matcher is compared with; absent if the event has no matcher. */
  readonly matcher?: string;
  /** The effect of a block; absent if the event can't be blocked, in which case the reason is shown to the person. */
  readonly block?: string;
  /** True if nothing in Quoll causes the event yet. */
  readonly isUnused?: true;
};

const TOOL = "tool";

/** Events of hooks, in the order of a session. The event names follow the hooks of this ecosystem. */
export const HOOK_EVENT_FACTS = {
  Setup: { summary: "Quoll prepares a project", matcher: "`init`, `maintenance`", isUnused: true },
  SessionStart: {
    summary: "The first prompt of a conversation, and the first request after a summary",
    matcher: "`startup`, `resume`, `clear`, `compact`",
  },
  InstructionsLoaded: {
    summary: "An instruction file became part of the conversation",
    matcher: "`session_start`, `nested_traversal`, `path_glob_match`, `include`, `compact`",
  },
  UserPromptSubmit: { summary: "You sent a prompt", block: "drops the prompt" },
  UserPromptExpansion: {
    summary: "A slash command became a prompt",
    matcher: "name of the command",
    block: "drops the prompt",
  },
  PreToolUse: { summary: "Before a call, and before its permission check", matcher: TOOL, block: "refuses the call" },
  PermissionRequest: {
    summary: "Quoll would ask you about a call",
    matcher: TOOL,
    block: "refuses the call",
  },
  PermissionDenied: { summary: "The judge of mode `auto` refused a call", matcher: TOOL },
  PostToolUse: { summary: "After a successful call", matcher: TOOL, block: "adds the reason to the result" },
  PostToolUseFailure: { summary: "After a failed call", matcher: TOOL, block: "adds the reason to the result" },
  PostToolBatch: {
    summary: "All calls of one answer have their results",
    block: "ends the turn",
  },
  MessageDisplay: { summary: "An answer of the model is complete, before it is shown" },
  Notification: {
    summary: "Quoll wants your attention",
    matcher: "`permission_prompt`, `idle_prompt`, `elicitation_dialog`",
  },
  SubagentStart: { summary: "An agent of the tool Agent starts", matcher: "type of the agent" },
  SubagentStop: {
    summary: "An agent of the tool Agent is done",
    matcher: "type of the agent",
    block: "lets the agent continue",
  },
  TaskCreated: { summary: "A task is created", block: "refuses the task" },
  TaskCompleted: { summary: "A task is marked as completed", block: "leaves the task open" },
  TeammateIdle: { summary: "Another agent of a team has nothing to do", block: "keeps it at work", isUnused: true },
  Elicitation: {
    summary: "An MCP server asks you for something",
    matcher: "name of the server",
    block: "declines",
  },
  ElicitationResult: {
    summary: "You answered an MCP server",
    matcher: "name of the server",
    block: "declines",
  },
  CwdChanged: { summary: "The working folder changed" },
  DirectoryAdded: { summary: "A folder joined the workspace", matcher: "where from" },
  FileChanged: {
    summary: "A watched file changed: one that the matcher names, or that a hook asked for with `watchPaths`",
    matcher: "name of the file",
  },
  WorktreeCreate: { summary: "A worktree is needed", block: "refuses the worktree" },
  WorktreeRemove: { summary: "A worktree is removed" },
  ConfigChange: {
    summary: "A settings file changed",
    matcher: "`user_settings`, `project_settings`, `local_settings`, `policy_settings`, `skills`",
    block: "ignores the change",
  },
  PreCompact: { summary: "Before a compaction", matcher: "`manual`, `auto`", block: "stops the compaction" },
  PostCompact: { summary: "After a summary was written", matcher: "`manual`, `auto`" },
  Stop: { summary: "The model is done", block: "lets the model continue, with the reason" },
  StopFailure: { summary: "A turn failed", matcher: "kind of failure" },
  SessionEnd: { summary: "The conversation ends", matcher: "`clear`, `other`" },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type ConfigurableEvent = keyof typeof HOOK_EVENT_FACTS;

/** The facts of an event, with the optional fields. */
export function factsOfEvent(event: ConfigurableEvent): EventFacts {
  return HOOK_EVENT_FACTS[event];
}

/** True if a matcher of the event is compared with the name of a tool. */
export function isToolEvent(event: string): boolean {
  return isConfigurable(event) && factsOfEvent(event).matcher === TOOL;
}

export const CONFIGURABLE_EVENTS = Object.keys(HOOK_EVENT_FACTS).filter(isConfigurable);

export function isConfigurable(name: string): name is ConfigurableEvent {
  return Object.hasOwn(HOOK_EVENT_FACTS, name);
}
