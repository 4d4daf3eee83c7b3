import { once } from "@quoll/async/once";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { SpawnedAgent } from "../../contracts/agent-scope.ts";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { SkillConsent } from "../skills/skill-permissions.ts";
import type { AgentServers } from "./agent-parts.ts";
import { agentHooks, assertApproved } from "./agent-permissions.ts";

export type EquipParts = SkillConsent & {
  readonly place: { readonly hasManagedHooksOnly: boolean };
  readonly servers: Pick<AgentServers, "require" | "lease" | "giveBack">;
  /** A text that tells a model where the documentation of Quoll is. */
  guide(): Promise<string>;
  readonly hooks: Pick<SessionHooks, "lease">;
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
  const isHooked = hooks !== undefined && !parts.place.hasManagedHooksOnly;
  const [problem] = isHooked ? agentHooks(definition).problems : [];
  if (problem !== undefined) throw new ToolFailedError(`${name} can't start: ${problem}`);
  if (isHooked || ownServers) await assertApproved(definition, parts, signal);
  if (servers.length > 0) await parts.servers.require(servers, signal);
  if (!ownServers) return;
  await parts.servers.lease(definition);
  try {
    await parts.servers.require(Object.keys(ownServers), signal);
  } catch (error) {
    await parts.servers.giveBack(definition);
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
  const isHooked = hooks !== undefined && !parts.place.hasManagedHooksOnly;
  const end = isHooked ? await parts.hooks.lease(agentHooks(definition).hooks, agent.source.agentId) : () => undefined;
  if (definition.isGuide) texts.push(await parts.guide());
  const directive = definition.isFork ? [definition.prompt] : [];
  const giveBack = once(async () => {
    if (definition.ownServers) await parts.servers.giveBack(definition);
  });
  return { prompt: [...texts, ...directive, prompt].join("\n\n"), end, giveBack };
}
