/** Former tool names that rules and matchers still use. */
export const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ["Task", "Agent"],
  ["MultiEdit", "Edit"],
  ["NotebookRead", "Read"],
  ["BashOutput", "TaskOutput"],
  ["KillShell", "TaskStop"],
  ["KillBash", "TaskStop"],
  ["SlashCommand", "Skill"],
]);

/** Names that other agents use for Quoll's tools, in lower case. */
export const VENDOR_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Bash: "run_shell_command shell local_shell exec_command execute_command run_command run_terminal_cmd terminal ShellTool",
    Read: "read_file read_many_files ReadFileTool ReadManyFilesTool view view_file open_file",
    Edit: "replace edit_file apply_patch patch str_replace str_replace_editor str_replace_based_edit_tool multiedit EditTool",
    Write: "write_file create_file write_to_file WriteFileTool",
    Grep: "search_file_content grep_search search_files codebase_search GrepTool",
    Glob: "list_directory list_dir list_files file_search find_files list GlobTool",
    WebFetch: "web_fetch fetch_webpage fetch WebFetchTool",
    WebSearch: "google_web_search web_search websearch WebSearchTool",
    TodoWrite: "write_todos update_plan todo_write todowrite todoread",
    Agent: "task spawn_agent subagent",
  }).flatMap(([tool, names]) => names.split(" ").map((name) => [name.toLowerCase(), tool] as const)),
);

/** Names of other agents for a tool that changes and creates files; Quoll has two tools for that. */
const EDIT_AND_WRITE: ReadonlySet<string> = new Set(
  "apply_patch patch edit_file str_replace_editor str_replace_based_edit_tool".split(" "),
);

/** Quoll's tools that do the work of the tool with this name; empty for a name of no other tool. */
export function toolsCalled(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const tool = FORMER_NAMES.get(name) ?? VENDOR_NAMES.get(lower);
  if (tool === undefined) return [];
  return EDIT_AND_WRITE.has(lower) ? [tool, "Write"] : [tool];
}
