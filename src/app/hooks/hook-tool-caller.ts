import { decidedByText } from "../../contracts/decided-by.ts";
import { hookCallId } from "../../contracts/hook.ts";
import { textOf } from "../../contracts/message.ts";
import type { CallServerTool } from "../../services/hooks/tool-hook.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import type { Agent } from "../agent/open-agent.ts";

type Caller = Pick<AgentParts, "watch"> & { main(): Agent | undefined };

/**
 * Calls tools of MCP servers for hooks. A person's settings name the tool, so the call needs no allow rule; deny and
 * ask rules, the mode and the person's answer apply as for any call, and the debug log and telemetry get the verdict.
 */
export function toolCaller({ main, watch }: Caller): CallServerTool {
  return async (server, tool, input, signal) => {
    const agent = main();
    const toolName = `mcp__${server}__${tool}`;
    const found = agent?.offered.get(toolName)?.value;
    if (agent?.permissions.hiddenTools([toolName]).has(toolName)) throw new Error(`a deny rule forbids ${toolName}`);
    if (!agent || !found) throw new Error(`no connected MCP server has the tool ${toolName}`);
    const toolUseId = hookCallId(crypto.randomUUID());
    const context = { ...agent.toolPorts, toolUseId, cwd: agent.workspace.cwd, signal, emit: () => undefined };
    const call = await found.prepare(input, context);
    const hook = { decision: "allow", reason: "the settings name the tool" } as const;
    const verdict = await watch.permissions(agent.permissions).authorize({ toolUseId, toolName, call, hook }, signal);
    signal.throwIfAborted();
    if (verdict.decision === "deny") {
      const unanswered = verdict.unanswered ? ", and nobody can answer" : "";
      throw new Error(`${toolName} was refused by ${decidedByText(verdict.decidedBy)}${unanswered}`);
    }
    if (verdict.updatedInput) throw new Error(`the answer changed the input of ${toolName}, which is a hook's`);
    const { content, isError } = await call.run(verdict.grant, () => undefined);
    signal.throwIfAborted();
    if (isError) throw new Error(`${toolName} failed: ${textOf(content)}`);
    return textOf(content);
  };
}
