import type { FreeNotes } from "../../services/permission/judge/judgement.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { Closers } from "../closers.ts";
import { agentFields } from "../hooks/agent-fields.ts";
import type { AgentParts } from "./agent-parts.ts";
import { permissionHooks } from "./permission-hooks.ts";
import { wirePermissions } from "./wire-permissions.ts";

type Request = {
  /** The notes of the project while its memory is on. */
  readonly notes: (() => FreeNotes | undefined) | undefined;
  /** Ends the deny rules of the agent's definition. */
  readonly closers: Closers;
};

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
