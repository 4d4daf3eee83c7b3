import type { AgentScope, SpawnedAgent } from "../../contracts/agent-scope.ts";
import type { Progress } from "../../contracts/display.ts";
import { ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { AgentPool } from "../../services/agents/agent-pool.ts";
import { type AgentResult, agentResult } from "../../services/agents/agent-result.ts";
import { chooseAgentTools } from "../../services/agents/choose-agent-tools.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import { AgentActivity } from "./agent-activity.ts";
import { type Equipment, type EquipParts, equipAgent, prepareEquipment } from "./equip-agent.ts";

export type RunParts = EquipParts & {
  readonly clock: Clock;
  readonly pool: AgentPool;
  /** The names of the parent's tools. */
  offered(): readonly string[];
  /** True if the session can use the model. */
  hasModel(name: string): Promise<boolean>;
};

/** Runs an agent in the foreground: its parent waits. @throws {ToolFailedError} it can't start. */
export async function runAgent(
  call: AgentCall,
  parts: RunParts,
  { context, report }: { readonly context: ToolContext; report(progress: Progress): void },
): Promise<AgentResult> {
  await prepareEquipment(call.definition, parts, context.signal);
  const scope = await scopeOf(call, parts, context);
  const { signal } = context;
  return parts.pool.run(async () => {
    const startedAt = parts.clock.monotonicMs();
    const agent = await context.spawnAgent(scope, signal).catch(asToolError);
    const elapsed = () => parts.clock.monotonicMs() - startedAt;
    const activity = new AgentActivity(elapsed, (line) =>
      report({ tail: [line], totalLines: 1, bytes: 0, elapsedMs: elapsed() }),
    );
    const stop = agent.follow((sign) => activity.note(sign));
    let equipment: Equipment | undefined;
    try {
      equipment = await equipAgent(call.definition, { agent, prompt: call.prompt }, parts, context);
      const end = await agent.run(equipment.prompt, signal);
      return agentResult(end, { name: call.definition.name, calls: activity.calls, durationMs: elapsed() });
    } finally {
      stop();
      equipment?.end();
      activity.end();
      await closed(agent);
    }
  }, signal);
}

/** The scope of an agent: its definition, narrowed by the call. */
export async function scopeOf(
  { definition, description, model, allowedTools, maxTurns, budgetTokens }: AgentCall,
  parts: Pick<RunParts, "offered" | "hasModel">,
  context: Pick<ToolContext, "emit">,
): Promise<AgentScope> {
  const { name, prompt, permissionMode, disallowedTools, effort } = definition;
  const limits = [maxTurns, definition.maxTurns].filter((limit) => limit !== undefined);
  const rules = disallowedTools.filter((entry) => entry.includes("("));
  const chosen = model === "inherit" ? undefined : (model ?? (await usableModel(definition, parts, context)));
  return {
    label: `${name}: ${description}`,
    systemPrompt: prompt,
    tools: chooseAgentTools({ definition, offered: parts.offered(), allowed: allowedTools }),
    ...(permissionMode && { permissionMode }),
    ...(rules.length > 0 && { deny: rules }),
    ...(chosen !== undefined && { model: chosen }),
    ...(effort && { effort }),
    ...(limits.length > 0 && { maxSteps: Math.min(...limits) }),
    ...(budgetTokens !== undefined && { budget: { tokens: budgetTokens } }),
  };
}

/** Definitions are shared between people with different providers, so a model that is not there is no error. */
async function usableModel(
  { name, model }: AgentCall["definition"],
  { hasModel }: Pick<RunParts, "hasModel">,
  { emit }: Pick<ToolContext, "emit">,
): Promise<string | undefined> {
  if (model === undefined || (await hasModel(model))) return model;
  emit({
    type: "notice",
    message: `The model ${model} of the agent ${name} is not available: it uses this session's.`,
  });
  return undefined;
}

function asToolError(error: unknown): never {
  throw error instanceof UserFacingError ? new ToolFailedError(error.message, { cause: error }) : error;
}

/** A fault while an agent is closed must not hide its answer. */
async function closed(agent: SpawnedAgent): Promise<void> {
  await agent.close().catch(() => undefined);
}
