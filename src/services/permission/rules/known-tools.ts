import { editDistance, nearestName } from "../../../contracts/did-you-mean.ts";
import { EXTENSION_TOOL_PREFIX } from "../../../contracts/extension.ts";
import { VENDOR_NAMES } from "../../../contracts/tool-aliases.ts";
import { words } from "../../../contracts/words.ts";

/** Tools that Quoll has, or whose rules it applies. */
const OWN_TOOLS = words(
  "Agent AskUserQuestion Bash Cd Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListMcpResources NotebookEdit Read ReadMcpResource Recall SendMessage Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write",
);

/**
 * Tools that Quoll lacks, from the documentation of other agents with the same rule syntax. A rule for such a tool has no effect.
 */
const OTHER_TOOLS = words(`AgentOutputTool Config CronCreate CronDelete CronList LS LSP
  ListMcpResourcesTool Monitor PowerShell PushNotification ReadMcpResourceTool REPL SlashCommand Sleep StructuredOutput
  TeamCreate TeamDelete TodoRead Workflow`);

/** The tools with a fixed name, of Quoll and of other agents. */
export const KNOWN_TOOLS: ReadonlySet<string> = new Set([...OWN_TOOLS, ...OTHER_TOOLS]);
/** Greatest edit distance of a typing error. */
const MAX_SLIPS = 2;

/** A tool name in a rule that is unknown. */
export type UnknownTool = {
  /** The tool that was probably meant; undefined if none is similar. */
  readonly nearest: string | undefined;
  /** True if the meaning is certain: another agent's name for the tool, or at most two letters of difference. */
  readonly isSlip: boolean;
};

/** True for a tool of Quoll, of a server or of an extension: a rule for it has an effect. */
export function isToolHere(name: string): boolean {
  return OWN_TOOLS.includes(name) || name.startsWith("mcp__") || name.startsWith(EXTENSION_TOOL_PREFIX);
}

/** @returns undefined for a tool of Quoll, an MCP server or another agent. */
export function unknownTool(name: string): UnknownTool | undefined {
  if (KNOWN_TOOLS.has(name) || name.startsWith("mcp__") || name.startsWith(EXTENSION_TOOL_PREFIX)) return undefined;
  // The rules of other agents have another syntax, so Quoll suggests its name instead of translating the rule.
  const translated = VENDOR_NAMES.get(name.toLowerCase());
  if (translated !== undefined) return { nearest: translated, isSlip: true };
  const slip = OWN_TOOLS.map((tool) => ({ tool, slips: editDistance(name.toLowerCase(), tool.toLowerCase()) }))
    .sort((a, b) => a.slips - b.slips)
    .find(({ tool, slips }) => slips <= Math.min(MAX_SLIPS, tool.length / 2));
  if (slip) return { nearest: slip.tool, isSlip: true };
  return { nearest: nearestName(name, OWN_TOOLS), isSlip: false };
}

/** The words of an error about a tool's name that nothing has. */
export function describeUnknown({ nearest }: UnknownTool): string {
  return nearest === undefined ? "it names no tool" : `it names an unknown tool (did you mean ${nearest}?)`;
}
