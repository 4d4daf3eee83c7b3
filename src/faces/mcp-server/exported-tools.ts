import type { Tool, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { SEARCHING_TOOLS } from "../../contracts/call-target.ts";
import { RECALL } from "../../contracts/recall.ts";
import type { ServedTool } from "../../contracts/served-session.ts";
import type { Level } from "../../contracts/tool.ts";
import { AGENT_TOOL, agentTool } from "./agent-tool.ts";

/**
 * Tools that are only useful in a conversation with a person. These tools are exported only if an option names them.
 */
const CONVERSATION_TOOLS: ReadonlySet<string> = new Set([
  "Agent",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "Skill",
  "TodoWrite",
  RECALL,
  ...SEARCHING_TOOLS,
]);

export type ToolFilter = {
  /** The only exported tools, by name; undefined for the default tools. */
  readonly only?: readonly string[] | undefined;
  /** True if tools of MCP servers are exported too. */
  readonly withOthers: boolean;
};

/** The tools that a client sees and may call. */
export function exportedTools(tools: readonly ServedTool[], { only, withOthers }: ToolFilter): readonly ServedTool[] {
  return tools.filter(({ spec, isOwn }) =>
    only ? only.includes(spec.name) : isOwn ? !CONVERSATION_TOOLS.has(spec.name) : withOthers,
  );
}

export function exportsAgent({ only }: ToolFilter): boolean {
  return only?.includes(AGENT_TOOL) ?? true;
}

/** Converts the list of tools to the form of the protocol. */
export function listTools(tools: readonly ServedTool[], filter: ToolFilter): Tool[] {
  const exported = exportedTools(tools, filter);
  const names = new Set(exported.map(({ spec }) => spec.name));
  const listed = exported.map(
    ({ spec }): Tool => ({
      name: spec.name,
      title: spec.summary,
      description: spec.describe?.((name) => names.has(name)) ?? spec.description,
      inputSchema: { ...spec.inputSchema, type: "object" },
      annotations: { title: spec.summary, ...annotationsOf(spec.level) },
    }),
  );
  return exportsAgent(filter) ? [...listed, agentTool()] : listed;
}

/** The highest level of a tool's calls decides, since a client reads the annotations before it knows the call. */
function annotationsOf(level: Level): ToolAnnotations {
  const isReadOnly = level === "read" || level === "network";
  return {
    readOnlyHint: isReadOnly,
    ...(!isReadOnly && { destructiveHint: level === "write" || level === "execute" }),
    openWorldHint: level === "execute" || level === "network",
  };
}
