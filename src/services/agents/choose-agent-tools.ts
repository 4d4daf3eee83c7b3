import { AGENT_TOOL, type AgentDefinition } from "../../contracts/agent-definition.ts";
import { SEARCHING_TOOLS } from "../../contracts/call-target.ts";
import { ToolFailedError } from "../../contracts/errors.ts";

/** Agents start no agents, and the plan and the folders are the session's. */
const NEVER: ReadonlySet<string> = new Set([
  AGENT_TOOL,
  "SendMessage",
  "EnterPlanMode",
  "ExitPlanMode",
  "EnterWorktree",
  "ExitWorktree",
]);

type Choice = {
  readonly definition: Pick<AgentDefinition, "name" | "tools" | "disallowedTools">;
  /** The names of the parent's tools. */
  readonly offered: readonly string[];
  /** The only tools that the call requests. */
  readonly allowed: readonly string[] | undefined;
};

/**
 * The names of an agent's tools: those of its definition that its parent has.
 * @throws {ToolFailedError} none is left, or the call wants a tool that the agent can't have.
 */
export function chooseAgentTools({ definition, offered, allowed }: Choice): readonly string[] {
  const { name, tools } = definition;
  const own = offered.filter((tool) => !NEVER.has(tool) && mayHaveTool(definition, tool));
  const foreign = allowed?.find((tool) => !own.includes(tool));
  if (foreign !== undefined)
    throw new ToolFailedError(`${name} can't have the tool ${foreign}. It can have: ${own.join(", ")}.`);
  const chosen = allowed ?? own;
  if (chosen.length === 0)
    throw new ToolFailedError(`${name} can't start: this session has none of its tools (${(tools ?? []).join(", ")}).`);
  // Tools of servers may be deferred, and are then called through these.
  const searching = chosen.some((tool) => tool.startsWith("mcp__"))
    ? offered.filter((tool) => SEARCHING_TOOLS.includes(tool))
    : [];
  return [...new Set([...chosen, ...searching])];
}

/** True if the tool lists of the definition itself permit the tool. */
export function mayHaveTool(
  { tools, disallowedTools }: Pick<AgentDefinition, "tools" | "disallowedTools">,
  tool: string,
): boolean {
  return !concerns(disallowedTools, tool) && (tools === undefined || concerns(tools, tool));
}

/** True if an entry of a list names the tool: `Read`, `mcp__github`, `mcp__*`. */
export function concerns(entries: readonly string[], tool: string): boolean {
  return entries.some((entry) => {
    if (entry.endsWith("*")) return tool.startsWith(entry.slice(0, -1));
    return entry === tool || (entry.startsWith("mcp__") && tool.startsWith(`${entry}__`));
  });
}
