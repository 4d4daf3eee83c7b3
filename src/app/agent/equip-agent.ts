import { once } from "@quoll/async/once";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { SpawnedAgent } from "../../contracts/agent-scope.ts";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { agentHooks, assertApproved } from "./agent-permissions.ts";

export type EquipParts = {
  readonly session: SessionParts;
  readonly environment: ProjectEnvironment;
  /** A text that tells a model where the documentation of Quoll is. */
  guide(): Promise<string>;
};

/**
 * Prepares everything that a definition needs before its agent is opened.
 * @throws {ToolFailedError} its hooks are not approved or can't be read, or a server is not available.
 */
export async function prepareEquipment(
  definition: AgentDefinition,
  parts: EquipParts,
  signal: AbortSignal,
): Promise<void> {
  const { hooks, servers = [], ownServers, name } = definition;
  const { session, environment } = parts;
  const { approveSkill } = session;
  const isHooked = hooks !== undefined && !environment.hasManagedHooksOnly;
  const [problem] = isHooked ? agentHooks(definition).problems : [];
  if (problem !== undefined) throw new ToolFailedError(`${name} can't start: ${problem}`);
  if (isHooked || ownServers) await assertApproved(definition, { environment, approveSkill }, signal);
  if (servers.length > 0) await session.agentServers.require(servers, signal);
  if (!ownServers) return;
  await session.agentServers.lease(definition);
  try {
    await session.agentServers.require(Object.keys(ownServers), signal);
  } catch (error) {
    await session.agentServers.giveBack(definition);
    throw error;
  }
}

/** The skills and hooks of an open agent. */
export type Equipment = {
  /** The prompt, preceded by the texts of the skills. */
  readonly prompt: string;
  /** Ends the hooks. */
  end(): void;
  /** Takes back the servers of the definition. Later calls do nothing. */
  giveBack(): Promise<void>;
};

/**
 * Gives an open agent the skills and hooks of its definition. Warnings for the person name skills that can't be used.
 */
export async function equipAgent(
  definition: AgentDefinition,
  { agent, prompt }: { readonly agent: SpawnedAgent; readonly prompt: string },
  parts: EquipParts,
  { signal, emit }: Pick<ToolContext, "signal" | "emit">,
): Promise<Equipment> {
  const { skills = [], hooks, name } = definition;
  const texts: string[] = [];
  for (const skill of skills) {
    try {
      texts.push(await agent.loadSkill(skill, signal));
    } catch (error) {
      signal.throwIfAborted();
      emit({
        type: "notice",
        message: `The agent ${name} continues without the skill ${skill}: ${errorMessage(error)}`,
      });
    }
  }
  const isHooked = hooks !== undefined && !parts.environment.hasManagedHooksOnly;
  const end = isHooked
    ? await parts.session.hooks.lease(agentHooks(definition).hooks, agent.source.agentId)
    : () => undefined;
  if (definition.isGuide) texts.push(await parts.guide());
  const directive = definition.isFork ? [definition.prompt] : [];
  const giveBack = once(async () => {
    if (definition.ownServers) await parts.session.agentServers.giveBack(definition);
  });
  return { prompt: [...texts, ...directive, prompt].join("\n\n"), end, giveBack };
}
