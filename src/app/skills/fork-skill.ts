import { AGENT_TOOL, type AgentDefinition, USUAL_AGENT } from "../../contracts/agent-definition.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { outsideCallId } from "../../contracts/served-session.ts";
import type { Skill } from "../../contracts/skill.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import type { AgentTypes } from "../agent/agent-types.ts";
import { prepareEquipment } from "../agent/equip-agent.ts";
import { type RunParts, scopeOf, startAgent } from "../agent/run-agent.ts";
import type { SkillUser } from "./run-skill.ts";

/** The parts of a person's command for the agent that it waits for. */
export type ForkContext = Pick<ToolContext, "agent" | "tasks" | "spawnAgent" | "signal" | "emit">;

/**
 * The agent that does the task of a skill: its type is named by the skill, within the skill's own limits.
 * @throws {ToolFailedError} if there is no such type. A different type could do more than the skill allows.
 */
export async function skillAgent(skill: Skill, prompt: string, types: Pick<AgentTypes, "find">): Promise<AgentCall> {
  const definition = await typeOf(skill, types);
  const none = { allowedTools: undefined, maxTurns: undefined, budgetTokens: undefined, budgetUsd: undefined };
  return {
    ...none,
    definition,
    prompt,
    description: `/${skill.name}`,
    model: skill.model,
    expect: undefined,
    ...(skill.disallowedTools.length > 0 && { deny: skill.disallowedTools }),
    isBackground: false,
    isIsolated: definition.isIsolated === true,
  };
}

/**
 * Checks the rules for the type of a skill's agent, as for a call of Agent.
 * @throws {ToolFailedError} the type was refused.
 */
export async function assertTypeAllowed(
  { definition, description, prompt }: AgentCall,
  { session, permissions }: Pick<SkillUser, "session" | "permissions">,
  signal: AbortSignal,
): Promise<void> {
  const call = {
    ...({ level: "read", concurrencySafe: true, corrections: [] } as const),
    input: { description, prompt, subagent_type: definition.name },
    subjects: [{ action: "use" as const, name: definition.name }],
    title: `${definition.name}: ${description}`,
    run: async () => ({ content: "" }),
  };
  const request = { toolUseId: outsideCallId(session.app.ids.next()), toolName: AGENT_TOOL, call };
  const verdict = await permissions.authorize(request, signal);
  if (verdict.decision === "deny") throw new ToolFailedError(verdict.message);
}

async function typeOf({ name, agent = "" }: Skill, types: Pick<AgentTypes, "find">): Promise<AgentDefinition> {
  try {
    return await types.find(agent === "" ? USUAL_AGENT : agent);
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    throw new ToolFailedError(`The skill ${name} can't start its agent. ${error.message}`, { cause: error });
  }
}

/** The answer of an agent for a person who waits for it. @throws {ToolFailedError} the agent did not finish. */
export async function answerOf(call: AgentCall, parts: RunParts, context: ForkContext): Promise<string> {
  const { signal, emit } = context;
  await prepareEquipment(call.definition, parts, signal);
  const scope = await scopeOf(call, parts, { emit, forkPoint: () => null });
  const run = startAgent({ call, scope, context }, parts);
  const { result, report } = await run.finished(signal, "command");
  if (!result.isError) return report.text;
  throw new ToolFailedError(`${call.description} ended without a result. ${result.text}`);
}
