import { EXTENSION_TOOL_PREFIX } from "../../contracts/extension.ts";

/** The activity while the model writes the input of a call. */
const TEXTS: Readonly<Record<string, string>> = {
  Agent: "writing a task for an agent",
  AskUserQuestion: "writing a question",
  Bash: "writing a command",
  Edit: "writing an edit",
  ExitPlanMode: "writing the plan",
  Glob: "preparing to find files",
  Grep: "preparing a search",
  NotebookEdit: "writing an edit",
  Read: "preparing to read",
  SendMessage: "writing a message",
  Skill: "choosing a skill",
  TaskCreate: "writing a task",
  TaskUpdate: "changing a task",
  TodoWrite: "updating the todo list",
  WebFetch: "preparing to fetch a page",
  WebSearch: "preparing a web search",
  Write: "writing a file",
};

/** The activity while the model writes the input of a call of this tool; a tool without a text is named. */
export function preparingText(toolName: string): string {
  const text = TEXTS[toolName];
  if (text !== undefined) return text;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  if (server !== undefined) return `preparing ${tool} of ${server}`;
  const isExtension = toolName.startsWith(EXTENSION_TOOL_PREFIX);
  return `preparing ${isExtension ? toolName.slice(EXTENSION_TOOL_PREFIX.length) : toolName}`;
}
