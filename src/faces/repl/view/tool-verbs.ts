import { EXTENSION_TOOL_PREFIX } from "../../../contracts/extension.ts";

/** The verb in a tool's row, and the activity in the footer while it runs. */
const WORDS: Readonly<Record<string, { readonly verb: string; readonly doing: string }>> = {
  Read: { verb: "read", doing: "reading" },
  Grep: { verb: "search", doing: "searching" },
  Glob: { verb: "find", doing: "finding" },
  Edit: { verb: "edit", doing: "editing" },
  Write: { verb: "write", doing: "writing" },
  Bash: { verb: "$", doing: "running" },
  EnterPlanMode: { verb: "plan", doing: "going to" },
  ExitPlanMode: { verb: "plan", doing: "proposing" },
  TodoWrite: { verb: "todo", doing: "planning" },
  TaskOutput: { verb: "task", doing: "waiting for" },
  TaskStop: { verb: "stop", doing: "stopping" },
  Agent: { verb: "agent", doing: "waiting for" },
  AskUserQuestion: { verb: "ask", doing: "asking about" },
  Recall: { verb: "recall", doing: "recalling" },
  NotebookEdit: { verb: "edit", doing: "editing" },
  WebFetch: { verb: "fetch", doing: "fetching" },
  WebSearch: { verb: "web", doing: "searching the web for" },
  Skill: { verb: "skill", doing: "loading" },
  ToolSearch: { verb: "tools", doing: "looking for tools:" },
  SendMessage: { verb: "tell", doing: "telling" },
  TaskCreate: { verb: "task", doing: "adding a task:" },
  TaskUpdate: { verb: "task", doing: "changing task" },
  TaskGet: { verb: "task", doing: "reading task" },
  TaskList: { verb: "tasks", doing: "listing" },
  ListMcpResources: { verb: "mcp", doing: "listing resources of" },
  ReadMcpResource: { verb: "mcp", doing: "reading" },
  EnterWorktree: { verb: "tree", doing: "entering the worktree" },
  ExitWorktree: { verb: "tree", doing: "leaving the worktree" },
};

/** The verb for a tool's row; an unknown tool, and one of an extension, is shown by its name. */
export function verbOf(toolName: string): string {
  return WORDS[toolName]?.verb ?? (isOfServer(toolName) ? "mcp" : ownName(toolName));
}

export function activityOf(toolName: string): string {
  return WORDS[toolName]?.doing ?? (isOfServer(toolName) ? "calling" : ownName(toolName));
}

function ownName(toolName: string): string {
  return toolName.startsWith(EXTENSION_TOOL_PREFIX) ? toolName.slice(EXTENSION_TOOL_PREFIX.length) : toolName;
}

/** The line below a command that continues as a background task. */
export function movedLine(taskId: string): string {
  return `moved to the background as ${taskId}`;
}

/** The title of a server's tool names the server and the tool. */
function isOfServer(toolName: string): boolean {
  return toolName.startsWith("mcp__");
}
