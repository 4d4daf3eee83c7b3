import { editDistance, nearestNames } from "../../../contracts/did-you-mean.ts";
import { EXTENSION_TOOL_PREFIX } from "../../../contracts/extension.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Tools that Quoll has, or whose rules it applies. */
const OWN_TOOLS = words(
  "Agent Bash Cd Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListMcpResources NotebookEdit Read ReadMcpResource Recall SendMessage Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch Write",
);

/**
 * Tools that Quoll lacks, from the documentation of other agents with the same rule syntax. A rule for such a tool has no effect.
 */
const OTHER_TOOLS = words(`AgentOutputTool AskUserQuestion Config CronCreate CronDelete CronList LS LSP
  ListMcpResourcesTool Monitor PowerShell PushNotification ReadMcpResourceTool REPL SlashCommand Sleep StructuredOutput
  TeamCreate TeamDelete TodoRead WebSearch Workflow`);

/**
 * Names that other agents use for Quoll's tools. The rules of these tools have another syntax, so Quoll suggests the
 * name instead of translating the rule.
 */
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
/** Greatest edit distance of a typing error. */
const MAX_SLIPS = 2;

/** A tool name in a rule that is unknown. */
export type UnknownTool = {
  /** The tool that was probably meant; undefined if none is similar. */
  readonly nearest: string | undefined;
  /** True if the meaning is certain: another agent's name for the tool, or at most two letters of difference. */
  readonly isSlip: boolean;
};

/** @returns undefined for a tool of Quoll, an MCP server or another agent. */
export function unknownTool(name: string): UnknownTool | undefined {
  if (KNOWN_TOOLS.has(name) || name.startsWith("mcp__") || name.startsWith(EXTENSION_TOOL_PREFIX)) return undefined;
  const translated = VENDOR_NAMES.get(name.toLowerCase());
  if (translated !== undefined) return { nearest: translated, isSlip: true };
  const slip = OWN_TOOLS.map((tool) => ({ tool, slips: editDistance(name.toLowerCase(), tool.toLowerCase()) }))
    .sort((a, b) => a.slips - b.slips)
    .find(({ tool, slips }) => slips <= Math.min(MAX_SLIPS, tool.length / 2));
  if (slip) return { nearest: slip.tool, isSlip: true };
  return { nearest: nearestNames(name, OWN_TOOLS, 1)[0], isSlip: false };
}
