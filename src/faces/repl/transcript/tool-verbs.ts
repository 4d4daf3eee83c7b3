/** The verb column of a tool's line, and what the footer says while it runs. */
const WORDS: Readonly<Record<string, { readonly verb: string; readonly doing: string; readonly look?: true }>> = {
  Read: { verb: "read", doing: "reading", look: true },
  Grep: { verb: "search", doing: "searching", look: true },
  Glob: { verb: "find", doing: "finding", look: true },
  Edit: { verb: "edit", doing: "editing" },
  Write: { verb: "write", doing: "writing" },
  Bash: { verb: "$", doing: "running" },
  EnterPlanMode: { verb: "plan", doing: "going to" },
  ExitPlanMode: { verb: "plan", doing: "proposing" },
  TodoWrite: { verb: "todo", doing: "planning" },
  TaskOutput: { verb: "task", doing: "waiting for" },
  TaskStop: { verb: "stop", doing: "stopping" },
};

/** What a call of this tool is called in its line; a tool that we don't know is called by its name. */
export function verbOf(toolName: string): string {
  return WORDS[toolName]?.verb ?? toolName;
}

export function activityOf(toolName: string): string {
  return WORDS[toolName]?.doing ?? toolName;
}

/** Whether neighbouring calls of it share a line. */
export function isExploration(toolName: string): boolean {
  return WORDS[toolName]?.look === true;
}
