import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { ConfigurationError, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Settings } from "../../contracts/settings.ts";
import { narrowerModes } from "../../services/permission/narrower-modes.ts";
import { chooseProvider } from "../../services/provider/choose-provider.ts";
import { wantedModel } from "../choose-model.ts";
import type { Closers } from "../closers.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { ModelAccess } from "../model-access.ts";
import type { OpenedConversation } from "../session/open-conversation.ts";
import type { SkillPlaceFacts } from "../skills/skill-permissions.ts";
import type { AgentTypes } from "./agent-types.ts";
import type { Delegation } from "./delegation.ts";

const UNTRUSTED = " This folder is not trusted, so its agents have no effect.";

type Request = {
  readonly config: SessionConfig;
  readonly settings: Settings;
  /** True if an option or the administrator's settings name the model. */
  readonly isModelGiven: boolean;
  /** False if agents of the project's files are ignored. */
  readonly isTrusted: boolean;
  readonly access: ModelAccess;
  readonly conversation: Pick<OpenedConversation, "restored">;
  readonly types: Pick<AgentTypes, "find">;
  /** Receives one line about an agent that no longer exists. */
  notify(line: string): void;
};

/** Adapts the configuration and the model of a session to the definition that its main conversation works as. */
export async function findMainAgent(request: Request) {
  const { config: given, isModelGiven } = request;
  const mainAgent = await wantedAgent(request);
  const isOfAgent = given.agent !== undefined && mainAgent?.model !== undefined;
  const keepsModel = request.conversation.restored !== undefined && !isModelGiven && !isOfAgent;
  const last = keepsModel ? await (await import("../session/last-model.ts")).lastModel(request) : undefined;
  const model = last ?? (await modelOfAgent(mainAgent, request));
  return mainAgent ? { mainAgent, config: configOfAgent(given, mainAgent), model } : { config: given, model };
}

/**
 * The definition that the main conversation works as: the configuration's choice, for a resumed conversation its
 * earlier definition, for a new conversation the setting's choice.
 * @throws {ConfigurationError} (exit 2) the configuration names an agent that does not exist.
 */
async function wantedAgent(request: Request): Promise<AgentDefinition | undefined> {
  const { config, settings, conversation, isTrusted, types, notify } = request;
  const { restored } = conversation;
  const isNamed = config.agent !== undefined;
  const name = config.agent ?? (restored ? agentBefore(restored) : settings.agent);
  if (name === undefined) return undefined;
  try {
    const agent = await types.find(name);
    if (!agent.isFork) return agent;
    throw new UserFacingError(`A ${agent.name} continues a conversation: it can't be the main one.`);
  } catch (error) {
    const problem = `${errorMessage(error)}${isTrusted ? "" : UNTRUSTED}`;
    if (isNamed) throw new ConfigurationError("agent", problem, 2, { cause: error });
    notify(`${problem} The conversation continues without this agent.`);
    return undefined;
  }
}

function agentBefore({ entries }: NonNullable<OpenedConversation["restored"]>): string | undefined {
  return entries.findLast((entry) => entry.kind === "setup")?.agent;
}

/** The first prompt of a new conversation: an agent's own prompt precedes the person's. */
export function firstPrompt<Typed extends string | undefined>(
  {
    delegation,
    conversation,
  }: { readonly delegation: Pick<Delegation, "main">; readonly conversation: Pick<OpenedConversation, "restored"> },
  typed: Typed,
): Typed | string {
  const { initialPrompt } = delegation.main ?? {};
  if (initialPrompt === undefined || conversation.restored) return typed;
  return typed === undefined ? initialPrompt : `${initialPrompt}\n\n${typed}`;
}

/**
 * The configuration of a session whose main conversation works as an agent. Options of the command line take
 * precedence.
 */
function configOfAgent(config: SessionConfig, agent: AgentDefinition): SessionConfig {
  const { systemPrompt, effort = agent.effort } = config;
  const limits = [config.maxSteps, agent.maxTurns].filter((limit) => limit !== undefined);
  return {
    ...config,
    agent: agent.name,
    systemPrompt: { replace: agent.prompt, ...systemPrompt },
    ...(effort && { effort }),
    ...(limits.length > 0 && { maxSteps: Math.min(...limits) }),
  };
}

/**
 * The initial model: the agent's model is used unless an option names a model; if it is not available, a line says so.
 */
async function modelOfAgent(agent: AgentDefinition | undefined, request: Request) {
  const { config, settings, access, notify } = request;
  const usual = wantedModel(config, settings);
  if (agent?.model === undefined || config.model !== undefined) return usual;
  try {
    await chooseProvider({ flag: agent.model, setting: undefined }, access);
    return { flag: agent.model, setting: undefined };
  } catch (error) {
    notify(`The model of the agent ${agent.name} is not used: ${errorMessage(error)}`);
    return usual;
  }
}

type HookParts = {
  readonly environment: SkillPlaceFacts & { readonly hasManagedHooksOnly: boolean };
  readonly closers: Closers;
  readonly hooks: Pick<SessionHooks, "lease">;
};

/**
 * Adds the hooks of an agent's definition for the main conversation.
 * @throws {ConfigurationError} (exit 2) the hooks can't be read, or the person has not approved them. A hook can be a
 * guard.
 */
export async function leaseAgentHooks(
  agent: AgentDefinition,
  { environment, closers, hooks: session }: HookParts,
): Promise<void> {
  if (agent.hooks === undefined || environment.hasManagedHooksOnly) return;
  const { agentHooks, assertApproved } = await import("./agent-permissions.ts");
  const { hooks, problems } = agentHooks(agent, "main");
  const [problem] = problems;
  if (problem !== undefined) throw new ConfigurationError("agent", problem);
  // The startup has already asked about all content of the project.
  const consent = { environment, approveSkill: async () => undefined };
  await assertApproved(agent, consent, new AbortController().signal).catch((error: unknown) => {
    throw new ConfigurationError("agent", errorMessage(error), 2, { cause: error });
  });
  closers.defer(await session.lease(hooks, MAIN_AGENT.agentId));
}

/** The initial mode: an agent's own mode is used if it is stricter. */
export function modeOfAgent(mode: PermissionMode, agent: AgentDefinition | undefined): PermissionMode {
  const [first] = agent?.permissionMode ? narrowerModes([mode], agent.permissionMode) : [mode];
  return first;
}
