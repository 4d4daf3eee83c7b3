import { editDistance, nearestNames } from "../../contracts/nearest.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Tools that a rule may name and that Quoll has, or has rules for. */
const OWN_TOOLS = words(
  "Agent Bash Cd Edit EnterPlanMode ExitPlanMode Glob Grep NotebookEdit Read Skill TaskOutput TaskStop TodoWrite WebFetch Write",
);

/** Documented tools of other agents with the same form of rules, for which Quoll has none: a rule for one concerns nothing here. */
const OTHER_TOOLS =
  words(`AgentOutputTool AskUserQuestion Config CronCreate CronDelete CronList EnterWorktree ExitWorktree LS LSP ListMcpResources
  ListMcpResourcesTool Monitor PowerShell PushNotification ReadMcpResource ReadMcpResourceTool REPL SendMessage SlashCommand Sleep StructuredOutput
  TaskCreate TaskGet TaskList TaskUpdate TeamCreate TeamDelete TodoRead ToolSearch WebSearch Workflow`);

/** What other agents call a tool that Quoll has. Their rules have another form, so a name is explained, not translated. */
const VENDOR_NAMES: ReadonlyMap<string, string> = new Map(
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
  }).flatMap(([tool, names]) => words(names).map((name) => [name.toLowerCase(), tool] as const)),
);

const KNOWN_TOOLS: ReadonlySet<string> = new Set([...OWN_TOOLS, ...OTHER_TOOLS]);
/** More letters than this apart, and a name is no slip of the same. */
const MAX_SLIPS = 2;

/** A name in a rule that no tool has. */
export type UnknownTool = {
  /** The tool that was probably meant; undefined when none looks alike. */
  readonly nearest: string | undefined;
  /** Whether it can hardly mean anything else: another agent's name for it, or at most two letters apart. */
  readonly isSlip: boolean;
};

/** @returns undefined for a tool that Quoll, a server or another agent has. */
export function unknownTool(name: string): UnknownTool | undefined {
  if (KNOWN_TOOLS.has(name) || name.startsWith("mcp__")) return undefined;
  const translated = VENDOR_NAMES.get(name.toLowerCase());
  if (translated !== undefined) return { nearest: translated, isSlip: true };
  const slip = OWN_TOOLS.map((tool) => ({ tool, slips: editDistance(name.toLowerCase(), tool.toLowerCase()) }))
    .sort((a, b) => a.slips - b.slips)
    .find(({ tool, slips }) => slips <= Math.min(MAX_SLIPS, tool.length / 2));
  if (slip) return { nearest: slip.tool, isSlip: true };
  return { nearest: nearestNames(name, OWN_TOOLS, 1)[0], isSlip: false };
}
