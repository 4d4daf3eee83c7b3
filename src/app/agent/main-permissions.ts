import {
  type HookCommon,
  type HookInput,
  type HookOutcome,
  type Hooks,
  isHookCall,
  type PermissionAnswer,
} from "../../contracts/hook.ts";
import type { PermissionEngine, PermissionRequest } from "../../contracts/permission.ts";
import type { FreeNotes } from "../../services/permission/judge/judgement.ts";
import type { PermissionHooks, PermissionService } from "../../services/permission/permission-deps.ts";
import type { Closers } from "../closers.ts";
import { agentFields } from "../hooks/agent-fields.ts";
import type { AgentParts } from "./agent-parts.ts";
import { wirePermissions } from "./wire-permissions.ts";

type Request = {
  /** The notes of the project while its memory is on. */
  readonly notes: (() => FreeNotes | undefined) | undefined;
  /** Ends the deny rules of the agent's definition. */
  readonly closers: Closers;
};

type HookParts = {
  readonly hooks: Hooks;
  common(): HookCommon;
  permissions(): Pick<PermissionEngine, "matches">;
  /** Tells the person one line. */
  notify(line: string): void;
};

type Asked = Extract<HookInput, { readonly event: "PermissionRequest" | "PermissionDenied" }>;

/**
 * The permissions of the main agent, in the folders that the conversation is in, with the deny rules of the definition
 * that the conversation works as. The debug log and telemetry get each verdict once, also for the child agents, whose
 * permissions `narrow` makes.
 */
export function mainPermissions(parts: AgentParts, { notes, closers }: Request): PermissionService {
  const { session, state, spend, folders } = parts;
  const { config, questions, watch, conversation, delegation } = session;
  const model = () => ({ ...state.model, provider: watch.provider(state.model.provider, "judge") });
  const inStart = wirePermissions({
    folders: folders?.start ?? parts,
    artifacts: conversation.artifacts,
    config,
    questions,
    agent: {
      state,
      notes,
      judging: { model, spend },
      hooks: hooksOfPermissions(parts, () => permissions),
      watchDecisions: watch.decisions,
      userWords: () => state.prompts,
    },
    notify: session.notices.notify,
  });
  const permissions: PermissionService = folders?.following(inStart) ?? inStart;
  const { main } = delegation;
  const deny = main?.disallowedTools.filter((entry) => entry.includes("(")) ?? [];
  if (main && deny.length > 0) closers.defer(permissions.leaseRules({ allow: [], deny }, `the agent ${main.name}`));
  return permissions;
}

function hooksOfPermissions(parts: AgentParts, permissions: () => PermissionService) {
  const { hooks, notices } = parts.session;
  const common = () => agentFields(parts, permissions());
  return permissionHooks({ hooks, common, permissions, notify: notices.notify });
}

/** Asks hooks when a person would be asked about a call, and notifies them of calls that a judge refused. */
function permissionHooks(parts: HookParts): PermissionHooks {
  return {
    request: (request, signal) =>
      !isHookCall(request.toolUseId) && parts.hooks.wants("PermissionRequest", request.toolName)
        ? answerOf(request, parts, signal)
        : undefined,
    async denied(request, reason, signal) {
      if (isHookCall(request.toolUseId)) return { retry: false };
      const outcome = await ask({ event: "PermissionDenied", reason, ...about(request, parts) }, parts, signal);
      return { retry: outcome.retry ?? false };
    },
  };
}

async function answerOf(
  request: PermissionRequest,
  parts: HookParts,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  const { answer, block, stop } = await ask({ event: "PermissionRequest", ...about(request, parts) }, parts, signal);
  const endsTurn = stop !== undefined;
  if (stop) return { behavior: "deny", reason: stop.reason, endsTurn };
  return block ? { behavior: "deny", endsTurn, ...block } : answer;
}

function about({ toolName, toolUseId, call }: PermissionRequest, { permissions }: HookParts) {
  const matches = (rule: string) => permissions().matches(rule, { toolName, call });
  return { toolName, toolUseId, toolInput: call.input, matches };
}

async function ask(input: Asked, { hooks, common, notify }: HookParts, signal: AbortSignal): Promise<HookOutcome> {
  if (!hooks.wants(input.event, input.toolName)) return {};
  const outcome = await hooks.run(Object.assign({}, input, common()), signal).catch((): HookOutcome => ({}));
  if (outcome.systemMessage !== undefined) notify(outcome.systemMessage);
  return outcome;
}
